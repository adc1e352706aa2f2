import { z } from 'zod';
import { flag, needed, optional, text } from './member.ts';

/** Who asks: keys, and sessions of players. */

export const SCOPES = ['endpoints', 'queries', 'collections', 'workflows', 'game_values', 'rate_limits', 'settings'] as const;

export const permissions = z
  .partialRecord(z.enum(SCOPES), z.string().regex(/^(none|[rwx]{1,3})$/i))
  .nullable()
  .meta({ id: 'Permissions', description: 'Scope → letters of `rwx`, or `none`. `null`: everything.' });

export const key = z
  .strictObject({
    id: needed(text, 'Names the key.'),
    kind: needed(z.enum(['public', 'secret']), 'Games hold public keys, servers and tools secret ones.'),
    label: needed(z.string(), 'What people call it.'),
    display: needed(text, 'A public key as it is; of a secret one, both ends.'),
    enabled: needed(flag, 'Whether it is taken.'),
    permissions: needed(permissions, 'What a secret key may do.'),
  })
  .meta({ id: 'Key', description: 'A key of a project.' });

export const session = z
  .strictObject({
    sessionId: needed(text, 'Names the session.'),
    player: needed(text, 'The player who was proven.'),
    token: optional(text, 'What the player sends. Told once, and stored nowhere.'),
    expiresAt: needed(z.iso.datetime(), 'When it ends.'),
  })
  .meta({ id: 'Session', description: 'A player who has proven who they are, for a while.' });
