import { memberSpellings } from '../wire-names.ts';

/**
 * Query names that clients and their tools add, in lower case. They never become input of an endpoint, and do not change the meaning of a
 * request.
 */
const RESERVED_QUERIES: ReadonlySet<string> = new Set(
  [
    'apiKey',
    'token',
    'authSessionToken',
    'sessionToken',
    'encryptedRequestId',
    'secretKey',
    'networkStorageSecret',
    'network_storage_secret_key',
    'secret-key',
    'revisionTarget',
    'includeStaged',
    'v',
    ...['platformId', 'platformid'].flatMap(memberSpellings),
  ].map((name) => name.toLowerCase()),
);

export function isReservedQuery(name: string): boolean {
  return RESERVED_QUERIES.has(name.toLowerCase());
}
