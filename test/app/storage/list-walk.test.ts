import { expect, test } from 'vitest';
import type { ListOrder } from '../../../src/app/storage/list-orders.ts';
import { boundsOf, type WalkAsked, walkOf } from '../../../src/app/storage/list-walk.ts';

const NOTHING: WalkAsked = { by: '_key', order: null, from: null, to: null, begins: null, is: null, cursor: null };
const KEY = { by: '_key', kind: 'key' } as const;
const TIME = { by: '_time', kind: 'time' } as const;
const number = (order: 'asc' | 'desc') =>
  ({ by: 'gold', kind: 'number', query: {}, board: { collectionId: 'saves', field: 'gold', order } }) as Extract<
    ListOrder,
    { kind: 'number' }
  >;
const END = Number.MAX_SAFE_INTEGER;

test('keys begin at the bound that is nearest, from either end', () => {
  expect(walkOf(KEY, { ...NOTHING, begins: 'a', from: 'ab', to: 'c' })).toEqual({
    order: 'asc',
    from: { place: ['ab'], isIncluded: true },
    until: 'a\u{10FFFF}',
  });
  expect(walkOf(KEY, { ...NOTHING, order: 'desc', to: 'c' })).toEqual({
    order: 'desc',
    from: { place: ['c'], isIncluded: true },
    until: null,
  });
});

test('a number is found by its rank: on a board of the highest first, the highest is the first of the index', () => {
  expect(walkOf(number('desc'), { ...NOTHING, from: '5', to: '9' })).toEqual({
    order: 'asc',
    from: { place: [-9, -1, ''], isIncluded: true },
    until: -5,
  });
  expect(walkOf(number('desc'), { ...NOTHING, order: 'asc', from: '5' })).toEqual({
    order: 'desc',
    from: { place: [-5, END, '\u{10FFFF}'], isIncluded: true },
    until: null,
  });
  expect(walkOf(number('asc'), { ...NOTHING, from: '5', to: '9' })).toEqual({
    order: 'desc',
    from: { place: [9, END, '\u{10FFFF}'], isIncluded: true },
    until: 5,
  });
});

test('a page goes on behind its cursor, within the same end', () => {
  expect(walkOf(TIME, { ...NOTHING, from: '100', cursor: '[200,7]' })).toEqual({
    order: 'desc',
    from: { place: [200, 7], isIncluded: false },
    until: 100,
  });
  for (const cursor of ['', '7', '[]', '[1]', '["1","2"]', '[1,2,3]', '[1.5,2]'])
    expect(() => walkOf(TIME, { ...NOTHING, cursor })).toThrow('`cursor`');
});

test('an export has the same bounds for documents that it passes by their keys', () => {
  expect(boundsOf(KEY, { ...NOTHING, begins: 'a' })).toEqual({
    keys: { low: 'a', high: 'a\u{10FFFF}' },
    field: null,
    low: null,
    high: null,
  });
  expect(boundsOf(number('desc'), { ...NOTHING, from: '5' })).toEqual({
    keys: { low: null, high: null },
    field: { path: 'gold' },
    low: 5,
    high: null,
  });
});
