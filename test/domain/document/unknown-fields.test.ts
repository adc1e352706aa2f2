import { expect, test } from 'vitest';
import { unknownFields } from '../../../src/domain/document/unknown-fields.ts';
import type { Json } from '../../../src/kernel/json.ts';

const paths = (schema: Json, path: string, value: Json) => unknownFields(schema, path, value).map((each) => each.path);
const FLAT = { gold: { type: 'number' }, name: 'string', bag: { type: 'object', properties: { size: { type: 'number' } } } };
const BAG = { type: 'object', properties: { size: { type: 'number' }, bag: { $ref: '#/$defs/bag' } } };
const REFERRED = { type: 'object', properties: { bag: { $ref: '#/$defs/bag' } }, $defs: { bag: BAG } };
const LIST = { list: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } } };

test.each<[string, Json, string, Json, readonly string[]]>([
  ['of the flat form', FLAT, 'goold', 5, ['goold']],
  ['of the other form', { type: 'object', properties: FLAT }, 'goold', 5, ['goold']],
  ['below a field', FLAT, 'bag.szie', 1, ['bag.szie']],
  ['in a value', FLAT, 'bag', { szie: 1, size: 2 }, ['bag.szie']],
  ['in a whole document', FLAT, '', { gold: 1, nmae: 'Ada', bag: { szie: 1 } }, ['nmae', 'bag.szie']],
  ['in what a schema refers to', REFERRED, 'bag', { szie: 1, bag: { size: 1, clor: 'red' } }, ['bag.szie', 'bag.bag.clor']],
  [
    'in what a schema chooses from',
    { bag: { oneOf: [{ properties: { a: {} } }, { allOf: [{ properties: { b: {} } }] }] } },
    'bag',
    { a: 1, b: 1, c: 1 },
    ['bag.c'],
  ],
  ['in items of a list', LIST, 'list', [{ id: '1' }, { di: '2' }], ['list[].di']],
])('fields that a schema does not name are found %s', (_, schema, path, value, found) => {
  expect(paths(schema, path, value)).toEqual(found);
});

test.each<[string, Json, string, Json]>([
  ['names its fields', FLAT, 'gold', 5],
  ['names no fields', {}, 'anything', { at: 'all' }],
  ['says nothing of what a field holds', { bag: { type: 'object' } }, 'bag.anything', 1],
  ['says that there are others', { type: 'object', properties: FLAT, additionalProperties: true }, 'more', 1],
  ['says of which form others are', { type: 'object', properties: FLAT, additionalProperties: { type: 'number' } }, 'more', 1],
  ['says no more than that it is of an object', { type: 'object' }, 'anything', 1],
  ['refers elsewhere', { bag: { properties: { size: {} }, $ref: 'https://game.example/bag.json' } }, 'bag.szie', 1],
  ['has names by their pattern', { type: 'object', properties: FLAT, patternProperties: { '^x': {} } }, 'xp', 1],
  ['describes single items of a list', { list: { items: [{ properties: { id: {} } }] } }, 'list', [{ di: 1 }]],
  ['leaves names with an underscore to tools', FLAT, '_note', 'x'],
])('nothing is unknown to a schema that %s', (_, schema, path, value) => {
  expect(paths(schema, path, value)).toEqual([]);
});

test('a very deeply nested value, and a schema that refers to itself, are searched in bounded time', () => {
  let deep: Json = { szie: 1 };
  for (let n = 0; n < 100_000; n += 1) deep = { bag: deep };
  expect(paths(REFERRED, '', deep)).toEqual([]);
  const loop = { type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { $ref: '#/$defs/x' } } };
  expect(paths(loop, 'a.b', 1)).toEqual([]);
});

test('the known names are listed', () => {
  expect(unknownFields(FLAT, 'bag.szie', 1)).toEqual([{ path: 'bag.szie', name: 'szie', known: ['size'] }]);
});
