import { afterEach, expect, test, vi } from 'vitest';
import { errorMessage, throttled } from '../../src/kernel/error-reporting.ts';

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [new Error('no such place\nlook elsewhere'), 'no such place\nlook elsewhere'],
  [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new RangeError(), 'RangeError'],
  ['a text', 'a text'],
  [{ args: ['AUTH', 'secret'] }, 'unknown error'],
])('the reason of %j', (error, reason) => {
  expect(errorMessage(error)).toBe(reason);
});

test('a failure that repeats is reported at once, and then at intervals', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const told: number[] = [];
  const tell = throttled((n: number) => told.push(n), 1000);
  for (let n = 0; n < 25; n += 1) {
    tell(n);
    vi.advanceTimersByTime(100);
  }
  expect(told).toEqual([0, 10, 20]);
});
