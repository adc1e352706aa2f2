/** Which keys open a route, and what a key has to be permitted. */

export const SCOPES = ['endpoints', 'queries', 'collections', 'workflows', 'game_values', 'rate_limits', 'settings'] as const;

export type Scope = (typeof SCOPES)[number];

/** `r`: list and read. `rw`: change. `x`: run, and direct access to documents. */
export type Level = 'r' | 'rw' | 'x';

/** Permissions of a secret key: all of the scopes, and what their letters must hold. */
export interface Need {
  readonly scopes: readonly Scope[];
  readonly level: Level;
}

/** Where a family of routes takes its key from, what the key must be, and what a disabled one is answered. */
export interface KeyRules {
  /** The headers and query parameters that may carry it. */
  readonly carriers: 'runtime' | 'endpoints' | 'queries' | 'management' | 'management headers';
  readonly disabledKey: 'KEY_DISABLED' | 'UNAUTHORIZED';
  readonly disabledProject: 'PROJECT_DISABLED' | 'DISABLED';
  /** Of a secret key. */
  readonly needs: Need | null;
  /** What else lets a request through: a public key its collection, one to append to the collection's own word, any key the project's sessions. */
  readonly guard?: 'collection' | 'append' | 'sessions';
}

/** Running tests needs them, `x` each. */
export const RUN_SCOPES: readonly Scope[] = ['endpoints', 'queries', 'collections'];
/** Everything that can be staged: promoting, rolling back and looking at it needs them all. */
const STAGED: readonly Scope[] = ['endpoints', 'collections', 'workflows', 'queries', 'game_values', 'rate_limits'];

export const DOCUMENT_KEYS: KeyRules = {
  carriers: 'runtime',
  disabledKey: 'KEY_DISABLED',
  disabledProject: 'PROJECT_DISABLED',
  needs: { scopes: ['collections'], level: 'x' },
  guard: 'collection',
};
export const APPEND_KEYS: KeyRules = { ...DOCUMENT_KEYS, guard: 'append' };
/** Save records: the rights of documents, but a disabled key is no key. */
export const RECORD_KEYS: KeyRules = { ...DOCUMENT_KEYS, disabledKey: 'UNAUTHORIZED' };
/** Lists, single records, ledgers, values and rate limits: any valid key. */
export const VIEW_KEYS: KeyRules = { carriers: 'runtime', disabledKey: 'UNAUTHORIZED', disabledProject: 'PROJECT_DISABLED', needs: null };
/** Reports of games: any key, public or secret; a disabled one is told so. */
export const REPORT_KEYS: KeyRules = { ...VIEW_KEYS, disabledKey: 'KEY_DISABLED' };
export const SESSION_KEYS: KeyRules = { ...VIEW_KEYS, guard: 'sessions' };
/** A game that starts asks which revision is current: any enabled key. */
export const INIT_KEYS: KeyRules = VIEW_KEYS;
export const ENDPOINT_KEYS: KeyRules = {
  carriers: 'endpoints',
  disabledKey: 'KEY_DISABLED',
  disabledProject: 'PROJECT_DISABLED',
  needs: { scopes: ['endpoints'], level: 'x' },
};
/** The permission depends on the query, so the use case asks for it. */
export const QUERY_KEYS: KeyRules = { carriers: 'queries', disabledKey: 'UNAUTHORIZED', disabledProject: 'DISABLED', needs: null };

/** A secret key that may do nothing in particular: the route asks for no permission, or the body says for which. */
export const ANY_SECRET_KEY: KeyRules = {
  carriers: 'management',
  disabledKey: 'UNAUTHORIZED',
  disabledProject: 'PROJECT_DISABLED',
  needs: null,
};
/** What concerns the whole project. */
export const EVERYTHING_READ = managementKeys('r', ...SCOPES);
export const EVERYTHING_WRITTEN = managementKeys('rw', ...SCOPES);
export const STAGED_READ = managementKeys('r', ...STAGED);
export const STAGED_WRITTEN = managementKeys('rw', ...STAGED);
/** The game's package, whose sync takes no key out of an address. */
export const PACKAGE_KEYS: KeyRules = { ...EVERYTHING_WRITTEN, carriers: 'management headers' };
/** Dry runs of what a game could call. */
export const RUN_KEYS = managementKeys('x', ...RUN_SCOPES);

/** A secret key with a permission in all of these scopes. */
export function managementKeys(level: Level, ...scopes: readonly Scope[]): KeyRules {
  return { ...ANY_SECRET_KEY, needs: { scopes, level } };
}

/** Whether only a secret key of the project opens it. */
export function takesSecretKey({ carriers }: KeyRules): boolean {
  return carriers === 'management' || carriers === 'management headers';
}
