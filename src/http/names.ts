import { headerSpellings, memberSpellings } from '../domain/wire-names.ts';

/** Where the transport finds names that have more than one spelling, looked up once. First non-empty wins (security 1.2, 2.1). */
export const CLAIM_HEADERS = ['x-platform-id', 'x-platform-player-id'].flatMap(headerSpellings);
export const CLAIM_QUERIES = ['platformId', 'platformid'].flatMap(memberSpellings);
export const CLAIM_MEMBERS = memberSpellings('platformId');

/** Headers that carry a secret key, beside `x-api-key`. */
export const SECRET_HEADERS = ['x-secret-key', 'x-network-storage-secret', 'x-storage-secret-key', 'x-platform-secret-key'].flatMap(
  headerSpellings,
);

/** What proves a player (security 2.1), in the order in which it counts. */
export const TOKEN_HEADERS = ['x-platform-token', 'x-platform-auth-token'].flatMap(headerSpellings);
export const SESSION_HEADERS: readonly string[] = ['x-auth-session', 'x-auth-session-token'];
export const SESSION_MEMBERS: readonly string[] = ['authSessionToken', 'sessionToken'];

/** Query names that clients and their tools add, in lower case: they never become input (security 11.7), nor say what is asked for. */
const RESERVED_QUERIES: ReadonlySet<string> = new Set(
  [
    ...['apiKey', 'token', 'authSessionToken', 'sessionToken', 'encryptedRequestId', 'secretKey', 'networkStorageSecret'],
    ...['network_storage_secret_key', 'secret-key', 'revisionTarget', 'includeStaged', 'v', ...CLAIM_QUERIES],
  ].map((name) => name.toLowerCase()),
);

export function isReservedQuery(name: string): boolean {
  return RESERVED_QUERIES.has(name.toLowerCase());
}
