import { describe, expect, test } from 'vitest';
import { checkDocument } from '../../../src/domain/document/check.ts';
import { compileSchema, fillDefaults } from '../../../src/domain/document/schema.ts';
import { ExactNumber, type Json, type JsonObject } from '../../../src/kernel/json.ts';

describe('forms', () => {
  test('no schema lets everything pass', () => {
    for (const raw of [undefined, null, {}, 'text', []]) expect(compileSchema(raw).root).toBe(null);
  });

  test('flat, with definitions, bare names and a type of its own', () => {
    const schema = compileSchema({ type: 'object', score: 'number', name: { type: 'string' } });
    expect([...(schema.root?.properties?.keys() ?? [])]).toEqual(['score', 'name']);
  });

  test('nested, with a list of required names', () => {
    const schema = compileSchema({ type: 'object', properties: { a: 'string', b: { type: 'number', required: true } }, required: ['a'] });
    expect(schema.root?.properties?.get('a')?.required).toBe(true);
    expect(schema.root?.properties?.get('b')?.required).toBe(true);
  });

  test('a schema knows whether any field has a ledger, at any depth of objects', () => {
    const counted = { type: 'number', _ledger: true };
    const holds = (raw: Json) => compileSchema(raw).hasLedger;
    expect(holds({ stats: { type: 'object', properties: { xp: counted } } })).toBe(true);
    expect(holds({ towns: { type: 'object', additionalProperties: { type: 'object', additionalProperties: counted } } })).toBe(true);
    expect(holds({ free: { _ledger: true } })).toBe(true);
    expect(holds({ name: { type: 'string', _ledger: true }, list: { type: 'array', items: counted } })).toBe(false);
    expect(holds({ towns: { type: 'object', additionalProperties: 'number' } })).toBe(false);
  });

  test('additionalProperties may be the name of a type', () => {
    const { root } = compileSchema({ type: 'object', properties: {}, additionalProperties: 'number' });
    expect(root?.additional).toMatchObject({ type: 'number' });
  });
});

describe('defaults', () => {
  const schema = compileSchema({
    gold: { type: 'number', default: 100 },
    stats: { type: 'object', properties: { hp: { type: 'number', default: 5 }, name: 'string' } },
    bag: { type: 'array', items: { type: 'object', properties: { n: { type: 'number', default: 1 } } } },
    gear: { type: 'object', default: { hat: 'none' }, properties: { level: { type: 'number', default: 1 } } },
  });

  test('fill only missing members, at any depth; null stays null', () => {
    expect(fillDefaults(schema, {})).toEqual({ gold: 100, stats: { hp: 5 }, gear: { hat: 'none', level: 1 } });
    expect(fillDefaults(schema, { gold: null, stats: null, bag: [{}, 5], gear: {} })).toEqual({
      gold: null,
      stats: null,
      bag: [{ n: 1 }, 5],
      gear: { level: 1 },
    });
  });

  test('are filled below what additionalProperties describes, where it exists', () => {
    const hero = { type: 'object', required: ['lvl'], properties: { lvl: { type: 'number', default: 1 } } };
    const open = compileSchema({ m: { type: 'object', properties: { own: 'object' }, additionalProperties: hero } });
    expect(fillDefaults(open, {})).toEqual({});
    expect(fillDefaults(open, { m: { own: {}, x: {}, y: { lvl: 2 }, z: null } })).toEqual({
      m: { own: {}, x: { lvl: 1 }, y: { lvl: 2 }, z: null },
    });
    const full = { m: { x: { lvl: 3 } } };
    expect(fillDefaults(open, full)).toBe(full);
  });

  test('return the same object if nothing is missing', () => {
    const full = { gold: 1, stats: { hp: 1 }, bag: [{ n: 2 }], gear: { level: 2 } };
    expect(fillDefaults(schema, full)).toBe(full);
    expect(fillDefaults(compileSchema({ a: 'number' }), {})).toEqual({});
  });

  test('documents cannot change each other through a shared default', () => {
    expect(Object.isFrozen(fillDefaults(schema, {})['gear'])).toBe(true);
  });
});

describe('checks', () => {
  test('compare bounds beyond doubles to the last digit', () => {
    const [least, most] = ['-9007199254740993', '18446744073709551615'].map((text) => new ExactNumber(text));
    const bounded = compileSchema({ id: { type: 'number', min: least ?? null, max: most ?? null } });
    const fault = (text: string) => checkDocument(bounded, { id: new ExactNumber(text) });
    expect([fault('18446744073709551615'), fault('-9007199254740993')]).toEqual([null, null]);
    expect(fault('18446744073709551616')).toBe('id: more than 18446744073709551615');
    expect(fault('-9007199254740994')).toBe('id: less than -9007199254740993');
  });

  test('compare a value with few of thousands of allowed values', () => {
    let read = 0;
    const allowed = Array.from({ length: 2000 }, (_, n) => ({
      get n() {
        read += 1;
        return n;
      },
    }));
    const many = compileSchema({
      items: { type: 'array', items: { enum: [...allowed, new ExactNumber('18446744073709551615'), 'a', null, [1, 'x']] } },
    });
    const fault = (...items: readonly Json[]) => checkDocument(many, { items });
    expect(fault({ n: 1999 }, { n: 0 }, new ExactNumber('1.8446744073709551615e19'), 'a', [1, 'x'])).toBeNull();
    for (const other of [
      { n: 2000 },
      { n: '5' },
      { n: 5, m: 1 },
      new ExactNumber('18446744073709551614'),
      '18446744073709551615',
      ['1', 'x'],
    ])
      expect(fault(other)).toBe('items.0: not one of the allowed values');
    expect(read).toBeLessThan(3 * allowed.length);
  });

  const schema = compileSchema({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 4 },
      stats: { type: 'object', properties: { xp: { type: 'number', min: 0, maximum: 10 } }, additionalProperties: false },
      tier: { enum: ['a', { n: 1 }] },
      count: 'integer',
      on: 'boolean',
      at: 'datetime',
      who: 'player',
      list: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 2 },
      must: { type: 'number', required: true },
      given: { type: 'number', required: true, default: 1 },
      odd: 'vector3',
    },
    additionalProperties: { type: 'number' },
  });

  test.each<[JsonObject, string | null]>([
    [{}, null],
    [
      {
        name: 'éé😀é',
        stats: { xp: 10 },
        tier: { n: 1 },
        count: 5,
        on: true,
        at: '2024-01-01T10:00:00+02:00',
        who: 'p1_a',
        list: [1],
        odd: [],
        free: 1,
      },
      null,
    ],
    [{ name: null, stats: null, list: null, given: 2 }, null],
    [{ count: new ExactNumber('18446744073709551615') }, null],
    [{ name: 5 }, 'name: expected string'],
    [{ name: 'a' }, 'name: shorter than 2 characters'],
    [{ name: 'abcde' }, 'name: longer than 4 characters'],
    [{ stats: { xp: '5' } }, 'stats.xp: expected number'],
    [{ stats: { xp: -1 } }, 'stats.xp: less than 0'],
    [{ stats: { xp: new ExactNumber('1e400') } }, 'stats.xp: more than 10'],
    [{ stats: { other: 1 } }, 'stats.other: not a field of the schema'],
    [{ stats: [] }, 'stats: expected object'],
    [{ tier: 'b' }, 'tier: not one of the allowed values'],
    [{ count: 1.5 }, 'count: expected integer'],
    [{ on: 1 }, 'on: expected boolean'],
    [{ at: 'soon' }, 'at: expected datetime'],
    [{ at: '1' }, 'at: expected datetime'],
    [{ at: '2026-02-30T00:00:00Z' }, 'at: expected datetime'],
    [{ at: 'March 29' }, 'at: expected datetime'],
    [{ at: '2026-03-29' }, 'at: expected datetime'],
    [{ at: '2026-03-29T10:00:00' }, 'at: expected datetime'],
    [{ who: 'a b' }, 'who: expected player'],
    [{ list: [] }, 'list: fewer than 1 items'],
    [{ list: [1, 2, 3] }, 'list: more than 2 items'],
    [{ list: [1, 'x'] }, 'list.1: expected number'],
    [{ free: 'x' }, 'free: expected number'],
    [{ given: null }, 'given: expected number'],
  ])('%o: %s', (document, fault) => {
    expect(checkDocument(schema, { must: 1, ...document })).toBe(fault);
  });

  test('a missing required field is named', () => {
    expect(checkDocument(schema, {})).toBe('must: required');
  });

  test('depth is bounded also where no field is described', () => {
    let deep: Json = 1;
    for (let level = 0; level < 65; level += 1) deep = { a: deep };
    expect(checkDocument(compileSchema({ x: 'number' }), { deep })).toBe('deep: nested too deeply');
    expect(checkDocument(compileSchema({ deep: { type: 'object' } }), { deep })).toMatch(/nested too deeply$/);
  });

  test('a member named like one of Object.prototype does not exist by itself', () => {
    expect(checkDocument(compileSchema({ constructor: { type: 'string', required: true } }), {})).toBe('constructor: required');
  });
});
