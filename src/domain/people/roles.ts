import { KEY_SCOPES, type Scope } from '../../contract/credentials.ts';
import type { ROLES } from '../../contract/events/people.ts';
import type { Permissions } from '../events.ts';

/** Roles of people in a project: named sets of the permissions that secret keys have. */

export type Role = (typeof ROLES)[number];

/** What the game is made of, to be read. */
const READ = {
  endpoints: 'r',
  queries: 'r',
  collections: 'r',
  workflows: 'r',
  game_values: 'r',
  rate_limits: 'r',
  settings: 'r',
} as const;

const EVERYTHING = Object.fromEntries(KEY_SCOPES.map((scope) => [scope, 'rwx'])) as Readonly<Record<Scope, string>>;

const PERMISSIONS = {
  owner: EVERYTHING,
  manager: {
    endpoints: 'rwx',
    queries: 'rwx',
    collections: 'rwx',
    workflows: 'rw',
    game_values: 'rw',
    rate_limits: 'rw',
    settings: 'rw',
    economy: 'r',
    players: 'r',
    history: 'r',
    approve: 'rw',
  },
  designer: { ...READ, endpoints: 'rwx', queries: 'rwx', workflows: 'rw', game_values: 'rw', rate_limits: 'rw', economy: 'r' },
  support: {
    ...READ,
    queries: 'rx',
    collections: 'rx',
    players: 'rw',
    history: 'r',
    restore: 'rw',
    correction: 'rw',
    reveal: 'r',
    buttons: 'x',
  },
  auditor: { ...READ, queries: 'rx', players: 'r', history: 'r', economy: 'r', access: 'r' },
  viewer: READ,
} as const satisfies Readonly<Record<Role, Readonly<Partial<Record<Scope, string>>>>>;

/** What a role may do in its project. */
export function permissionsOf(role: Role): NonNullable<Permissions> {
  return PERMISSIONS[role];
}
