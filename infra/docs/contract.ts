import { stringify } from 'yaml';
import { type Need, needOfPerson, provesItself, takesSecretKey } from '../../src/contract/credentials.ts';
import { ROLES } from '../../src/contract/events/people.ts';
import { BASES, type Family, OF_PERSONS } from '../../src/contract/families.ts';
import { openApi } from '../../src/contract/openapi.ts';
import type { Route } from '../../src/contract/route.ts';
import { routesOf } from '../../src/contract/routes/index.ts';
import { permissionsOf, type Role } from '../../src/domain/people/roles.ts';
import { VERSION } from '../../src/version.ts';
import type { GeneratedFile } from './file.ts';

/** Makes the description of the API and the credential matrix, from the contract. */

const HEAD = '# Made of src/contract by `npm run docs`: change it there.\n';

export const OPENAPI: GeneratedFile = {
  file: 'docs/openapi.yaml',
  render: () => HEAD + stringify(openApi(VERSION), { aliasDuplicateObjects: false, lineWidth: 0 }),
};

/** The kinds of credentials that the matrix has a column for. */
export const CREDENTIALS = [
  'no key',
  'an unknown key',
  'the secret key of another project',
  'the public key',
  'a secret key without rights',
  'a secret key',
] as const;

export type Credential = (typeof CREDENTIALS)[number];

/**
 * A row of the matrix: a route. Where the route is about a collection there are two rows: one for a collection that is open to games, one
 * for a closed one.
 */
export interface MatrixRow {
  /** Method and path. */
  readonly route: string;
  readonly collection: 'open' | 'closed' | null;
  readonly outcomes: Readonly<Record<Credential, string>>;
}

/** `in`: the request is let through and then judged by its content. A number: it is refused with that status. */
export function credentialMatrix(): readonly MatrixRow[] {
  const served = (Object.keys(BASES) as Family[])
    .filter((family) => family !== 'canary')
    .flatMap((family) => routesOf(family).map((route) => ({ route, path: BASES[family] + route.path })));
  const rows = served.flatMap(({ route, path }) => {
    const collections = path.includes(':collection') ? (['open', 'closed'] as const) : [null];
    return collections.map((collection) => ({
      path,
      route: `${route.method} ${path}`,
      collection,
      outcomes: outcomesOf(route, collection),
    }));
  });
  return rows.sort((a, b) => a.path.localeCompare(b.path, 'en') || a.route.localeCompare(b.route, 'en'));
}

function outcomesOf({ keys }: Route, collection: MatrixRow['collection']): MatrixRow['outcomes'] {
  const nobody = keys === null ? 'in' : '401';
  const outcomes = { 'no key': nobody, 'an unknown key': nobody, 'the secret key of another project': nobody };
  if (keys === null) return { ...outcomes, 'the public key': 'in', 'a secret key without rights': 'in', 'a secret key': 'in' };
  const isOff = provesItself(keys);
  const isClosed = keys.guard === 'append' || keys.guard === 'history' || isOff || (keys.guard === 'collection' && collection === 'closed');
  return {
    ...outcomes,
    'the public key': takesSecretKey(keys) ? '401' : isClosed ? '403' : 'in',
    'a secret key without rights': keys.needs !== null || isOff ? '403' : 'in',
    'a secret key': isOff || keys.onlyPeople ? '403' : 'in',
  };
}

/** A row of the matrix of people: a route that the console passes on. */
interface RoleRow {
  readonly route: string;
  readonly outcomes: Readonly<Record<Role, string>>;
}

/** The same of people, by their role. Where any valid key reads or reports what players have, they need to read or write documents. */
export function roleMatrix(): readonly RoleRow[] {
  const rows = OF_PERSONS.flatMap((family) =>
    routesOf(family).map(({ method, path, keys }) => {
      const needs = keys === null ? null : needOfPerson(keys, family === 'storage', method);
      const outcome = (role: Role) => [role, fits(role, needs) ? 'in' : '403'];
      return { route: `${method} ${BASES[family]}${path}`, outcomes: Object.fromEntries(ROLES.map(outcome)) as RoleRow['outcomes'] };
    }),
  );
  return rows.sort((a, b) => a.route.localeCompare(b.route, 'en'));
}

function fits(role: Role, need: Need | null): boolean {
  if (need === null) return true;
  const has = permissionsOf(role);
  const letters = [...need.level];
  return (
    need.scopes.every((scope) => letters.every((letter) => has[scope]?.includes(letter))) || (need.or !== undefined && fits(role, need.or))
  );
}

export const CREDENTIALS_PAGE: GeneratedFile = { file: 'docs/credentials.md', render: credentialsPage };

function credentialsPage(): string {
  const rows = credentialMatrix().map(({ route, collection, outcomes }) => {
    const cells = CREDENTIALS.map((credential) => outcomes[credential]);
    return `| \`${route}\`${collection === null ? '' : `, ${collection}`} | ${cells.join(' | ')} |`;
  });
  const people = roleMatrix().map(({ route, outcomes }) => `| \`${route}\` | ${ROLES.map((role) => outcomes[role]).join(' | ')} |`);
  return `${PAGE}${tableOf(CREDENTIALS, rows)}${PEOPLE}${tableOf(ROLES, people)}`;
}

function tableOf(columns: readonly string[], rows: readonly string[]): string {
  return `| Route | ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length + 1)}\n${rows.join('\n')}\n`;
}

const PEOPLE = `
## People

The same of people who are signed in to the [console](console.md), by their role. The console passes these routes on alone.

`;

const PAGE = `# Who may call what

Every route with every kind of key. The page is made of the contract (\`src/contract\`, \`npm run docs\`), and \`test/node/credentials.test.ts\` asks the running
program for every cell of it. \`in\`: let through, and then judged by what was asked; a number: refused with that status. "open" is a collection
with \`accessMode: public\`, "closed" one without; a public key appends only where a collection has \`publicAppend\`, and reads what was only where it has \`history: owner\`, which neither has; sessions
and guests are refused to a project that does not use them. What proves a player comes on top ([security.md](security.md)). A secret key is asked for a right in the scope that it touches; "without rights" has none.

`;
