/** Every prefix that the server answers under, as data. Aliases are resolved here: a route has one path. */

/** The request buckets that count a route. */
export type BucketGroup = 'game' | 'management' | 'session' | 'guest' | 'system';

export interface Prefix {
  readonly family: Family;
  /** The common beginning of the family's paths, which the prefix replaces. */
  readonly base: string;
  readonly group: BucketGroup;
}

interface Served {
  readonly group: BucketGroup;
  readonly prefixes: readonly string[];
}

/** A family under its base, and under other prefixes for tools that still use them. */
function under(group: BucketGroup, base: string, ...others: readonly string[]) {
  return { base, served: [{ group, prefixes: [base, ...others] }] };
}

/**
 * Every family: a group of routes with one router, the common beginning of their paths, and the prefixes that lead to it. Storage aliases
 * serve fewer routes, so they are families of their own. Paths of the system begin with nothing in common.
 */
const FAMILIES = {
  storage: under('game', '/v3/storage'),
  'storage-api': under('game', '/api/storage'),
  'storage-v1': under('game', '/v1/storage'),
  canary: { base: '/v3/storage', served: [] },
  endpoints: under('game', '/v3/endpoints', '/v1/endpoints'),
  queries: under('game', '/v3/queries', '/v1/queries'),
  values: under('game', '/v3/values', '/v1/values'),
  live: under('game', '/v3/live'),
  manage: under('management', '/v3/manage'),
  sessions: under('session', '/v3/auth-sessions', '/v3/sessions', '/v1/auth-sessions', '/v1/sessions'),
  guests: under('guest', '/v3/guests'),
  'security-config': under('game', '/v3/security-config'),
  pages: under('game', '/pages', '/api/pages'),
  'save-failure': under('game', '/api/network-storage'),
  system: {
    base: '',
    served: [
      { group: 'game', prefixes: ['/v3/server-info'] },
      {
        group: 'system',
        prefixes: ['/', '/favicon.svg', '/alive', '/health', '/ready', '/metrics', '/openapi.json', '/docs', '/manual', '/schemas'],
      },
    ],
  },
} as const satisfies Readonly<Record<string, { readonly base: string; readonly served: readonly Served[] }>>;

export type Family = keyof typeof FAMILIES;

/** Families of routes that people reach through the console. The others are for games and players. */
export const OF_PERSONS: readonly Family[] = ['manage', 'storage', 'queries', 'values', 'live', 'endpoints'];

const NAMES = Object.keys(FAMILIES) as readonly Family[];

/** Something for each family. */
export function eachFamily<T>(make: (family: Family) => T): Readonly<Record<Family, T>> {
  return Object.fromEntries(NAMES.map((family) => [family, make(family)])) as Record<Family, T>;
}

/** The common beginning of each family's paths. Those of the system have none. */
export const BASES = eachFamily((family): string => FAMILIES[family].base);

/** The prefixes of each family, its base first, with the buckets that count its requests. */
const SERVED = NAMES.flatMap((family) => FAMILIES[family].served.map((served: Served) => ({ ...served, family })));

/** By prefix, in lower case, without its first slash. */
export const PREFIXES: ReadonlyMap<string, Prefix> = new Map(
  SERVED.flatMap(({ family, group, prefixes }) =>
    prefixes.map((prefix): [string, Prefix] => [prefix.slice(1), { family, group, base: BASES[family] || prefix }]),
  ),
);

/** Other prefixes of a family's routes, for tools that still use them. */
export function aliasesOf(family: Family): readonly string[] {
  return SERVED.filter((served) => served.family === family && family !== 'system').flatMap(({ prefixes }) => prefixes.slice(1));
}
