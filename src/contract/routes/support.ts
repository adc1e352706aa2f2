import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { PLAYER } from '../parameters.ts';
import { type Route, route } from '../route.ts';
import { instant, ok } from '../values.ts';
import { Revoking } from './guests.ts';
import { about, pageSize } from './managed.ts';

/** What support does for players: finds them by name, and lets guests in again who lost their device. */

const PlayerFound = z
  .strictObject({
    platformId: z.string(),
    name: z.string().meta({ description: 'As the game reported it last' }),
    lastSeen: instant,
    online: z.boolean(),
  })
  .meta({ id: 'PlayerFound', description: 'A player who was found by name' });

const guestAccess = {
  ok,
  player: z.string().meta({ description: 'Id of the guest' }),
  devices: z.array(z.strictObject({ id: z.string(), joinedAt: instant })).meta({ description: 'In the order in which they came' }),
  account: z.string().nullable().meta({ description: 'Id of the account that lets devices in' }),
  hasCode: z.boolean().meta({ description: 'Whether there is a recovery code that was not used' }),
};
const GuestAccess = z.strictObject(guestAccess).meta({ id: 'GuestAccess', description: 'What leads to a guest' });
const GuestAccessWithCode = z
  .strictObject({ ...guestAccess, code: z.string().meta({ description: 'Shown here and nowhere else' }) })
  .meta({ id: 'GuestAccessWithCode', description: 'The same, with a new recovery code' });

/** Players that are asked by their ids at once. */
export const MAX_IDS = 100;

const GUEST = 'guest-e10f1675f59be31b9eefe8b2d9a3bdab';
const READ = { ...about, tag: 'Players', method: 'GET', keys: managementKeys('r', 'players'), idempotent: false } as const;
const CHANGE = {
  ...about,
  tag: 'Players',
  method: 'POST',
  keys: managementKeys('rw', 'players'),
  errors: ['NOT_FOUND'],
  writes: true,
  refusesKey: true,
  idempotent: false,
} as const;

const SHOWN = {
  ok: true,
  player: GUEST,
  devices: [{ id: 'c24e35bf8b56c8c8', joinedAt: '2026-03-01T12:00:00.000Z' }],
  account: null,
  hasCode: false,
} as const;

export const support = {
  find: route({
    ...READ,
    id: 'findPlayers',
    path: '/:project/players',
    summary: 'Players whose name begins so, whatever the letter case, or what players are called',
    description: 'Names are those that games report with heartbeats and events. A player without a report is not found.',
    query: {
      name: z
        .string()
        .min(1)
        .max(128)
        .meta({ description: 'How the name begins', examples: ['Ada'] }),
      ids: z
        .string()
        .min(1)
        .max(MAX_IDS * 129)
        .meta({
          description: `In place of \`name\`: ids of players, with commas between them, ${MAX_IDS} at most. Those with a name are told`,
        }),
      limit: pageSize,
    },
    answers: {
      200: z
        .strictObject({
          ok,
          players: z.array(PlayerFound),
          more: z.boolean().meta({ description: 'There are more: give more of the name' }),
        })
        .meta({ id: 'PlayersFound', description: 'In the order of their names' }),
    },
    errors: ['INVALID_REQUEST'],
    example: {
      query: { name: 'Ada' },
      answer: { ok: true, players: [{ platformId: PLAYER, name: 'Ada', lastSeen: '2026-03-01T12:00:00.000Z', online: true }], more: false },
    },
  }),
  show: route({
    ...READ,
    id: 'showGuestAccess',
    path: '/:project/guests/:player',
    summary: 'The devices of a guest, and what else leads to it',
    answers: { 200: GuestAccess },
    errors: ['NOT_FOUND'],
    example: {
      params: { player: GUEST },
      answer: SHOWN,
    },
  }),
  issueCode: route({
    ...CHANGE,
    id: 'issueGuestCodeForSupport',
    path: '/:project/guests/:player/code',
    summary: 'Make a recovery code for a guest; the one before is void',
    description: 'Whoever has the code plays as the guest. First make sure that it is the player who asks.',
    answers: { 200: GuestAccessWithCode },
    example: { params: { player: GUEST }, answer: { ...SHOWN, hasCode: true, code: '7QK2-0H4M-9XTZ-1CVB-N5P8-R3SD-6WEY' } },
  }),
  unlink: route({
    ...CHANGE,
    id: 'unlinkGuestForSupport',
    path: '/:project/guests/:player/unlink',
    summary: 'Unlink the account of a guest',
    answers: { 200: GuestAccess },
    errors: [...CHANGE.errors, 'GUEST_CONFLICT'],
    example: { params: { player: GUEST }, answer: SHOWN },
  }),
  revoke: route({
    ...CHANGE,
    id: 'revokeGuestDeviceForSupport',
    path: '/:project/guests/:player/revoke',
    summary: 'Shut a device of a guest out, with every session that it opened',
    body: { schema: Revoking, required: true },
    answers: { 200: GuestAccess },
    errors: [...CHANGE.errors, 'GUEST_CONFLICT', 'INVALID_BODY', 'INVALID_JSON'],
    example: { params: { player: GUEST }, body: { device: 'fedcba9876543210' }, answer: SHOWN },
  }),
} as const satisfies Readonly<Record<string, Route>>;
