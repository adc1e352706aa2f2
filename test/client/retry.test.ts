import { expect, test } from 'vitest';
import { readAnswer } from '../../src/client/answer.ts';
import { SavepointError } from '../../src/client/index.ts';
import { isTransient, pause, retryDelayMs, wasNotProcessed } from '../../src/client/retry.ts';

const error = (code: string, status = 0, retryAfterMs?: number) => new SavepointError(code, code, { status, retryAfterMs });

test.each([
  ['NETWORK_ERROR', 0],
  ['TIMEOUT', 0],
  ['RATE_LIMITED', 429],
  ['BUSY', 503],
  ['OUTCOME_UNKNOWN', 504],
  ['WRITE_CONFLICT', 409],
  ['HTTP_ERROR', 502],
  ['HTTP_ERROR', 504],
  ['INVALID_RESPONSE', 200],
])('%s %d may pass', (code, status) => {
  expect(isTransient(error(code, status))).toBe(true);
});

test.each([
  // A rule of the game, and its answer for as long as the key is kept.
  ['RATE_LIMIT', 429],
  ['STALE_SAVE', 409],
  ['TOO_POOR', 409],
  ['UNAUTHORIZED', 401],
  ['INTERNAL_ERROR', 500],
  ['HISTORY_MISMATCH', 503],
  ['HTTP_ERROR', 404],
  ['ABORTED', 0],
])('%s %d stays as it is', (code, status) => {
  expect(isTransient(error(code, status))).toBe(false);
});

test('an unavailable verifier is retried like a busy node; a refused token is not', () => {
  const unproven = (authFailureKind: string) =>
    new SavepointError('PLATFORM_AUTH_FAILED', '', { status: 401, details: { authFailureKind } });
  expect([isTransient, wasNotProcessed].map((is) => is(unproven('service_unavailable')))).toEqual([true, true]);
  expect([isTransient, wasNotProcessed].map((is) => is(unproven('token_rejected')))).toEqual([false, false]);
});

test('a request that must not happen twice is retried only if the server says that it did nothing', () => {
  expect(wasNotProcessed(error('BUSY', 503, 1000))).toBe(true);
  expect(wasNotProcessed(error('NETWORK_ERROR'))).toBe(false);
  expect(wasNotProcessed(error('OUTCOME_UNKNOWN', 504))).toBe(false);
});

test('delays double up to a bound, and jitter shortens them by up to half', () => {
  const pauses = [1, 2, 3, 4, 10, 99].map((attempt) => [0, 0.999].map((random) => retryDelayMs(attempt, error('BUSY'), () => random)));
  expect(pauses.map(([least = 0, most = 0]) => [least, Math.round(most)])).toEqual([
    [100, 200],
    [200, 400],
    [400, 800],
    [800, 1599],
    [2500, 4998],
    [2500, 4998],
  ]);
});

test('no retry comes before the time that the server asks for', () => {
  expect(retryDelayMs(1, error('BUSY', 503, 2000), () => 0)).toBe(2000);
});

test("a date in Retry-After counts by the server's clock, and one beyond the longest timer is not retried at once", async () => {
  const after = (headers: Record<string, string>) => {
    const read = readAnswer({ status: 429, headers: new Headers(headers), text: '' }, JSON.parse, false);
    return read.ok ? null : read.error.retryAfterMs;
  };
  const date = 'Sat, 01 Jan 2000 00:00:00 GMT';
  expect(after({ date, 'retry-after': 'Sat, 01 Jan 2000 00:00:07 GMT' })).toBe(7_000);
  expect(after({ date, 'retry-after': 'Fri, 31 Dec 1999 23:00:00 GMT' })).toBe(0);
  expect(after({ 'retry-after': 'tomorrow' })).toBeUndefined();
  const controller = new AbortController();
  const waiting = pause(after({ date, 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }) ?? 0, controller.signal);
  await pause(5);
  controller.abort();
  expect(await waiting).toBe(false);
});

test('a pause ends when its signal aborts', async () => {
  const controller = new AbortController();
  const waiting = pause(60_000, controller.signal);
  controller.abort();
  expect(await waiting).toBe(false);
  expect(await pause(60_000, controller.signal)).toBe(false);
  expect(await pause(1)).toBe(true);
});
