import { type Level, permissions, SCOPES, type Scope } from '../../contract/credentials.ts';
import { isObject, type Json, tryParseJson } from '../../kernel/json.ts';
import type { DefinitionKind, Permissions } from '../events.ts';
import { STAGED_KINDS } from '../kinds.ts';
import type { AccessKey } from '../states.ts';

/** What secret keys may do. Public keys have no permissions; each route has its own rules for them. */

/** The permissions of a new secret key when none are given. */
export const DEFAULT_PERMISSIONS: Permissions = {
  endpoints: 'rwx',
  queries: 'rwx',
  collections: 'rwx',
  workflows: 'rw',
  game_values: 'rw',
  rate_limits: 'rw',
  settings: 'rw',
  economy: 'r',
  correction: 'rw',
};

const KIND_SCOPES: Readonly<Record<DefinitionKind, readonly Scope[]>> = {
  endpoint: ['endpoints'],
  query: ['queries'],
  collection: ['collections'],
  workflow: ['workflows'],
  library: ['workflows'],
  'game-values': ['game_values'],
  'rate-limit-rules': ['rate_limits'],
  tests: SCOPES,
};

/** The scopes that managing a kind of definition needs; all of them. */
export function scopesOf(kind: DefinitionKind): readonly Scope[] {
  return KIND_SCOPES[kind];
}

/** The scopes for promotion, rollback and reading what is staged: those of all staged kinds. */
export const STAGED_SCOPES: readonly Scope[] = STAGED_KINDS.flatMap(scopesOf);

/** Whether a key has a permission. A key without a map may do everything; a scope missing in the map grants nothing. */
export function allows(key: AccessKey, scope: string, level: Level): boolean {
  if (key.kind === 'public' || key.permissions === null) return true;
  const access = Object.hasOwn(key.permissions, scope) ? key.permissions[scope] : undefined;
  if (access === undefined || access.toLowerCase() === 'none') return false;
  return [...level].every((letter) => access.toLowerCase().includes(letter));
}

/** Both together: each scope with the letters of either. A map that grants everything stays so. */
export function widened(before: Permissions, added: Permissions): Permissions {
  if (before === null || added === null) return null;
  const lettersOf = (map: NonNullable<Permissions>, scope: string) => {
    const access = (Object.hasOwn(map, scope) ? (map[scope] ?? '') : '').toLowerCase();
    return access === 'none' ? '' : access;
  };
  const entries = [...new Set([...Object.keys(before), ...Object.keys(added)])].map((scope) => {
    const both = lettersOf(before, scope) + lettersOf(added, scope);
    return [scope, ['r', 'w', 'x'].filter((letter) => both.includes(letter)).join('') || 'none'] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * A permission map as older stores and callers write it: an object, or JSON text of one. `undefined` if it is neither, so that nothing is
 * granted by mistake; `null` is the map that grants everything.
 */
export function readPermissions(raw: Json): Permissions | undefined {
  if (raw === null) return null;
  const value = typeof raw === 'string' ? tryParseJson(raw) : raw;
  return isObject(value) ? permissions.safeParse(value).data : undefined;
}
