import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf } from '../../../src/domain/definition/release/difference.ts';
import { isObject, type Json } from '../../../src/kernel/json.ts';

const found = (before: Json, after: Json) => differenceOf(before, after, (name) => name !== 'sourceText')['fields'];
const fields = (before: Json, after: Json) => found(before, after).map(({ label: _, ...field }) => field);
const nameOf = (row: Json | undefined) => (isObject(row) ? row['name'] : undefined);

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
    expect(found({ steps: [a, b] }, { steps: [b, a] })).toEqual([
      { path: '/steps/1', label: 'steps › a › place', before: 1, after: 2, moved: true },
    ]);
    expect(fields({ steps: [a, b] }, { steps: [b] })).toEqual([{ path: '/steps/0', before: a }]);
  });

  const rows = (...told: (readonly [name: string, power: number])[]): Json => ({
    axes: told.map(([name, power]) => ({ item: name, power, unlocked: true })),
  });
  const axes = (before: Json, after: Json) => found(before, after).map(({ path: _, ...field }) => field);

  it('a row that is put on top is one new row, and the others stay what they are by their names', () => {
    expect(axes(rows(['Stone axe', 1], ['Moon axe', 9]), rows(['Twig', 0.5], ['Stone axe', 1], ['Moon axe', 9]))).toEqual([
      { label: 'axes › Twig', after: { item: 'Twig', power: 0.5, unlocked: true } },
    ]);
    expect(axes(rows(['Twig', 0.5], ['Stone axe', 1], ['Moon axe', 9]), rows(['Stone axe', 2], ['Moon axe', 9]))).toEqual([
      { label: 'axes › Twig', before: { item: 'Twig', power: 0.5, unlocked: true } },
      { label: 'axes › Stone axe › power', before: 1, after: 2 },
    ]);
  });

  it('a row that only its name tells apart from one that is gone was renamed', () => {
    expect(axes(rows(['Stone axe', 1], ['Moon axe', 9]), rows(['Moon axe', 9], ['Granite axe', 1]))).toEqual([
      { label: 'axes › Granite axe › item', before: 'Stone axe', after: 'Granite axe' },
      { label: 'axes › Granite axe › place', before: 1, after: 2, moved: true },
    ]);
  });

  it('of many rows that moved their order is told, not the place of each', () => {
    const all = [...'abcdefghijkl'].map((name) => [name, 1] as const);
    expect(axes(rows(...all), rows(...all.toReversed()))).toEqual([
      { label: 'axes › order', before: [...'abcdefghij'], after: [...'lkjihgfedc'], moved: true },
    ]);
  });

  it('without names equal items are the same, and the others by their place behind the same item', () => {
    const levels = (...told: (readonly [level: number, cost: number])[]): Json => ({ l: told.map(([level, cost]) => ({ level, cost })) });
    expect(fields(levels([1, 5], [2, 10]), levels([0, 1], [1, 5], [2, 12]))).toEqual([
      { path: '/l/2/cost', before: 10, after: 12 },
      { path: '/l/0', after: { level: 0, cost: 1 } },
    ]);
    expect(fields({ tags: ['a', 'b'] }, { tags: ['x', 'a', 'b'] })).toEqual([{ path: '/tags/0', after: 'x' }]);
    const twice = (...prices: number[]): Json => ({ l: prices.map((price) => ({ item: price > 8 ? 'shield' : 'sword', price })) });
    expect(fields(twice(1, 2), twice(9, 4, 2))).toEqual([
      { path: '/l/1/price', before: 1, after: 4 },
      { path: '/l/0', after: { item: 'shield', price: 9 } },
    ]);
  });

  it('cells of a row that is written as a list, and numbers of a list that stays as long, are what they are by their place', () => {
    expect(
      fields(
        { l: [['bow', 1, 2]] },
        {
          l: [
            ['sword', 1, 2, 3],
            ['bow', 2, 1],
          ],
        },
      ),
    ).toEqual([
      { path: '/l/1/1', before: 1, after: 2 },
      { path: '/l/1/2', before: 2, after: 1 },
      { path: '/l/0', after: ['sword', 1, 2, 3] },
    ]);
    expect(fields({ steps: [5, 10, 15] }, { steps: [10, 10, 20] })).toEqual([
      { path: '/steps/0', before: 5, after: 10 },
      { path: '/steps/2', before: 15, after: 20 },
    ]);
  });

  it('whatever rows of unlike names are put in, taken out and changed: just these are told', () => {
    const name = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text.trim() !== '');
    const row = fc.record({ name, now: fc.constantFrom('same', 'gone', 'new', 'changed'), power: fc.integer() });
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: (each) => each.name }), (made) => {
        const [was, is] = [made.filter(({ now }) => now !== 'new'), made.filter(({ now }) => now !== 'gone')];
        // No two rows have the same power, so no row that came looks like one that is gone.
        const listed = (of: typeof made, more: (now: string) => number): Json =>
          of.map((each) => ({ name: each.name, place: made.indexOf(each), power: each.power + more(each.now) }));
        const told = fields(
          listed(was, () => 0),
          listed(is, (now) => (now === 'changed' ? 1 : 0)),
        );
        const about = (now: string) => made.filter((each) => each.now === now).map((each) => each.name);
        expect(told.filter(({ before }) => before === undefined).map(({ after }) => nameOf(after))).toEqual(about('new'));
        expect(told.filter(({ after }) => after === undefined).map(({ before }) => nameOf(before))).toEqual(about('gone'));
        const changed = is.flatMap((each, place) => (each.now === 'changed' ? [`/${place}/power`] : []));
        expect(told.filter(({ before, after }) => before !== undefined && after !== undefined).map(({ path }) => path)).toEqual(changed);
        expect(told.some(({ moved }) => moved)).toBe(false);
      }),
    );
  });

  it('of rows in any other order, as few moved as explain it', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }), fc.nat(19), fc.nat(19), (order, from, to) => {
        const rest = order.filter((_, index) => index !== from);
        const moved = [...rest.slice(0, to), order[from] ?? 0, ...rest.slice(to)];
        const told = fields(
          order.map((id) => ({ id })),
          moved.map((id) => ({ id })),
        );
        expect(told.length).toBe(from === to ? 0 : 1);
      }),
    );
  });

  it('a table of 20 000 rows, equal names, long texts and deep values are compared in time by their size', () => {
    const many = (count: number, item: (index: number) => Json) => Array.from({ length: count }, (_, index) => item(index));
    const deep = (depth: number, value: Json): Json => (depth === 0 ? value : [1, deep(depth - 1, value)]);
    const unnamed = many(20_000, (price) => ({ price, power: price * 2 }));
    expect(
      fields(
        many(20_000, (price) => ({ name: 'x', price })),
        many(20_001, (price) => ({ name: 'x', price })),
      ),
    ).toHaveLength(1);
    expect(fields(unnamed, [{ price: -1 }, ...unnamed])).toHaveLength(1);
    expect(fields(deep(300, unnamed), deep(300, [...unnamed, 'x']))).toHaveLength(1);
    const long = (more: string) => many(8, (index) => ({ name: `${'n'.repeat(100_000)}${index}`, more }));
    expect(fields(long('a'), long('b'))).toHaveLength(8);
  });

  it('of wide rows without a name those that stand first and last are known again; of too much between them, each is what stands at its place', () => {
    const wide = (by: number): Json[] =>
      Array.from({ length: 250 }, (_, row) =>
        Object.fromEntries(Array.from({ length: 1000 }, (_, place) => [`m${place}`, row * place * by])),
      );
    const rows = wide(1);
    expect(fields({ rows }, { rows: [...rows.slice(0, 90), { m1: -1 }, ...rows.slice(90)] })).toEqual([
      { path: '/rows/90', after: { m1: -1 } },
    ]);
    const changed = rows.map((row, place) => (place % 2 === 0 ? row : { ...(row as object), m3: -place }));
    expect(fields({ rows }, { rows: changed })).toHaveLength(125);
    expect(differenceOf({ rows }, { rows: wide(2) }, () => true)).toMatchObject({ more: 249 * 999 - 200 });
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
