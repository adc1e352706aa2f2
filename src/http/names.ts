import { headerSpellings, memberSpellings } from '../domain/wire-names.ts';

/** All spellings of names, looked up once. The first one with a value counts. */
export const CLAIM_HEADERS = ['x-platform-id', 'x-platform-player-id'].flatMap(headerSpellings);
export const CLAIM_QUERIES = ['platformId', 'platformid'].flatMap(memberSpellings);
export const CLAIM_MEMBERS = memberSpellings('platformId');

/** Headers that carry a secret key, besides `x-api-key`. */
export const SECRET_HEADERS = ['x-secret-key', 'x-network-storage-secret', 'x-storage-secret-key', 'x-platform-secret-key'].flatMap(
  headerSpellings,
);

/** Headers that prove a player. The first one with a value counts. */
export const TOKEN_HEADERS = ['x-platform-token', 'x-platform-auth-token'].flatMap(headerSpellings);
export const SESSION_HEADERS: readonly string[] = ['x-auth-session', 'x-auth-session-token'];
export const SESSION_MEMBERS: readonly string[] = ['authSessionToken', 'sessionToken'];
