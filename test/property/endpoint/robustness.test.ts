import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/kernel/errors.ts';
import { type Json, type JsonObject, stringifyJson } from '../../../src/kernel/json.ts';
import { LanguageError } from '../../../src/language/expressions/errors.ts';
import { stepKinds } from '../../../src/language/steps/registry.ts';
import { expression, holds, run, template } from '../../language/support.ts';

/** Whatever an author or a player writes, a call answers or is refused: it never fails in another way, and it always ends. */

const PIECES = [
  '{{',
  '}}',
  '{{a}}',
  '{{b.c}}',
  '{{-a}}',
  '{{nope|1}}',
  '{{input.x}}',
  '{{item.q}}',
  '{{values.t}}',
  '|',
  '.',
  ',',
  '(',
  ')',
  '-',
  '+',
  '*',
  '/',
  '%',
  ' ',
  '1',
  '2.5',
  'a',
  'list',
  'item',
  'x => x.q',
  '==',
  '!=',
  '>',
  '<=',
  '&&',
  '||',
  '!',
  '"',
  "'",
  'true',
  'null',
  '__proto__',
  'constructor',
  'sum(',
  'count(',
  'filter(',
  'min(',
  'max(',
  'get(',
  'coalesce(',
  'num(',
  'pluck(',
  'matches(',
  'pow(',
  'round(',
  'length(',
  'a[',
  'list[0]',
  'b[s]',
  '["c"]',
  '].c',
  'b[{{s}}]',
  'x => x[a]',
  'é',
  '\u0000',
  '[',
  ']',
  '{',
  '}',
  '\\',
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ maxLength: 20 }),
);
const NAMES: Record<string, Json> = { proto: '__proto__', a: 3, b: { c: 'x' }, list: [{ q: 1 }, { q: 2 }], s: 'text' };

function survives(body: () => unknown): void {
  try {
    body();
  } catch (error) {
    if (!(error instanceof LanguageError || error instanceof Refusal)) throw error;
  }
}

const leaf: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.constantFrom<Json>('{{a}}', '{{list}}', '{{s1}}', '{{s2.x}}', 'main', 'c', 's1', 's2', null, true, false, 0, 1, -1, 3.5, 1e308),
  fc.integer({ min: -5, max: 200 }),
);
const NAMES_OF_MEMBERS = ['field', 'op', 'value', 'all', 'any', 'x', 'y', 'expression', 'when'];
const flat: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...NAMES_OF_MEMBERS), leaf, { maxKeys: 2 }) },
);
const json: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: flat },
  { weight: 1, arbitrary: fc.array(flat, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...NAMES_OF_MEMBERS), flat, { maxKeys: 3 }) },
);

const condition: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ field: leaf, op: fc.constantFrom('==', '>', '<=', 'in', 'contains', 'matches', 'exists', 'bogus'), value: json }),
  fc.record({ expression: text }),
  json,
);
const op: fc.Arbitrary<Json> = fc.record(
  {
    op: fc.constantFrom<Json>('set', 'inc', 'push', 'pull', 'remove', 'merge', 'set_if_null', 'bogus', 3),
    path: fc.constantFrom('a', 'a.b', 'list', '__proto__', '', '{{s1}}', 'a.0'),
    value: json,
    match: json,
    when: condition,
    valueExpression: text,
  },
  { requiredKeys: ['op', 'path'] },
);

const place = fc.oneof(
  fc.constantFrom('n', 's1', 's1.x', 's1[s2]', 'list[0]', 'list[{{a}}].q', 'b["c"].d', 'input[a]', 'a.__proto__', 'b[proto]', '__proto__'),
  text,
);

/** Members that mean something to the type, so that most steps get as far as running. */
const MEMBERS: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  as: fc.constantFrom('s1', 's4'),
  when: condition,
  let: fc.dictionary(fc.constantFrom('a', 's1', 'me'), fc.constantFrom('me', 'a', 's1.x', 'list'), { maxKeys: 2 }),
  collection: fc.constantFrom<Json>('c', 'd', 4),
  key: fc.oneof(fc.constant('main'), leaf),
  required: fc.boolean(),
  check: condition,
  condition,
  routes: fc.dictionary(
    fc.constantFrom('true', 'false', 'pass'),
    fc.constantFrom<Json>('s1', 'goto', 'skip', 'return', 'continue', { action: 'goto', step: 's1' }, { action: 'run', flow: 'w' }, 3),
    { maxKeys: 2 },
  ),
  onFail: json,
  ops: fc.array(op, { maxLength: 3 }),
  expression: text,
  value: json,
  fields: json,
  items: json,
  values: json,
  sources: json,
  cases: fc.array(fc.record({ when: condition, value: json }), { maxLength: 2 }),
  source: fc.constantFrom<Json>('values', '{{list}}'),
  table: fc.constantFrom('t', 'nope'),
  where: condition,
  keys: json,
  from: fc.constantFrom('list', '{{list}}', 's1', 'b', 'b[s]', 's1[0]', 'list['),
  set: fc.oneof(place, fc.dictionary(place, json, { maxKeys: 3 })),
  append: fc.oneof(place, fc.dictionary(place, json, { maxKeys: 3 })),
  workflow: fc.constantFrom('w', 'loop', 'nope'),
  params: json,
  mode: fc.constantFrom('int', 'float', 'weighted', 'beta', 'template'),
  min: leaf,
  alpha: leaf,
  by: text,
};
const id = fc.constantFrom('s1', 's2', 's3', 'input', '__proto__', 'constructor');
const NESTING = ['block', 'while', 'until', 'foreach', 'condition'];
const type = fc.constantFrom(...[...stepKinds.keys()].filter((name) => !NESTING.includes(name)), 'condition', 'sleep', 'bogus');

const members = fc.subarray(Object.keys(MEMBERS), { minLength: 4, maxLength: 14 });
const simple: fc.Arbitrary<JsonObject> = members.chain((names) =>
  fc.record({ id, type, ...Object.fromEntries(names.map((name) => [name, MEMBERS[name] ?? leaf])) }),
);
const nested: fc.Arbitrary<JsonObject> = fc.record({
  id,
  type: fc.constantFrom(...NESTING),
  condition,
  check: condition,
  from: fc.constantFrom('list', 's1', 'b'),
  body: fc.array(simple, { maxLength: 3 }),
  else: fc.array(simple, { maxLength: 1 }),
});
const step: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: flat },
);

const definition = fc.record(
  {
    steps: fc.array(step, { maxLength: 6 }),
    response: fc.record({ body: json, status: leaf, echo: fc.array(text, { maxLength: 2 }) }),
    let: json,
    input: json,
  },
  { requiredKeys: ['steps'] },
);

describe('the language is safe against any text', () => {
  it('templates give a value or a LanguageError', () => {
    fc.assert(
      fc.property(text, (source) => survives(() => template(source, NAMES))),
      { numRuns: 1000 },
    );
  });

  it('expressions give a value or a LanguageError', () => {
    fc.assert(
      fc.property(text, (source) => survives(() => expression(source, NAMES))),
      { numRuns: 1000 },
    );
  });

  it('conditions give a boolean or a LanguageError', () => {
    fc.assert(
      fc.property(condition, (source) => survives(() => holds(source, NAMES))),
      { numRuns: 1000 },
    );
  });

  it('any definition answers or is refused', () => {
    const world = {
      values: {
        t: [
          { id: 1, name: 'x' },
          { id: 2, weight: 0 },
        ],
      },
      documents: { 'c/main': { a: 1, list: [1, 'x'], b: { c: 2 } } },
      input: { x: 'y', a: 5 },
      workflows: {
        w: { check: { field: 'a', op: 'exists' }, steps: [], returns: { x: '{{a}}' } },
        loop: { steps: [{ id: 'l', type: 'workflow', workflow: 'loop' }] },
      },
    };
    fc.assert(
      fc.property(definition, (source) => {
        survives(() => {
          const { body } = run(source as JsonObject, world);
          expect(stringifyJson(body)).not.toMatch(/undefined|NaN/);
        });
      }),
      { numRuns: 600 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(world.documents['c/main']).toEqual({ a: 1, list: [1, 'x'], b: { c: 2 } });
  });

  it('a path reaches own members alone, whatever is in its brackets', () => {
    const own = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', ' __proto__ ', 'length');
    const spelled = (name: string) => [`b.${name}`, `b["${name}"]`, 'b[name]', 'b[{{name}}]', 'list[name]', 'list[0][name]', 's[name]'];
    fc.assert(
      fc.property(own, fc.nat(6), fc.constantFrom('', '.x', '[name]', '["constructor"]'), (name, form, tail) => {
        survives(() => {
          const value = template(`{{${spelled(name)[form]}${tail}}}`, { ...NAMES, name });
          expect(value === undefined || value === 2).toBe(true);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('long texts of brackets are read or refused in a moment', () => {
    for (const piece of ['[', ']', '[]', 'a[', 'a[b]', '[a].', 'a["', "['", '[{{a}}]', '{{a[', 'x => x[']) {
      const long = piece.repeat(Math.floor(9_900 / piece.length));
      const begun = performance.now();
      for (const around of [`{{${long}}}`, `{{a${long}}}`, `{{a${long} }}`, `{{count(list, x => x${long})}}`])
        survives(() => template(around, NAMES));
      // A whole second is no measure of speed: what doubles with every piece would take until the end of time.
      expect(performance.now() - begun).toBeLessThan(20_000);
    }
  });
});
