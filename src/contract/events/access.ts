import { z } from 'zod';
import { space } from './document.ts';
import { absent, event, json, list, members, object, personalHash, personalText, plainText, playerText, time } from './shape.ts';

/** Events of guests, sessions, sealed requests and kept answers. */

export const requestIdentityType = z.enum(['session', 'platform']);

const saidToo = members({
  error: absent(object, 'Further members of `error`'),
  body: absent(object, 'Further members of the body'),
  retryAfter: absent(z.number(), 'Seconds after which the same request may succeed'),
  forGame: absent(z.literal(true), 'The rules of the game said no, and the answer may be 200'),
});

export const keptRefusal = members({
  status: z.int(),
  code: plainText,
  message: personalText,
  requestId: personalText.meta({ description: 'Of the request that was refused' }),
  extra: absent(saidToo, 'What else the refusal said'),
});

/** The stored refusal of a request. */
export const refusedOutcome = z.object({ refused: keptRefusal });

const session = {
  sessionId: personalText,
  player: playerText,
  hash: personalHash.meta({ description: 'SHA-256 of the token' }),
  expiresAt: time,
};
const guest = playerText.meta({ description: 'Id of the guest: a player' });
const account = playerText.meta({ description: 'Id of a player that another verifier proves' });
const device = personalHash.meta({ description: 'SHA-256 of the secret of a device' });
const code = personalHash.meta({ description: 'SHA-256 of the code' });

export const ACCESS_EVENTS = {
  'guest.registered': event('A device made a secret, and a guest begins.', members({ guest, hash: device })),
  'guest.joined': event(
    'Another device is let in.',
    members({
      guest,
      hash: device,
      code: absent(personalHash, 'Hash of the recovery code that let it in, which is used up'),
      account: absent(playerText, 'Account that let it in'),
    }),
  ),
  'guest.codeIssued': event(
    'A recovery code; the one before is void.',
    members({ guest, hash: code, device: absent(personalHash, 'SHA-256 of the secret of the device that asked for it') }),
  ),
  'guest.linked': event('An account becomes another way to the guest.', members({ guest, account })),
  'guest.unlinked': event('The account no longer leads to the guest.', members({ guest, account })),
  'guest.deviceRevoked': event(
    'A device is shut out, with every session that it opened.',
    members({ guest, hash: device, code: absent(personalHash, 'SHA-256 of the recovery code that it had asked for, which is void') }),
  ),
  'session.created': event(
    'A player has proven who they are.',
    members({ ...session, device: absent(personalText, 'Device of a guest that opened it; it ends with the device') }),
  ),
  'session.refreshed': event(
    'A new session beside the one it was refreshed from.',
    members({
      family: personalText.meta({ description: 'Id of the first session' }),
      sessionId: personalText,
      from: personalText,
      hash: personalHash,
      expiresAt: time,
    }),
  ),
  'session.revoked': event(
    'A session ends, with every one that was refreshed from it.',
    members({ family: personalText, sessionIds: list(personalText) }),
  ),
  'request.consumed': event(
    'A request id was used; it counts once for its identity.',
    members({ identityType: requestIdentityType, identity: playerText, requestId: personalText, until: time }),
  ),
  'access.swept': event('Sessions and request ids that had expired before are forgotten.', members({ before: time })),
  'answer.kept': event(
    'What a request with an `Idempotency-Key` came to.',
    members({
      space,
      scope: plainText.meta({ description: '`@{key id}`, or the collection that was appended to' }),
      caller: playerText,
      key: personalText,
      request: personalText.meta({ description: 'SHA-256 of what was asked for' }),
      until: time,
      answer: absent(json, 'What was answered; else `refused` is there'),
      refused: absent(keptRefusal, 'How it was refused'),
    }),
  ),
  'answers.swept': event('Answers that were kept until before are forgotten.', members({ before: time })),
  'publish.awaited': event(
    'A publish of one node waits until the others, which write what it reads, hold back for a moment.',
    members({ by: plainText.meta({ description: 'The writer that publishes' }) }),
  ),
} as const;
