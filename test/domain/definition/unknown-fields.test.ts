import { describe, expect, it } from 'vitest';
import { preflight } from '../../../src/domain/definition/preflight.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { EMPTY, push } from './given.ts';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    gold: 'number',
    bag: { type: 'array', items: { type: 'object', additionalProperties: false, properties: { id: 'string', count: 'number' } } },
    hero: { type: 'object', additionalProperties: false, properties: { level: 'number' } },
    notes: { type: 'object', properties: { text: 'string' } },
    coins: { type: 'object', additionalProperties: 'number' },
  },
};
const CLOSED = { id: 'wallets', name: 'purses', schema: SCHEMA };
const OPEN = { id: 'wallets', name: 'purses', schema: { ...SCHEMA, additionalProperties: true } };

/** Where an unknown field is found, and what is said to do. */
function found(kind: 'endpoints' | 'queries' | 'rateLimitRules', item: JsonObject, collection: JsonObject = CLOSED): string[] {
  const stored = push(EMPTY, 'collection', [collection]);
  const sent: Json = kind === 'rateLimitRules' ? { rules: [item] } : [item];
  const at = (answer: ReturnType<typeof preflight>) => {
    const body = answer instanceof Refusal ? answer.extra.body : answer;
    const diagnostics: JsonObject[] = Object(body)[kind].results[0].diagnostics;
    return diagnostics.filter(({ code }) => code === 'UNKNOWN_FIELD').map((each) => `${each['sourcePointer']} ${each['suggestedFix']}`);
  };
  const alone = at(preflight(stored, { [kind]: sent }, 'live'));
  // What comes with it counts as what is there.
  expect(at(preflight(EMPTY, { [kind]: sent, collections: [collection] }, 'live'))).toEqual(alone);
  return alone;
}

const endpoint = (...steps: JsonObject[]) => ({ id: 'e', slug: 'e', steps: steps.map((step, index) => ({ id: `s${index}`, ...step })) });
const on = { collection: 'Purses', key: 'k' };
const write = (op: JsonObject) => endpoint({ type: 'write', ...on, ops: [op] });
const query = (config: JsonObject, more: JsonObject = {}) => ({ id: 'q', name: 'q', sources: ['wallets'], config, ...more });

describe('a field that a closed schema does not have', () => {
  it.each<[string, JsonObject, string[]]>([
    ['of an operation', write({ op: 'inc', path: 'gld', value: 1 }), [`/steps/0/ops/0/path Did you mean 'gold'?`]],
    ['below one', write({ op: 'set', path: 'hero.levl', value: 1 }), [`/steps/0/ops/0/path Did you mean 'level'?`]],
    ['before a template', write({ op: 'set', path: 'heroo.{{input.a}}', value: 1 }), [`/steps/0/ops/0/path Did you mean 'hero'?`]],
    ['in a value', write({ op: 'set', path: 'hero', value: { levl: 1 } }), [`/steps/0/ops/0/value/levl Did you mean 'level'?`]],
    ['in what is merged', write({ op: 'merge', path: 'hero', value: { x: 1 } }), ['/steps/0/ops/0/value/x There are level.']],
    [
      'in what is pushed',
      write({ op: 'push', path: 'bag', value: { id: 'a', cuont: 1 } }),
      [`/steps/0/ops/0/value/cuont Did you mean 'count'?`],
    ],
    ['in what is pulled', write({ op: 'pull', path: 'bag', match: { ident: 1 } }), ['/steps/0/ops/0/match/ident There are id, count.']],
    ['of data', endpoint({ type: 'write', ...on, data: { gold: 1, 'hero.levl': 2 } }), [`/steps/0/data/hero.levl Did you mean 'level'?`]],
    [
      'of a document that was read, in a token, an expression and a condition',
      endpoint(
        { type: 'read', as: 'purse', ...on },
        { type: 'transform', expression: '{{purse.gold}} + {{purse.hero.levl}}' },
        { type: 'condition', check: { field: 'purse.gld', op: '>', value: '{{purse.coins.anything}}' } },
      ),
      [`/steps/1/expression Did you mean 'level'?`, `/steps/2/check/field Did you mean 'gold'?`],
    ],
    [
      'of one that was read and written under one name',
      endpoint(
        { type: 'read', as: 'purse', ...on },
        { type: 'write', as: 'purse', ...on, ops: [{ op: 'inc', path: 'gold', value: 1 }] },
        { type: 'return', value: '{{purse.goldd}}' },
      ),
      [`/steps/2/value Did you mean 'gold'?`],
    ],
    [
      'in a filter',
      endpoint({ type: 'filter', collection: 'wallets', where: { all: [{ field: 'gld', op: '>', value: 1 }] } }),
      [`/steps/0/where/all/0/field Did you mean 'gold'?`],
    ],
    [
      'in a lookup by keys, and as a weight',
      endpoint(
        { type: 'lookup_many', collection: 'wallets', keys: ['a'], keyField: 'golt' },
        { type: 'random_select', collection: 'wallets', where: { field: 'gold', op: '>', value: 1 }, weightField: 'gokd' },
      ),
      [`/steps/0/keyField Did you mean 'gold'?`, `/steps/1/weightField Did you mean 'gold'?`],
    ],
  ])('%s', (_, item, expected) => {
    expect(found('endpoints', item)).toEqual(expected);
  });

  it('of a query over one collection, and of a rate-limit rule', () => {
    const board = query({ field: 'gld', columns: ['_key', 'playerProfile.playerName', 'hero.level', { path: 'hero.levl', label: 'L' }] });
    expect(found('queries', board)).toEqual([`/config/field Did you mean 'gold'?`, `/config/columns/3 Did you mean 'level'?`]);
    expect(found('rateLimitRules', { collection: 'purses', field: 'golds', maxPerDay: 5 })).toEqual([
      `/rules/0/field Did you mean 'gold'?`,
    ]);
  });
});

describe('is not looked for', () => {
  it.each<[string, JsonObject]>([
    ['where an object takes any', write({ op: 'set', path: 'notes.other', value: { a: 1 } })],
    ['where an object takes fields of one kind', write({ op: 'inc', path: 'coins.silver', value: 1 })],
    ['in names that are computed', write({ op: 'inc', path: '{{input.what}}', value: 1 })],
    ['in names of the server', write({ op: 'set', path: '_note', value: 1 })],
    [
      'in what a call of its own brings',
      endpoint({ type: 'read', ...on, as: 'a' }, { type: 'object', as: 'a', fields: { b: 1 } }, { type: 'return', value: '{{a.b}}' }),
    ],
  ])('%s', (_, item) => {
    expect(found('endpoints', item)).toEqual([]);
  });

  it('where the schema admits others, or where there is none', () => {
    expect(found('endpoints', write({ op: 'inc', path: 'gld', value: 1 }), OPEN)).toEqual([]);
    expect(found('endpoints', write({ op: 'inc', path: 'gld', value: 1 }), { id: 'wallets', name: 'purses' })).toEqual([]);
    expect(found('queries', query({ field: 'gld' }), OPEN)).toEqual([]);
    expect(found('queries', query({ field: 'worth', computedFields: { worth: '{{gold}} * 2' } }))).toEqual([]);
  });
});
