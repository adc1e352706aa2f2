import { z } from 'zod';
import { GUEST_KEYS } from '../credentials.ts';
import { AS_PLAYER, PLAYER, POSITION_HEADER } from '../parameters.ts';
import { type Route, route } from '../route.ts';
import { instant, ok, playerId } from '../values.ts';

const Device = z.strictObject({
  id: z.string(),
  joinedAt: instant,
  asks: z.boolean().meta({ description: 'It is the device that asks' }),
});

const guest = {
  ok,
  player: z.string().meta({ description: 'Id of the guest: the player in everything else' }),
  device: z.string().meta({ description: 'Id of the device that asks' }),
  devices: z.array(Device).meta({ description: 'In the order in which they came' }),
  account: z.string().nullable().meta({ description: 'Id of the account that lets devices in' }),
  hasCode: z.boolean().meta({ description: 'Whether there is a recovery code that was not used' }),
};

const Guest = z.strictObject(guest).meta({ id: 'Guest', description: 'A player whom devices prove' });
const GuestWithCode = z
  .strictObject({ ...guest, code: z.string().meta({ description: 'Shown here and nowhere else: what the player writes down' }) })
  .meta({ id: 'GuestWithCode', description: 'The same, with a new recovery code' });

const A_DEVICE = 'the id of a device, as the list of devices shows it';

const Account = z
  .strictObject({
    platformId: playerId.meta({ description: 'Id of a player' }),
    token: z.string().min(1).meta({ description: 'What proves it to the verifier of the installation' }),
  })
  .meta({ id: 'Account', description: 'A player of a platform or a login, with its proof' });

const WithAccount = z.strictObject({ account: Account }).meta({ id: 'WithAccount', description: 'The account' });
const WithCode = z.strictObject({ code: z.string().min(1).meta({ description: 'A recovery code, however it is typed' }) });
const Invitation = z
  .union(
    [WithCode, z.strictObject({ account: Account })],
    '`{code}`, a recovery code, or `{account: {platformId, token}}`, and nothing else',
  )
  .meta({ id: 'Invitation', description: 'What lets the device in: a recovery code, or the account that the guest is linked to' });
export const Revoking = z
  .strictObject({ device: z.string(A_DEVICE).min(1, A_DEVICE).meta({ description: 'Its id' }) })
  .meta({ id: 'Revoking', description: 'The device to shut out' });

const Hosted = z
  .strictObject({ host: playerId.meta({ description: 'Id of the player who hosts the game' }) })
  .meta({ id: 'Hosted', description: 'Whom the pass is for' });
const GuestPass = z
  .strictObject({
    ok,
    player: guest.player,
    host: z.string(),
    pass: z.string().meta({ description: 'What the host sends as `x-on-behalf-of-token`' }),
    expiresInSeconds: z.int(),
  })
  .meta({ id: 'GuestPass', description: 'What proves the guest through one host' });

const { 'x-platform-id': player, 'x-platform-token': token } = AS_PLAYER;
const secret = token.meta({
  description: "The device's secret: `ns_guest_` and 32 random bytes as 43 characters of base64url. The device makes it, and keeps it",
});
const SECRET = 'ns_guest_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const ID = 'guest-e10f1675f59be31b9eefe8b2d9a3bdab';
const DEVICE = { id: 'c24e35bf8b56c8c8', joinedAt: '2026-03-01T12:00:00.000Z', asks: true };
const ANSWER = { ok: true, player: ID, device: DEVICE.id, devices: [DEVICE], account: null, hasCode: false };

/** What all routes of guests share. */
const COMMON = {
  family: 'guests',
  tag: 'Players',
  keys: GUEST_KEYS,
  answerHeaders: POSITION_HEADER,
  idempotent: false,
} as const;
const ERRORS = ['GUESTS_DISABLED', 'GUEST_CONFLICT'] as const;
const AS_GUEST = { 'x-platform-id': player, 'x-platform-token': secret } as const;
const AS_DEVICE = { 'x-platform-token': secret } as const;
const EXAMPLE = { headers: { 'x-platform-id': ID, 'x-platform-token': SECRET }, answer: ANSWER } as const;

function body<Schema extends z.ZodType>(schema: Schema) {
  return { schema, required: true } as const;
}

/** What linking an account and unlinking it share. */
const OF_ACCOUNT = {
  ...COMMON,
  method: 'POST',
  headers: AS_GUEST,
  body: body(WithAccount),
  answers: { 200: Guest },
  errors: ERRORS,
  writes: true,
  refusesKey: true,
} as const;

export const guests = {
  register: route({
    ...COMMON,
    id: 'registerGuest',
    method: 'POST',
    path: '/:project/register',
    summary: "Make a player of a device's secret",
    description: 'The same secret is the same player, so it may be sent again.',
    headers: AS_DEVICE,
    answers: { 200: Guest },
    errors: [...ERRORS, 'RATE_LIMITED'],
    writes: true,
    example: { headers: { 'x-platform-token': SECRET }, answer: ANSWER },
  }),
  join: route({
    ...COMMON,
    id: 'joinGuest',
    method: 'POST',
    path: '/:project/join',
    summary: 'Make another device one of a guest’s',
    description: 'By a recovery code, which works once, or by the account that the guest is linked to.',
    headers: AS_DEVICE,
    body: body(Invitation),
    answers: { 200: Guest },
    errors: [...ERRORS, 'GUEST_CODE_INVALID', 'GUEST_NOT_LINKED'],
    writes: true,
    refusesKey: true,
  }),
  link: route({
    ...OF_ACCOUNT,
    id: 'linkGuest',
    path: '/:project/link',
    summary: 'Link an account, which lets devices in from then on',
    description: 'The guest keeps its id and its data; the account is no other name of it.',
  }),
  unlink: route({
    ...OF_ACCOUNT,
    id: 'unlinkGuest',
    path: '/:project/unlink',
    summary: 'Unlink the account, which is proven once more',
  }),
  issueCode: route({
    ...COMMON,
    id: 'issueGuestCode',
    method: 'POST',
    path: '/:project/code',
    summary: 'Make a recovery code; the one before is void',
    headers: AS_GUEST,
    answers: { 200: GuestWithCode },
    errors: ERRORS,
    writes: true,
    refusesKey: true,
    example: { ...EXAMPLE, answer: { ...ANSWER, hasCode: true, code: '7QK2-0H4M-9XTZ-1CVB-N5P8-R3SD-6WEY' } },
  }),
  show: route({
    ...COMMON,
    id: 'showGuest',
    method: 'GET',
    path: '/:project/devices',
    summary: 'The devices of a guest, and what else leads to it',
    headers: AS_GUEST,
    answers: { 200: Guest },
    errors: ['GUESTS_DISABLED'],
    example: EXAMPLE,
  }),
  pass: route({
    ...COMMON,
    id: 'passGuest',
    method: 'POST',
    path: '/:project/pass',
    summary: 'A pass, which proves the guest through the host of a game for some minutes',
    description: 'A device gives its secret to nobody. A pass is good for one host, until it ends or the device is shut out.',
    headers: AS_GUEST,
    body: body(Hosted),
    answers: { 200: GuestPass },
    answerHeaders: {},
    errors: ['GUESTS_DISABLED', 'INVALID_PLATFORMID'],
    example: {
      ...EXAMPLE,
      body: { host: PLAYER },
      answer: {
        ok: true,
        player: ID,
        host: PLAYER,
        expiresInSeconds: 600,
        pass: `ns_pass_${ID.slice(6)}.${DEVICE.id}.1772366400000.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8`,
      },
    },
  }),
  revoke: route({
    ...COMMON,
    id: 'revokeGuestDevice',
    method: 'POST',
    path: '/:project/revoke',
    summary: 'Shut a device out, with every session that it opened',
    headers: AS_GUEST,
    body: body(Revoking),
    answers: { 200: Guest },
    errors: ERRORS,
    writes: true,
    refusesKey: true,
    example: { ...EXAMPLE, body: { device: 'fedcba9876543210' } },
  }),
} as const satisfies Readonly<Record<string, Route>>;
