import { describe, expect, test } from 'vitest';
import { applyChanges, applyOperations, OperationError, parseOperations } from '../../../src/domain/document/operations.ts';
import type { Operation } from '../../../src/domain/events.ts';
import { ExactNumber, type Json, type JsonObject } from '../../../src/kernel/json.ts';

const START: JsonObject = {
  gold: 10,
  tags: ['a', 'b', 'a'],
  bag: [
    { id: 'x', n: 1 },
    { id: 'y', n: 2 },
  ],
  s: { lvl: 3 },
};

function op(name: string, path: string, value?: Json, match?: Json): Operation {
  return { op: name, path, ...(value === undefined ? {} : { value }), ...(match === undefined ? {} : { match }) };
}

describe('the worked examples', () => {
  const examples: readonly [string, readonly Operation[], JsonObject, Record<string, number>][] = [
    ['inc adds', [op('inc', 'gold', 5)], { gold: 15 }, { gold: 5 }],
    ['inc downwards is no increase', [op('inc', 'gold', -12)], { gold: -2 }, {}],
    ['set down and up counts the way up', [op('set', 'gold', 7), op('set', 'gold', 9)], { gold: 9 }, { gold: 2 }],
    [
      'inc makes parents and snaps noise to zero',
      [op('inc', 'x.y', 0.1), op('inc', 'x.y', 0.2), op('inc', 'x.y', -0.3)],
      { x: { y: 0 } },
      { 'x.y': 0.30000000000000004 },
    ],
    ['push appends', [op('push', 'tags', 'c')], { tags: ['a', 'b', 'a', 'c'] }, {}],
    ['push replaces what is no list', [op('push', 's', 1)], { s: [1] }, {}],
    ['pull takes scalars by match.value', [op('pull', 'tags', undefined, { value: 'a' })], { tags: ['b'] }, {}],
    ['pull takes objects by members', [op('pull', 'bag', undefined, { id: 'x' })], { bag: [{ id: 'y', n: 2 }] }, {}],
    ['pull with an empty match takes every object', [op('pull', 'bag', undefined, {})], { bag: [] }, {}],
    ['remove takes objects by members', [op('remove', 'bag', { n: 2 })], { bag: [{ id: 'x', n: 1 }] }, {}],
    ['remove of a scalar leaves objects', [op('remove', 'bag', 'x')], {}, {}],
    ['delete is remove', [op('delete', 'tags', 'a')], { tags: ['b'] }, {}],
    ['merge overwrites members', [op('merge', 's', { lvl: 5, hp: 1 })], { s: { lvl: 5, hp: 1 } }, { 's.lvl': 2, 's.hp': 1 }],
    ['set_if_null only where nothing is', [op('set_if_null', 'gold', 99), op('set_if_null', 'gems', 4)], { gems: 4 }, { gems: 4 }],
    ['set null is a value', [op('set', 'gold', null)], { gold: null }, {}],
  ];

  test.each(examples)('%s', (_name, ops, changed, increases) => {
    const result = applyOperations(START, ops);
    expect(result.document).toEqual({ ...START, ...changed });
    expect(Object.fromEntries(result.increases)).toEqual(increases);
    expect(JSON.stringify(applyChanges(START, result.changes))).toBe(JSON.stringify(result.document));
  });

  const KNOWN = 'known are set, inc, push, pull, remove, delete, merge, set_if_null';
  const refused: readonly [string, readonly Operation[], string, number][] = [
    ['merge into a number', [op('merge', 'gold', { a: 1 })], 'merge needs an object to merge into', 0],
    ['set without a value', [op('set', 'gold')], 'set needs a value', 0],
    ['unknown name', [op('increment', 'gold', 1)], `unknown operation "increment"; ${KNOWN}`, 0],
    ['a name of Object.prototype', [op('toString', 'gold', 1)], `unknown operation "toString"; ${KNOWN}`, 0],
    ['inc with a text', [op('inc', 'gold', 1), op('inc', 'gold', '5')], 'inc needs a number', 1],
    ['pull without a match', [op('pull', 'bag', 'x')], 'pull needs an object match', 0],
    ['set_if_null without a value, also where something is', [op('set_if_null', 'gold')], 'set_if_null needs a value', 0],
    ['merge without an object', [op('merge', 's', [1])], 'merge needs an object', 0],
    ['an empty list', [], 'ops is empty', -1],
    ['more than 100', Array.from({ length: 101 }, () => op('inc', 'gold', 1)), 'ops has more than 100 items', -1],
    ['a path of many characters', [op('set', 'p'.repeat(513), 1)], 'the path is longer than 512 characters', 0],
    ['the empty path', [op('set', '', 1)], 'the path "" is not usable', 0],
    ['an empty part', [op('set', 'a..b', 1)], 'the path "a..b" is not usable', 0],
    ['__proto__', [op('set', '__proto__.x', 1)], 'the path "__proto__.x" is not usable', 0],
    ['constructor', [op('set', 'a.constructor', 1)], 'the path "a.constructor" is not usable', 0],
    ['prototype', [op('set', 'prototype', 1)], 'the path "prototype" is not usable', 0],
    ['a path through a list', [op('set', 'bag.0.n', 1)], 'the path leads through a value that is no object', 0],
    ['a path through a scalar', [op('pull', 'gold.x', undefined, {})], 'the path leads through a value that is no object', 0],
    ['inc by what is no JSON number', [op('inc', 'gold', Number.POSITIVE_INFINITY)], 'the number leaves the range of numbers', 0],
  ];

  test.each(refused)('refused: %s', (_name, ops, message, index) => {
    expect(() => applyOperations(START, ops)).toThrow(expect.objectContaining({ name: 'OperationError', message, index }));
  });

  test('exactly 100 operations pass', () => {
    const ops = Array.from({ length: 100 }, () => op('inc', 'gold', 1));
    expect(applyOperations(START, ops).document['gold']).toBe(110);
  });
});

describe('numbers', () => {
  test.each<[Json, Json, Json]>([
    [9007199254740991, 2, new ExactNumber('9007199254740993')],
    [new ExactNumber('18446744073709551614'), 1, new ExactNumber('18446744073709551615')],
    [new ExactNumber('76561198000000001'), new ExactNumber('-76561198000000001'), 0],
    [new ExactNumber('9007199254740993'), -3, 9007199254740990],
    [new ExactNumber('1.00000000000000000001'), 1, new ExactNumber('2.00000000000000000001')],
    [1e300, 1e299, 1.1e300],
    [0.1, 0.2, 0.30000000000000004],
  ])('inc of %o by %o keeps the exact value', (old, by, sum) => {
    expect(applyOperations({ gold: old }, [op('inc', 'gold', by)]).document).toEqual({ gold: sum });
  });

  test('a sum that would be absurdly long is refused, without being computed', () => {
    const ops = [op('inc', 'gold', new ExactNumber('1e999999999'))];
    expect(() => applyOperations({ gold: 1 }, ops)).toThrow(OperationError);
  });

  test('inc starts from 0 where there is no number', () => {
    expect(applyOperations({ a: 'text' }, [op('inc', 'a', 2)]).document).toEqual({ a: 2 });
  });
});

describe('lists are compared as the client expects', () => {
  test.each<[Json, Json]>([
    [[5, '5', 6], [6]],
    [[true, 5], [true]],
    [[new ExactNumber('76561198000000001'), 5, '5'], [new ExactNumber('76561198000000001')]],
  ])('remove "5" of %o', (list, left) => {
    expect(applyOperations({ list }, [op('remove', 'list', '5')]).document).toEqual({ list: left });
  });

  test('remove null takes nulls only', () => {
    expect(applyOperations({ list: [null, 0, ''] }, [op('remove', 'list', null)]).document).toEqual({ list: [0, ''] });
  });

  test('a quoted id equals the id as an exact number, and no other', () => {
    const list = [new ExactNumber('76561198000000001'), new ExactNumber('76561198000000003')];
    const { document } = applyOperations({ list }, [op('remove', 'list', '76561198000000001')]);
    expect(document).toEqual({ list: [new ExactNumber('76561198000000003')] });
  });

  test('nested members are compared deeply, and a missing member never matches', () => {
    const bag = [{ id: 1, at: { x: [1] } }, { id: 2, at: { x: [2] } }, { id: 3 }];
    expect(applyOperations({ bag }, [op('pull', 'bag', undefined, { at: { x: [2] } })]).document).toEqual({ bag: [bag[0], bag[2]] });
    expect(applyOperations({ bag }, [op('pull', 'bag', undefined, { at: null })]).document).toEqual({ bag });
  });
});

// Each of these held up every player for 20 seconds to minutes, by one request with a public key.
describe('a long value to compare with is prepared once, not for every item of the list', () => {
  const numbers = Array.from({ length: 30_000 }, () => 1);
  const empty = Array.from({ length: 20_000 }, () => ({}));
  const nested = Array.from({ length: 8_000 }, () => ({ a: {} }));
  const wide = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`k${index}`, 1]));

  test.each<[string, readonly Json[], Operation]>([
    ['a long text among numbers', numbers, op('remove', 'list', '1'.repeat(250_000))],
    ['a long text, pulled', numbers, op('pull', 'list', undefined, { value: `${' '.repeat(250_000)}x` })],
    ['a long number among numbers', numbers, op('remove', 'list', new ExactNumber('9'.repeat(250_000)))],
    ['many members', empty, op('pull', 'list', undefined, wide)],
    ['many members of a member', nested, op('pull', 'list', undefined, { a: wide })],
    ['many members, removed', nested, op('remove', 'list', { a: wide })],
  ])('%s', (_name, list, operation) => {
    expect(applyOperations({ list }, [operation]).changes).toEqual([]);
  });
});

describe('changes', () => {
  test('each path once, parts of a touched path within it', () => {
    const ops = [op('set', 'a.b', 1), op('set', 'z', 1), op('set', 'a', { c: 2 }), op('inc', 'a.c', 1), op('inc', 'z', 1)];
    const { changes, document } = applyOperations({}, ops);
    expect(changes).toEqual([
      ['a', { c: 3 }],
      ['z', 2],
    ]);
    expect(JSON.stringify(applyChanges({}, changes))).toBe(JSON.stringify(document));
  });

  test('a member that no path can name is stored with its object', () => {
    const { changes } = applyOperations({ s: { lvl: 1 } }, [op('merge', 's', { 'a.b': 1, lvl: 2 })]);
    expect(changes).toEqual([['s', { lvl: 2, 'a.b': 1 }]]);
  });

  test('an operation that does nothing changes nothing', () => {
    expect(applyOperations(START, [op('pull', 'gold', undefined, {})]).changes).toEqual([]);
  });

  test('the input stays as it was, and untouched parts are shared', () => {
    const before = structuredClone(START);
    const { document } = applyOperations(START, [op('inc', 's.lvl', 1), op('push', 'tags', 'z')]);
    expect(START).toEqual(before);
    expect(document['bag']).toBe(START['bag']);
  });

  test('an operand is not changed by a later operation', () => {
    const operand = { n: 1 };
    applyOperations({}, [op('set', 'a', operand), op('inc', 'a.n', 1)]);
    expect(operand).toEqual({ n: 1 });
  });
});

test('an increase beyond the range of numbers is refused, however it was written', () => {
  const most = new ExactNumber(`1${'0'.repeat(308)}`);
  expect(() => applyOperations({ gold: most }, [op('inc', 'gold', new ExactNumber(`9${'0'.repeat(308)}`))])).toThrow(/range/);
});

describe('moves', () => {
  test('each operation has its own, with what it said of its source, cut to length', () => {
    const ops: Operation[] = [
      { ...op('inc', 'gold', 1), source: 'first' },
      { ...op('inc', 'gold', 1), source: 's'.repeat(70), reason: `${'r'.repeat(255)}😀` },
      op('inc', 'gold', 1),
    ];
    const { moves } = applyOperations(START, ops);
    expect(moves.map(({ origin }) => origin)).toEqual([{ source: 'first' }, { source: 's'.repeat(64), reason: 'r'.repeat(255) }, {}]);
  });
});

describe('the wire form', () => {
  test('unknown members and sources that are no text are left out', () => {
    const ops = parseOperations([{ op: 'set', path: 'a', value: null, source: 5, extra: 1 }]);
    expect(ops).toEqual([{ op: 'set', path: 'a', value: null }]);
  });

  test.each<[Json, number]>([
    ['x', -1],
    [[], -1],
    [[{ op: 'set', path: 'a' }, null], 1],
    [[{ op: 'set', path: 5 }], 0],
    [[{ path: 'a' }], 0],
  ])('refused: %o', (ops, index) => {
    expect(() => parseOperations(ops)).toThrow(expect.objectContaining({ name: 'OperationError', index }));
  });
});

test('a request may not merge into a large object again and again: each time copies it', () => {
  const members = (from: number) => Object.fromEntries(Array.from({ length: 160 }, (_, n) => [`m${from + n}`, n]));
  const merges = (count: number) => Array.from({ length: count }, (_, n) => op('merge', 's', members(n * 160)));
  expect(Object.keys(Object(applyOperations({}, merges(40)).document['s']))).toHaveLength(6_400);
  expect(() => applyOperations({}, merges(100))).toThrow('the merges copy more than 150000 members together: merge fewer times');
});
