import { expect, it } from 'vitest';
import { RefusalShares } from '../../src/http/call-log/shares.ts';

const HOUR = 3_600_000;

it('a source has its share in each hour, and what is beyond it is told once the hour is over', () => {
  const told: unknown[] = [];
  const shares = new RefusalShares(2, (...missed) => told.push(missed));
  const taken = (source: string, at: number) => [1, 2, 3].map(() => shares.takes('p', source, at));
  expect([taken('a', HOUR), taken('b', HOUR + 1)]).toEqual([
    [true, true, false],
    [true, true, false],
  ]);
  expect(told).toEqual([]);
  expect(taken('a', 2 * HOUR)).toEqual([true, true, false]);
  expect(told).toEqual([['p', 2]]);
});

it('more sources than are counted have one share together, by project', () => {
  const shares = new RefusalShares(1, () => undefined);
  for (let n = 0; n < 20_000; n += 1) shares.takes('p', `${n}`, 0);
  expect([shares.takes('p', 'x', 0), shares.takes('p', 'y', 0), shares.takes('q', 'x', 0)]).toEqual([true, false, true]);
});
