import { expect, test } from 'vitest';
import { cached } from '../../src/kernel/cached.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the value is made once for all callers, and again when it has expired', async () => {
  let now = 0;
  let made = 0;
  const ask = cached(
    async () => ++made,
    1_000,
    () => now,
  );
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  now = 999;
  expect(await ask()).toBe(1);
  now = 1_000;
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
});

test('no second call begins while one is under way, however long it takes', async () => {
  let now = 0;
  let made = 0;
  let done = (_text: string): void => undefined;
  const ask = cached(
    () => {
      made += 1;
      return new Promise<string>((resolve) => {
        done = resolve;
      });
    },
    1_000,
    () => now,
  );
  const first = ask();
  now = 60_000;
  const second = ask();
  done('made');
  expect([await first, await second, made]).toEqual(['made', 'made', 1]);
});

test('a failure is not cached', async () => {
  let made = 0;
  const ask = cached(
    async () => {
      made += 1;
      if (made === 1) throw new Error('not now');
      return made;
    },
    1_000,
    () => 0,
  );
  await expect(ask()).rejects.toThrow('not now');
  await settled();
  expect(await ask()).toBe(2);
});
