import { BASES, type Family } from './families.ts';
import type { Route } from './route.ts';
import { routes, routesOf } from './routes/index.ts';

/** Addresses of a project's data that another route answers, found in the route table: literals of a path win over parameters. */

export interface TakenAddress {
  /** In lower case, because literals match in any letter case; `null`: of every collection. */
  readonly collection: string | null;
  /** As `collection`; `null`: every key of it. */
  readonly key: string | null;
  /** Whether it is an address of global records alone. */
  readonly isOfRecords: boolean;
  /** The route that answers, such as `GET /v3/storage/{project}/{collection}/list`. */
  readonly takenBy: string;
}

/** The literals that another route has in place of one's parameters, by the names of these. */
type Literals = ReadonlyMap<string, string>;

export const TAKEN_ADDRESSES: readonly TakenAddress[] = routes
  .filter(({ path }) => path.includes('/:collection'))
  .flatMap((route) => [route.family, ...(route.also ?? [])].flatMap((family) => takenFrom(route, family)));

function takenFrom(own: Route, family: Family): TakenAddress[] {
  return winnersOver(own, family).flatMap((other) => {
    const literals = overlap(own.path, other.path);
    if (literals === null || literals.size === 0) return [];
    const takenBy = `${other.method} ${BASES[family]}${other.path.replace(/:(\w+)/g, '{$1}')}`;
    const [collection, key] = [literals.get(':collection') ?? null, literals.get(':key') ?? null];
    return [{ collection, key, isOfRecords: own.tag === 'Global records', takenBy }];
  });
}

/** The routes that answer a path which matches both: those with fewer parameters, and of equally many the first. */
function winnersOver(own: Route, family: Family): readonly Route[] {
  const served = routesOf(family);
  return served.filter((other, at) => {
    const fewer = parametersIn(own) - parametersIn(other);
    return other.method === own.method && (fewer > 0 || (fewer === 0 && at < served.indexOf(own)));
  });
}

function parametersIn({ path }: Route): number {
  return path.split('/:').length - 1;
}

/** What a path that matches both has in place of one's own parameters; `null`: none matches both. */
function overlap(own: string, other: string): Literals | null {
  const [mine, theirs] = [own.split('/'), other.split('/')];
  if (mine.length !== theirs.length) return null;
  const literals = new Map<string, string>();
  for (const [at, name] of mine.entries()) {
    const literal = theirs[at]?.toLowerCase() ?? '';
    if (literal.startsWith(':')) continue;
    if (name.startsWith(':')) literals.set(name, literal);
    else if (name.toLowerCase() !== literal) return null;
  }
  return literals;
}
