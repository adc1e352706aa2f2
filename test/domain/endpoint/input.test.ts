import { describe, expect, it } from 'vitest';
import { ExactNumber, type Json, type JsonObject } from '../../../src/kernel/json.ts';
import { checked, refusalOf } from './support.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'x' },
    count: { type: 'number' },
    level: { type: 'integer' },
    fast: { type: 'boolean' },
    bag: { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] },
    tags: { type: 'array', items: { type: 'string' } },
    any: {},
    odd: { type: 'player' },
  },
  required: ['name'],
};

describe('input', () => {
  it.each<[string, JsonObject]>([
    ['with every type', { name: 'a', count: 1.5, level: 2, fast: true, bag: { size: 1 }, tags: ['x'], any: [1], odd: 5 }],
    ['with unknown fields', { name: 'a', security: {}, other: null }],
    ['with null for what is not required', { name: 'a', count: null, bag: null }],
    [
      'with a number beyond doubles',
      { name: 'a', count: new ExactNumber('76561198000000001'), level: new ExactNumber('76561198000000001') },
    ],
  ])('%s passes as it is, without defaults', (_name, input) => {
    expect(checked(SCHEMA, input)).toEqual(input);
  });

  it.each<[string, JsonObject, string]>([
    ['a missing field', {}, 'name'],
    ['null for a required field', { name: null }, 'name'],
    ['a number for a text', { name: 5 }, 'name'],
    ['a text for a number', { name: 'a', count: '5' }, 'count'],
    ['a fraction for an integer', { name: 'a', level: 1.5 }, 'level'],
    ['a list for an object', { name: 'a', bag: [] }, 'bag'],
    ['an object for a list', { name: 'a', tags: {} }, 'tags'],
    ['a missing member inside', { name: 'a', bag: {} }, 'bag.size'],
    ['a wrong item', { name: 'a', tags: ['x', 1] }, 'tags.1'],
  ])('with %s is refused, naming the field', (_name, input, field) => {
    const refusal = refusalOf(() => checked(SCHEMA, input));
    expect(refusal).toMatchObject({ status: 400, code: 'INVALID_INPUT', extra: { error: { field } } });
    expect(refusal.message).toContain(`"${field}"`);
  });

  it('suggests a member that differs only in letter case', () => {
    expect(refusalOf(() => checked(SCHEMA, { Name: 'a' })).message).toContain('"Name", which differs in letter case');
  });

  it.each<[string, string, Json]>([
    ['count', '5', 5],
    ['count', '-2.5', -2.5],
    ['count', '76561198000000001', new ExactNumber('76561198000000001')],
    ['level', '7', 7],
    ['fast', 'True', true],
    ['fast', 'false', false],
    ['bag', '{"size":1}', { size: 1 }],
    ['tags', '["x"]', ['x']],
    ['name', '5', '5'],
    ['any', '5', '5'],
    ['other', '5', '5'],
  ])('of a query: %s=%s becomes what its field declares', (name, text, value) => {
    expect(checked(SCHEMA, { name: 'a', [name]: text }, true)[name]).toEqual(value);
  });

  it.each<[string, string]>([
    ['count', 'five'],
    ['count', ''],
    ['count', '007'],
    ['count', '0x10'],
    ['level', '1.5'],
    ['fast', '1'],
    ['bag', '[1]'],
    ['bag', '{'],
  ])('of a query: %s=%s is refused, because converting would lose something', (name, text) => {
    expect(refusalOf(() => checked(SCHEMA, { name: 'a', [name]: text }, true)).code).toBe('INVALID_INPUT');
  });

  it('without a schema passes whole', () => {
    expect(checked({ type: 'object' }, { a: 1 }, true)).toEqual({ a: 1 });
  });
});
