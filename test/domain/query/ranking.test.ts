import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../infra/harness/numbers.ts';
import { Ranking } from '../../../src/domain/query/ranking.ts';

/** A naive ranking: all rows, sorted again at every look. */
class Naive {
  readonly rows = new Map<string, { readonly rank: number; readonly reached: number }>();

  get sorted() {
    return [...this.rows]
      .map(([key, place]) => ({ key, ...place }))
      .sort((a, b) => a.rank - b.rank || a.reached - b.reached || (a.key < b.key ? -1 : 1));
  }
}

function same(ranking: Ranking, naive: Naive, from: number, count: number): void {
  const { sorted } = naive;
  expect(ranking.size).toBe(sorted.length);
  expect(ranking.slice(from, count)).toEqual(sorted.slice(from, from + count));
  expect(ranking.last).toEqual(sorted.at(-1));
  for (const [index, { key }] of sorted.entries()) expect(ranking.indexOf(key)).toBe(index);
}

const step = fc.record({
  key: fc.integer({ min: 0, max: 30 }),
  rank: fc.option(fc.integer({ min: -3, max: 3 })),
  reached: fc.integer({ min: 1, max: 4 }),
});

test('rows are in the order of a full sort, whatever is added, moved, tied and removed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.nat(30), fc.nat(30), (steps, from, count) => {
      const [ranking, naive] = [new Ranking(), new Naive()];
      for (const { key, rank, reached } of steps) {
        if (rank === null) {
          ranking.delete(`k${key}`);
          naive.rows.delete(`k${key}`);
        } else {
          ranking.set({ key: `k${key}`, rank, reached });
          naive.rows.set(`k${key}`, { rank, reached });
        }
      }
      same(ranking, naive, from, count);
      expect(ranking.indexOf('nobody')).toBeNull();
      if (naive.rows.size === 0) expect(ranking.bytes).toBe(0);
    }),
  );
});

test('so they are over many blocks, and removed rows leave nothing behind', () => {
  const random = seededRandom(5);
  const [ranking, naive] = [new Ranking(), new Naive()];
  const key = () => `k${Math.floor(random() * 6_000)}`;
  for (let n = 0; n < 20_000; n += 1) {
    const [name, rank, reached] = [key(), Math.floor(random() * 200) - 100, Math.floor(random() * 20)];
    ranking.set({ key: name, rank, reached });
    naive.rows.set(name, { rank, reached });
  }
  for (let n = 0; n < 8_000; n += 1) {
    const name = key();
    ranking.delete(name);
    naive.rows.delete(name);
  }
  same(ranking, naive, 700, 2_100);
  for (const name of [...naive.rows.keys()]) ranking.delete(name);
  expect([ranking.size, ranking.bytes, ranking.last, ranking.slice(0, 5)]).toEqual([0, 0, undefined, []]);
});
