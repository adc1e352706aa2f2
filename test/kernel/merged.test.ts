import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergedPage, type PartRead } from '../../src/kernel/merged.ts';

/** One list out of several that are read page by page, from a position on, with items between that nobody asked for. */

interface Entry {
  readonly at: number;
  readonly name: string;
  readonly isWanted: boolean;
}

/** Reads so many entries of a list from a position. */
function read(list: readonly Entry[], position: string | null, size: number): PartRead<string> {
  if (position === null) return { items: [], next: null, reached: 0 };
  const begin = position === '' ? 0 : Number(position);
  const seen = list.slice(begin, begin + size);
  const items = seen.flatMap(({ at, name, isWanted }, place) => (isWanted ? [{ item: name, at, after: String(begin + place + 1) }] : []));
  const end = begin + seen.length;
  return { items, next: end < list.length ? String(end) : null, reached: seen.at(-1)?.at ?? 0 };
}

/** All pages, one after the other. */
function pages(lists: readonly (readonly Entry[])[], sizes: readonly number[], limit: number) {
  const found: string[][] = [];
  let positions: readonly (string | null)[] = lists.map(() => '');
  for (let tries = 0; positions.some((position) => position !== null); tries += 1) {
    if (tries > 500) throw new Error('it makes no way');
    const size = (place: number) => sizes[(place + tries) % sizes.length] ?? 1;
    const parts = lists.map((list, place) => read(list, positions[place] ?? null, size(place)));
    const { items, next } = mergedPage(parts, positions, limit);
    found.push([...items]);
    positions = next;
  }
  return found;
}

const entry = fc.record({ at: fc.integer({ min: 0, max: 12 }), isWanted: fc.boolean() });
const lists = fc
  .array(fc.array(entry, { maxLength: 20 }), { minLength: 1, maxLength: 4 })
  .map((all) =>
    all.map((list, place) => list.toSorted((a, b) => b.at - a.at).map((each, at): Entry => ({ ...each, name: `${place}.${at}` }))),
  );

describe('several lists as one', () => {
  test('are the sorted union, each item once, whatever the sizes of pages', () => {
    fc.assert(
      fc.property(
        lists,
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        (all, sizes, limit) => {
          const union = all.flatMap((list, place) => list.filter(({ isWanted }) => isWanted).map((each) => ({ ...each, place })));
          const sorted = union.toSorted((a, b) => b.at - a.at || a.place - b.place);
          const found = pages(all, sizes, limit);
          expect(found.flat()).toEqual(sorted.map(({ name }) => name));
          expect(Math.max(0, ...found.map((page) => page.length))).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });

  test('say down to when everything is known', () => {
    const part = (at: number, next: string | null, reached: number): PartRead<string> => ({
      items: [{ item: `at ${at}`, at, after: 'x' }],
      next,
      reached,
    });
    const page = mergedPage([part(9, 'more', 8), part(5, null, 5)], ['', ''], 10);
    expect(page).toEqual({ items: ['at 9'], next: ['more', ''], reached: 8 });
    expect(mergedPage([part(9, null, 9), part(5, null, 5)], ['', ''], 10)).toEqual({
      items: ['at 9', 'at 5'],
      next: [null, null],
      reached: null,
    });
  });
});
