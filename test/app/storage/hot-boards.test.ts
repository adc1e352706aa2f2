import fc from 'fast-check';
import { expect, test } from 'vitest';
import { weightOf } from '../../../src/app/storage/hot-boards.ts';
import { Ranking } from '../../../src/domain/query/ranking.ts';

test('a board of any rows weighs a whole number of bytes, or the memory for boards would not take it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 40 }), { maxLength: 60 }), fc.nat(100_000), (keys, textBytes) => {
      const ranking = new Ranking();
      for (const [rank, key] of keys.entries()) ranking.set({ key, rank, reached: rank });
      expect(Number.isInteger(weightOf(ranking, textBytes))).toBe(true);
    }),
  );
});
