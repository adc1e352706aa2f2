import { z } from 'zod';

/** Which keys open a route, and which permissions a key needs. */

/** Scopes of what a game is made of. Routes about the whole project need all of them. */
export const SCOPES = ['endpoints', 'queries', 'collections', 'workflows', 'game_values', 'rate_limits', 'settings'] as const;
/**
 * All scopes. `players`, `history` and `restore` are for support, and no key has them unless they were given: who makes a recovery code
 * (`players`) can play as that guest, `history` reads what was, also what a player has deleted since, and `restore` and `grant` change what
 * players have. `reveal` lets a person see personal values for a reason, and `access` reads which person looked at whose data; `approve` is
 * for people alone, who agree to what others staged, and with `x` go past that. `economy` shows what all players have together; `buttons`
 * with `x` runs the endpoints that have a button in the console, and no others; writes with `correction`, restores and grants pass the
 * limits of the game.
 */
export const KEY_SCOPES = [
  ...SCOPES,
  'economy',
  'correction',
  'players',
  'history',
  'restore',
  'grant',
  'access',
  'reveal',
  'approve',
  'buttons',
] as const;

export type Scope = (typeof KEY_SCOPES)[number];

const access = z
  .string()
  .regex(/^(?:none|[rwx]{0,3})$/i)
  .transform((letters) => letters.toLowerCase())
  .exactOptional();
const byScope = Object.fromEntries(KEY_SCOPES.map((scope) => [scope, access])) as Readonly<Record<Scope, typeof access>>;

/** What a secret key is permitted: scope → letters of `rwx`, or `none`. Other members do not count. */
export const permissions = z.object(byScope);

/** `r`: list and read. `rw`: change. `x`: run, and direct access to documents. */
export type Level = 'r' | 'rw' | 'x';

/** Permissions that a secret key needs: all of these scopes, each with this letter. */
export interface Need {
  readonly scopes: readonly Scope[];
  readonly level: Level;
  /** Permissions that do as well. */
  readonly or?: Need;
}

/** Where a family of routes reads its key, which keys it accepts, and how it refuses a disabled one. */
export interface KeyRules {
  /** The headers and query parameters that may carry the key. */
  readonly carriers: 'runtime' | 'endpoints' | 'queries' | 'management' | 'management headers';
  readonly disabledKey: 'KEY_DISABLED' | 'UNAUTHORIZED';
  readonly disabledProject: 'PROJECT_DISABLED' | 'DISABLED';
  /** Permissions that a secret key needs. */
  readonly needs: Need | null;
  /** What a person needs in place of that; `null`: a role in the project. Left out: the same. */
  readonly ofPeople?: Need | null;
  /**
   * What else is checked: the collection for a public key, its `publicAppend` for one that appends, its `history` for one that reads what
   * was, the project's session setting for any key (sessions, guests).
   */
  readonly guard?: 'collection' | 'append' | 'history' | 'sessions' | 'guests';
  /** Whether a key is refused whatever it may do: it is for people alone. */
  readonly onlyPeople?: true;
}

/** Scopes for running tests, `x` in each. */
export const RUN_SCOPES: readonly Scope[] = ['endpoints', 'queries', 'collections'];
/** Scopes of everything that can be staged. Promoting, rolling back and reading staged definitions needs all of them. */
const STAGED: readonly Scope[] = ['endpoints', 'collections', 'workflows', 'queries', 'game_values', 'rate_limits'];

/** To read documents: direct access to them, or the permission to read what was, which shows the same. */
export const READ_DOCUMENTS: Need = { scopes: ['collections'], level: 'x', or: { scopes: ['history'], level: 'r' } };

export const DOCUMENT_KEYS: KeyRules & { readonly needs: Need } = {
  carriers: 'runtime',
  disabledKey: 'KEY_DISABLED',
  disabledProject: 'PROJECT_DISABLED',
  needs: { scopes: ['collections'], level: 'x' },
  guard: 'collection',
};
export const APPEND_KEYS: KeyRules = { ...DOCUMENT_KEYS, guard: 'append' };
/** Save records: the rules of documents, but a disabled key counts as missing. */
export const RECORD_KEYS: KeyRules = { ...DOCUMENT_KEYS, disabledKey: 'UNAUTHORIZED' };
/** Lists, single records, ledgers, values, rate limits, and the revision that a starting game reads: any valid key. */
export const VIEW_KEYS: KeyRules = { carriers: 'runtime', disabledKey: 'UNAUTHORIZED', disabledProject: 'PROJECT_DISABLED', needs: null };
/** Reports of games, and live changes: any key, public or secret. A disabled key has its own refusal. */
export const REPORT_KEYS: KeyRules = { ...VIEW_KEYS, disabledKey: 'KEY_DISABLED' };
export const SESSION_KEYS: KeyRules = { ...VIEW_KEYS, guard: 'sessions' };
export const GUEST_KEYS: KeyRules = { ...VIEW_KEYS, guard: 'guests' };
export const ENDPOINT_KEYS: KeyRules = {
  carriers: 'endpoints',
  disabledKey: 'KEY_DISABLED',
  disabledProject: 'PROJECT_DISABLED',
  needs: { scopes: ['endpoints'], level: 'x' },
};
/** The query decides which permission is needed, so the use case checks it. */
export const QUERY_KEYS: KeyRules = { carriers: 'queries', disabledKey: 'UNAUTHORIZED', disabledProject: 'DISABLED', needs: null };

/** A secret key without a fixed permission: the route needs none, or the body decides. */
export const ANY_SECRET_KEY: KeyRules = {
  carriers: 'management',
  disabledKey: 'UNAUTHORIZED',
  disabledProject: 'PROJECT_DISABLED',
  needs: null,
};
/** Routes about the whole project. */
export const EVERYTHING_READ = managementKeys('r', ...SCOPES);
export const EVERYTHING_WRITTEN = managementKeys('rw', ...SCOPES);
export const STAGED_READ = managementKeys('r', ...STAGED);
export const STAGED_WRITTEN = managementKeys('rw', ...STAGED);
/** Who changes anything that can be staged, may ask for it to go live. */
export const STAGING_KEYS: KeyRules & { readonly needs: Need } = {
  ...ANY_SECRET_KEY,
  needs: STAGED.map((scope): Need => ({ scopes: [scope], level: 'rw' })).reduceRight((or, need) => ({ ...need, or })),
};
/** Who may be told what an id or a name is: whoever reads what was, or any kind of definition. */
export const EXPLAINING_KEYS: KeyRules & { readonly needs: Need } = {
  ...ANY_SECRET_KEY,
  needs: ['history' as const, ...STAGED]
    .map((scope): Need => ({ scopes: [scope], level: 'r' }))
    .reduceRight((or, need) => ({ ...need, or })),
};
/** Who agrees to what others staged. */
export const APPROVING_KEYS: KeyRules & { readonly needs: Need } = { ...managementKeys('rw', 'approve'), onlyPeople: true };
/** The game's package. Its sync takes no key from the query string. */
export const PACKAGE_KEYS: KeyRules = { ...EVERYTHING_WRITTEN, carriers: 'management headers' };
/** Dry runs of what a game could call. */
export const RUN_KEYS = managementKeys('x', ...RUN_SCOPES);

/** Who presses buttons of the console. Whoever calls any endpoint may call those that have one. */
export const BUTTON_KEYS: KeyRules & { readonly needs: Need } = {
  ...ANY_SECRET_KEY,
  needs: { scopes: ['buttons'], level: 'x', or: { scopes: ['endpoints'], level: 'x' } },
};

/** A secret key with a permission in all of these scopes. */
export function managementKeys(level: Level, ...scopes: readonly Scope[]): KeyRules & { readonly needs: Need } {
  return { ...ANY_SECRET_KEY, needs: { scopes, level } };
}

/** What a person needs; where any key opens a route of data: to read documents, or to write them. */
export function needOfPerson({ needs, ofPeople }: Pick<KeyRules, 'needs' | 'ofPeople'>, isOfData: boolean, method: string): Need | null {
  if (ofPeople !== undefined) return ofPeople;
  if (needs !== null || !isOfData) return needs;
  return method === 'GET' || method === 'HEAD' ? READ_DOCUMENTS : DOCUMENT_KEYS.needs;
}

/** Whether the routes prove their player by themselves, whatever the project requires. */
export function provesItself({ guard }: KeyRules): boolean {
  return guard === 'sessions' || guard === 'guests';
}

/** Whether only a secret key of the project opens the route. */
export function takesSecretKey({ carriers }: KeyRules): boolean {
  return carriers === 'management' || carriers === 'management headers';
}
