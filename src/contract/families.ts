/** Every prefix that the server answers under, as data. Aliases are resolved here: a route has one path. */

/** A group of routes with one router. Storage aliases serve fewer routes, so they are families of their own. */
export type Family =
  | 'storage'
  | 'storage-api'
  | 'storage-v1'
  | 'canary'
  | 'endpoints'
  | 'queries'
  | 'values'
  | 'live'
  | 'manage'
  | 'sessions'
  | 'guests'
  | 'security-config'
  | 'pages'
  | 'save-failure'
  | 'system';

/** The request buckets that count a route. */
export type BucketGroup = 'game' | 'management' | 'session' | 'guest' | 'system';

export interface Prefix {
  readonly family: Family;
  /** The common beginning of the family's paths, which the prefix replaces. */
  readonly base: string;
  readonly group: BucketGroup;
}

/** The common beginning of each family's paths. Those of the system have none. */
export const BASES = {
  storage: '/v3/storage',
  'storage-api': '/api/storage',
  'storage-v1': '/v1/storage',
  canary: '/v3/storage',
  endpoints: '/v3/endpoints',
  queries: '/v3/queries',
  values: '/v3/values',
  live: '/v3/live',
  manage: '/v3/manage',
  sessions: '/v3/auth-sessions',
  guests: '/v3/guests',
  'security-config': '/v3/security-config',
  pages: '/pages',
  'save-failure': '/api/network-storage',
  system: '',
} as const satisfies Record<Family, string>;

/** The prefixes of each family, its base first. `group`: the buckets that count its requests. */
const SERVED: readonly { readonly family: Family; readonly group: BucketGroup; readonly prefixes: readonly string[] }[] = [
  { family: 'storage', group: 'game', prefixes: ['/v3/storage'] },
  { family: 'storage-api', group: 'game', prefixes: ['/api/storage'] },
  { family: 'storage-v1', group: 'game', prefixes: ['/v1/storage'] },
  { family: 'endpoints', group: 'game', prefixes: ['/v3/endpoints', '/v1/endpoints'] },
  { family: 'queries', group: 'game', prefixes: ['/v3/queries', '/v1/queries'] },
  { family: 'values', group: 'game', prefixes: ['/v3/values', '/v1/values'] },
  { family: 'live', group: 'game', prefixes: ['/v3/live'] },
  { family: 'manage', group: 'management', prefixes: ['/v3/manage'] },
  { family: 'sessions', group: 'session', prefixes: ['/v3/auth-sessions', '/v3/sessions', '/v1/auth-sessions', '/v1/sessions'] },
  { family: 'guests', group: 'guest', prefixes: ['/v3/guests'] },
  { family: 'security-config', group: 'game', prefixes: ['/v3/security-config'] },
  { family: 'save-failure', group: 'game', prefixes: ['/api/network-storage'] },
  { family: 'pages', group: 'game', prefixes: ['/pages', '/api/pages'] },
  { family: 'system', group: 'game', prefixes: ['/v3/server-info'] },
  {
    family: 'system',
    group: 'system',
    prefixes: ['/', '/favicon.svg', '/alive', '/health', '/ready', '/metrics', '/openapi.json', '/docs', '/manual', '/schemas'],
  },
];

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
