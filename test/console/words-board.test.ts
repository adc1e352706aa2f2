import { expect, test } from 'vitest';
import { isSetBy, orderOf, whyRanked } from '../../src/console/words/board.ts';

const ROWS = [
  { rank: 1, key: 'cy', value: 90 },
  { rank: 2, key: 'ada', value: 50 },
  { rank: 3, key: 'bo', value: 50 },
];

test('a rank is explained by its neighbours, and a tie by who came first', () => {
  expect(whyRanked(ROWS, 'cy')).toEqual(['No row stands above it.', 'ada stands below it, as number 2, with 50.']);
  expect(whyRanked(ROWS, 'bo')[0]).toBe(
    'ada stands above it, as number 2, with the same value: ada came to it earlier, and of equal values the one that was reached first stands first.',
  );
  expect(whyRanked(ROWS, 'ada')[1]).toMatch(/bo came to it later/);
  expect(whyRanked(ROWS, 'nobody')).toEqual([]);
});

test('which values come first is what the rows show', () => {
  expect([orderOf(ROWS), orderOf(ROWS.toReversed()), orderOf(ROWS.slice(1)), orderOf([])]).toEqual(['highest', 'lowest', null, null]);
});

test('a value is set by the change that gave it to the field, to what holds it, or to the whole document', () => {
  expect(isSetBy({ fields: [{ path: '/stats/wins', after: 3 }] }, 'stats.wins', 3)).toBe(true);
  expect(isSetBy({ fields: [{ path: '/stats', after: { wins: 3 } }] }, 'stats.wins', 3)).toBe(true);
  expect(isSetBy({ fields: [{ path: '', after: { stats: { wins: 3 } } }] }, 'stats.wins', 3)).toBe(true);
  expect(
    isSetBy(
      {
        fields: [
          { path: '/stats', after: { wins: 4 } },
          { path: '/statsX', after: 3 },
        ],
      },
      'stats.wins',
      3,
    ),
  ).toBe(false);
  expect(isSetBy({}, 'gold', 3)).toBe(false);
});
