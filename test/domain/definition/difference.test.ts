import { describe, expect, it } from 'vitest';
import { differenceOf } from '../../../src/domain/definition/release/difference.ts';
import type { Json } from '../../../src/kernel/json.ts';

const found = (before: Json, after: Json) => differenceOf(before, after, (name) => name !== 'sourceText')['fields'];
const fields = (before: Json, after: Json) => found(before, after).map(({ label: _, ...field }) => field);

describe('two forms of a definition, field by field', () => {
  it.each<[Json, Json, Json]>([
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [{ path: '/a/c', before: 2, after: 3 }]],
    [{ 'a/b': { '~': 1 } }, { 'a/b': {} }, [{ path: '/a~1b/~0', before: 1 }]],
    [
      { a: [1, 2] },
      { a: [1, 3, 4] },
      [
        { path: '/a/1', before: 2, after: 3 },
        { path: '/a/2', after: 4 },
      ],
    ],
    [{ a: null }, {}, [{ path: '/a', before: null }]],
    [{ a: [1] }, { a: { 0: 1 } }, [{ path: '/a', before: [1], after: { 0: 1 } }]],
    [{ a: 1, b: 2 }, { b: 2, a: 1.0 }, []],
    [[1], { items: [] }, [{ path: '', before: [1], after: { items: [] } }]],
  ])('%j to %j', (before, after, expected) => expect(fields(before, after)).toEqual(expected));

  it('compares steps by their ids: an inserted one is one change, and so is another order', () => {
    const [a, b, c] = [{ id: 'a', key: 1 }, { id: 'b' }, { id: 'c' }];
    expect(fields({ steps: [a, b] }, { steps: [c, { ...a, key: 2 }, b] })).toEqual([
      { path: '/steps/1/key', before: 1, after: 2 },
      { path: '/steps/0', after: c },
    ]);
    expect(fields({ steps: [a, b] }, { steps: [b, a] })).toEqual([{ path: '/steps', before: ['a', 'b'], after: ['b', 'a'] }]);
    expect(fields({ steps: [a, b] }, { steps: [b] })).toEqual([{ path: '/steps/0', before: a }]);
  });

  it('says where in words for people: the names of groups, rows and steps, and places where nothing has a name', () => {
    const values = (price: number, cells: Json, cost: number) => ({
      items: [
        { id: 'shop', name: 'Shop', type: 'table', columns: ['item', 'price'], rows: [{ item: 'sword', price }, cells] },
        { id: 'costs', entries: { tool: cost } },
      ],
    });
    const labels = (before: Json, after: Json) => found(before, after).map(({ label }) => label);
    expect(labels(values(30, ['bow', 1], 25), values(35, ['bow', 2], 30))).toEqual([
      'Shop › sword › price',
      'Shop › bow › #2',
      'costs › tool',
    ]);
    expect(labels({ steps: [{ id: 'pay', ops: [{ value: 1 }] }] }, { steps: [{ id: 'pay', ops: [{ value: 2 }] }] })).toEqual([
      'steps › pay › ops › #1 › value',
    ]);
    expect(labels({ schema: { tags: { items: { type: 'a' } } } }, { schema: { tags: { items: { type: 'b' } } } })).toEqual([
      'schema › tags › items › type',
    ]);
    expect(labels({}, { ['x'.repeat(99)]: 1 })).toEqual([`${'x'.repeat(60)}…`]);
  });

  it('is bounded in number and in length, and compares sources by their content', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, index]));
    expect(differenceOf({}, many, () => true)).toMatchObject({ more: 100 });
    expect(fields({}, many)).toHaveLength(200);
    expect(fields({ a: 1 }, { a: 'x'.repeat(5000) })).toEqual([{ path: '/a', before: 1, after: `"${'x'.repeat(999)}…` }]);
    expect(differenceOf({ sourceText: 'a' }, { sourceText: 'b' }, (name) => name !== 'sourceText')).toEqual({
      members: ['sourceText'],
      fields: [],
    });
  });
});
