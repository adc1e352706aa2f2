import { z } from 'zod';
import { space } from './document.ts';
import { absent, event, hash, json, list, members, object, time } from './shape.ts';

/** Events of guests, sessions, sealed requests and kept answers. */

export const requestIdentityType = z.enum(['session', 'platform']);

/** Not strict, because older builds may have stored more members. */
const saidToo = z.object({
  error: absent(object, 'Further members of `error`'),
  body: absent(object, 'Further members of the body'),
  retryAfter: absent(z.number(), 'Seconds after which the same request may succeed'),
  forGame: absent(z.literal(true), 'The rules of the game said no, and the answer may be 200'),
  headers: absent(object, 'Of older builds: `Retry-After`'),
  httpStatus: absent(z.number(), 'Of older builds: 200 for `forGame`'),
});

export const keptRefusal = members({
  status: z.int(),
  code: z.string(),
  message: z.string(),
  requestId: z.string().meta({ description: 'Of the request that was refused' }),
  extra: absent(saidToo, 'What else the refusal said'),
});

/** The stored refusal of a request. */
export const refusedOutcome = z.object({ refused: keptRefusal });

const session = {
  sessionId: z.string(),
  player: z.string(),
  hash: hash.meta({ description: 'SHA-256 of the token' }),
  expiresAt: time,
};
const guest = z.string().meta({ description: 'Id of the guest: a player' });
const account = z.string().meta({ description: 'Id of a player that another verifier proves' });
const device = hash.meta({ description: 'SHA-256 of the secret of a device' });
const code = hash.meta({ description: 'SHA-256 of the code' });

export const ACCESS_EVENTS = {
  'guest.registered': event('A device made a secret, and a guest begins.', members({ guest, hash: device })),
  'guest.joined': event(
    'Another device is let in.',
    members({
      guest,
      hash: device,
      code: absent(hash, 'Hash of the recovery code that let it in, which is used up'),
      account: absent(z.string(), 'Account that let it in'),
    }),
  ),
  'guest.codeIssued': event(
    'A recovery code; the one before is void.',
    members({ guest, hash: code, device: absent(hash, 'SHA-256 of the secret of the device that asked for it') }),
    [members({ guest, hash: code })],
  ),
  'guest.linked': event('An account becomes another way to the guest.', members({ guest, account })),
  'guest.unlinked': event('The account no longer leads to the guest.', members({ guest, account })),
  'guest.deviceRevoked': event(
    'A device is shut out, with every session that it opened.',
    members({ guest, hash: device, code: absent(hash, 'SHA-256 of the recovery code that it had asked for, which is void') }),
    [members({ guest, hash: device })],
  ),
  'session.created': event(
    'A player has proven who they are.',
    members({ ...session, device: absent(z.string(), 'Device of a guest that opened it; it ends with the device') }),
    [members(session)],
  ),
  'session.refreshed': event(
    'A new session beside the one it was refreshed from.',
    members({
      family: z.string().meta({ description: 'Id of the first session' }),
      sessionId: z.string(),
      from: z.string(),
      hash,
      expiresAt: time,
    }),
  ),
  'session.revoked': event(
    'A session ends, with every one that was refreshed from it.',
    members({ family: z.string(), sessionIds: list(z.string()) }),
  ),
  'request.consumed': event(
    'A request id was used; it counts once for its identity.',
    members({ identityType: requestIdentityType, identity: z.string(), requestId: z.string(), until: time }),
  ),
  'access.swept': event('Sessions and request ids that had expired before are forgotten.', members({ before: time })),
  'answer.kept': event(
    'What a request with an `Idempotency-Key` came to.',
    members({
      space,
      scope: z.string().meta({ description: '`@{key id}`, or the collection that was appended to' }),
      caller: z.string(),
      key: z.string(),
      request: z.string().meta({ description: 'SHA-256 of what was asked for' }),
      until: time,
      answer: absent(json, 'What was answered; else `refused` is there'),
      refused: absent(keptRefusal, 'How it was refused'),
    }),
  ),
  'answers.swept': event('Answers that were kept until before are forgotten.', members({ before: time })),
  'publish.awaited': event(
    'A publish of one node waits until the others, which write what it reads, hold back for a moment.',
    members({ by: z.string().meta({ description: 'The writer that publishes' }) }),
  ),
} as const;
