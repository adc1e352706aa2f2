import { describe, expect, test } from 'vitest';
import {
  evolveKept,
  isKept,
  keptOutcome,
  keptRefusal,
  readKey,
  recall,
  rememberAnswer,
  repeatedRefusal,
  requestHash,
} from '../../../src/domain/idempotency/answers.ts';
import type { KeptOutcome } from '../../../src/domain/states.ts';
import { Refusal, refusal } from '../../../src/kernel/errors.ts';
import { decodeEvent, ExactNumber, encodeEvent } from '../../../src/kernel/json.ts';

const NOW = 1_700_000_000_000;
const DAY = 86_400_000;
const RULES = { forMs: DAY, bytes: 1000 };
const claim = { space: 'live', scope: '@key', caller: 'p1', key: 'k', request: requestHash({ buy: 'sword' }) } as const;

function kept(outcome: KeptOutcome) {
  const event = rememberAnswer(claim, outcome, NOW, RULES);
  if (event?.type !== 'answer.kept') throw new Error('not kept');
  return evolveKept(event.data);
}

describe('given an answer that was kept', () => {
  const known = kept({ answer: { gold: 5 } });

  test('the same request within a day is answered with it', () => {
    expect(recall(claim, known, NOW + DAY - 1)).toEqual({ answer: { gold: 5 } });
  });

  test('another request under the key is refused, with what to do', () => {
    const other = recall({ request: requestHash({ buy: 'axe' }) }, known, NOW);
    expect(other).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_REUSED', message: expect.stringContaining('new key') });
  });

  test('after a day the key is unknown again', () => {
    expect(recall(claim, known, NOW + DAY)).toBe(null);
  });

  test('a request with members in another order is the same; one with another value, also an exact one, is not', () => {
    expect(requestHash({ a: 1, b: [2] })).toBe(requestHash({ b: [2], a: 1 }));
    expect(requestHash({ a: new ExactNumber('76561198000000001') })).not.toBe(requestHash({ a: new ExactNumber('76561198000000002') }));
  });
});

test('a refusal is repeated as it was, with the id of its first request, and marked, but without when to try again', () => {
  const extra = { error: { rule: 'r' }, body: { left: 0 }, forGame: true } as const;
  const first = new Refusal(429, 'RATE_LIMIT', 'too many', { ...extra, retryAfter: 60 });
  const { outcome } = kept({ refused: keptRefusal(first, 'req_1') });
  const stored = keptOutcome(decodeEvent(encodeEvent(outcome)));
  expect(stored).toEqual(outcome);
  const again = 'refused' in stored ? repeatedRefusal(stored.refused) : null;
  expect(again).toMatchObject({ status: 429, code: 'RATE_LIMIT', message: 'too many' });
  expect(again?.extra).toEqual({ ...extra, requestId: 'req_1' });
});

test('decided refusals are kept; failures of the server, and refusals that may pass in a moment, are not', () => {
  expect([refusal('RATE_LIMIT'), refusal('STALE_SAVE'), new Refusal(400, 'TOO_POOR', '')].map(isKept)).toEqual([true, true, true]);
  const passing = ['BUSY', 'ENDPOINT_EXECUTION_FAILED', 'WRITE_CONFLICT', 'RATE_LIMITED', 'QUOTA_EXCEEDED'] as const;
  expect(passing.filter((code) => isKept(refusal(code)))).toEqual([]);
});

test('an answer that is too large is not kept', () => {
  expect(rememberAnswer(claim, { answer: 'é'.repeat(500) }, NOW, RULES)).toBe(null);
  expect(rememberAnswer(claim, { answer: 'e'.repeat(500) }, NOW, RULES)).not.toBe(null);
});

test.each(['k', ' ~', 'x'.repeat(128), '1b671a64-40d5-491e-99b0-da01ff1f3341'])('a key: %j', (key) => {
  expect(readKey(key)).toBe(key);
});

test.each(['', 'x'.repeat(129), 'é', 'a\tb'])('not a key: %j', (key) => {
  expect(readKey(key)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
});
