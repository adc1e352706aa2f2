import { describe, expect, it } from 'vitest';
import { ExactNumber, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { checked, refusalOf } from './support.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
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
  ])('%s passes as it is', (_name, input) => {
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

  const BOUNDED: JsonObject = {
    properties: {
      mode: { type: 'string', enum: ['easy', 'hard'] },
      amount: { type: 'integer', min: 1, maximum: 99 },
      title: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
      cart: {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: { type: 'object', properties: { n: { minimum: 1 } }, additionalProperties: false },
      },
      counts: { type: 'object', additionalProperties: { type: 'number', max: 3 } },
    },
    additionalProperties: false,
  };

  it.each<[string, JsonObject]>([
    ['a value of a list', { mode: 'easy' }],
    ['both ends of a range', { amount: 1 }],
    ['a text of the right length, counted in characters', { title: 'abcd' }],
    ['null for anything', { mode: null, amount: null, cart: null }],
    ['items of their own fields', { cart: [{ n: 1 }, null] }],
    ['any names with values that fit', { counts: { a: 3, b: null } }],
    ['what client libraries send beside it', { platformId: '1', token: 't', encrypted: false, authSessionToken: 's' }],
  ])('of bounded fields: %s passes', (_name, input) => {
    expect(checked(BOUNDED, input)).toEqual(input);
  });

  it.each<[string, JsonObject, string, string]>([
    ['a value that is not listed', { mode: 'insane' }, 'mode', 'not one of the allowed values, which are "easy", "hard"'],
    ['too little', { amount: 0 }, 'amount', 'less than 1'],
    ['too much', { amount: new ExactNumber('18446744073709551615') }, 'amount', 'more than 99'],
    ['a short text', { title: 'a' }, 'title', 'shorter than 2'],
    ['a long text', { title: 'abcde' }, 'title', 'longer than 4'],
    ['a text of another form', { title: 'ab1' }, 'title', 'does not match ^[a-z]+$'],
    ['no items', { cart: [] }, 'cart', 'fewer than 1'],
    ['too many items', { cart: [null, null, null] }, 'cart', 'more than 2'],
    ['a wrong member of an item', { cart: [{ n: 0 }] }, 'cart.0.n', 'less than 1'],
    ['an undeclared member of an item', { cart: [{ N: 1 }] }, 'cart.0.N', 'there is "cart.0.n", which differs in letter case'],
    ['a wrong value under any name', { counts: { a: 4 } }, 'counts.a', 'more than 3'],
    ['an undeclared member', { moed: 'easy' }, 'moed', 'is not declared'],
  ])('of bounded fields: %s is refused, saying why', (_name, input, field, why) => {
    const refusal = refusalOf(() => checked(BOUNDED, input));
    expect(refusal).toMatchObject({ status: 400, code: 'INVALID_INPUT', extra: { error: { field } } });
    expect(refusal.message).toContain(why);
  });

  it('fills in what is missing and has a default, at any depth that is there', () => {
    const schema = {
      properties: {
        count: { type: 'number', default: 1, required: true },
        bag: { properties: { size: { default: 5 }, color: {} } },
        none: { type: ['null', 'number'], default: 2 },
      },
    };
    expect(checked(schema, {})).toEqual({ count: 1, none: 2 });
    expect(checked(schema, { count: null, bag: { color: 'red' }, none: null })).toEqual({
      count: 1,
      bag: { color: 'red', size: 5 },
      none: null,
    });
    expect(checked(schema, { count: 7 })).toEqual({ count: 7, none: 2 });
  });

  it('of a query: a number that is allowed is one, though no type is declared', () => {
    expect(checked({ properties: { level: { enum: [1, 2] } } }, { level: '2' }, true)).toEqual({ level: 2 });
  });

  it('with a pattern that cannot be used is refused, and patterns together take no longer than one may', () => {
    const text = (pattern: string) => ({ properties: { texts: { items: { type: 'string', pattern } } } });
    expect(refusalOf(() => checked(text('(?=x)'), { texts: ['a'] })).message).toContain('cannot be matched');
    const slow = Array.from({ length: 40 }, () => `${'a'.repeat(1999)}b`);
    expect(refusalOf(() => checked(text('(a?){100}b$'), { texts: slow })).message).toContain('takes too long');
  });
});
