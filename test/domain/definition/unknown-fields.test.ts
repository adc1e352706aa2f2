import { describe, expect, it } from 'vitest';
import { preflight } from '../../../src/domain/definition/push/preflight.ts';
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
    [
      'of what a loop goes through, and of lists in it',
      endpoint(
        { type: 'filter', as: 'rich', collection: 'wallets', where: { field: 'gold', op: '>', value: 1 } },
        {
          type: 'foreach',
          from: 'rich',
          item: 'purse',
          maxIterations: 9,
          body: [
            { id: 'sum', type: 'transform', expression: '{{purse.gld}} + {{purse.gold}}' },
            {
              id: 'inner',
              type: 'foreach',
              from: '{{purse.bag}}',
              item: 'item',
              maxIterations: 9,
              body: [{ id: 'one', type: 'transform', value: '{{item.cuont}}' }],
            },
          ],
        },
      ),
      [`/steps/1/body/0/expression Did you mean 'gold'?`, `/steps/1/body/1/body/0/value Did you mean 'count'?`],
    ],
    [
      'that a list is sorted by, and that an item is drawn by',
      endpoint(
        { type: 'filter', as: 'rich', collection: 'wallets', where: { field: 'gold', op: '>', value: 1 } },
        { type: 'sort', source: '{{rich}}', by: 'gld' },
        { type: 'sort', source: '{{rich}}', by: '{{item.golt}}' },
        { type: 'sort', from: '{{rich}}', expression: '0 - {{item.hero.levl}} + {{index}}' },
        { type: 'random', mode: 'weighted', from: '{{rich}}', weightField: 'gokd', where: { field: 'item.golb', op: '>', value: 1 } },
      ),
      [
        `/steps/1/by Did you mean 'gold'?`,
        `/steps/2/by Did you mean 'gold'?`,
        `/steps/3/expression Did you mean 'level'?`,
        `/steps/4/weightField Did you mean 'gold'?`,
        `/steps/4/where/field Did you mean 'gold'?`,
      ],
    ],
    [
      'in a lambda and a selector',
      endpoint(
        { type: 'read', as: 'purse', ...on },
        { type: 'transform', expression: 'count(purse.bag, x => x.cuont > 1 || {{x.id}} == "cuont.x")' },
        { type: 'transform', expression: 'sum(purse.bag, cuont) + sum(purse.bag, {{item.count}} * {{item.cuont}})' },
        { type: 'return', value: { first: '{{find(purse.bag, it => it.idd == input.id)}}', ids: `{{pluck(purse.bag, 'ID')}}` } },
        { type: 'compute', values: { best: 'max(pluck(filter({{purse.bag}}, b => b.cout > 1), count))' } },
      ),
      [
        `/steps/1/expression Did you mean 'count'?`,
        `/steps/2/expression Did you mean 'count'?`,
        `/steps/2/expression Did you mean 'count'?`,
        `/steps/3/value/first Did you mean 'id'?`,
        `/steps/4/values/best Did you mean 'count'?`,
      ],
    ],
  ])('%s', (_, item, expected) => {
    expect(found('endpoints', item)).toEqual(expected);
  });

  it('in what a query computes', () => {
    const columns = [
      { name: 'a', expression: '{{golt}} + {{gold}} + {{values.rate|1}} + sum(bag, cuont)' },
      { name: 'b', template: '{{_key}}: {{hero.levl}} ({{now}})' },
    ];
    expect(found('queries', query({ valueExpression: '{{gld}} * 2', columns }))).toEqual([
      `/config/valueExpression Did you mean 'gold'?`,
      `/config/columns/0/expression Did you mean 'gold'?`,
      `/config/columns/0/expression Did you mean 'count'?`,
      `/config/columns/1/template Did you mean 'level'?`,
    ]);
    expect(found('queries', query({ field: '{{gld}} + 1' }))).toEqual([`/config/field Did you mean 'gold'?`]);
    expect(found('queries', query({ field: { expression: '{{gld}} + 1' } }))).toEqual([`/config/field/expression Did you mean 'gold'?`]);
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
      'in items whose name something else has, too',
      endpoint(
        { type: 'filter', as: 'rich', collection: 'wallets', where: { field: 'gold', op: '>', value: 1 } },
        { type: 'transform', set: { purse: 1 } },
        { type: 'foreach', from: 'rich', item: 'purse', maxIterations: 9, body: [{ id: 'x', type: 'transform', value: '{{purse.gld}}' }] },
        { type: 'transform', expression: 'count({{rich}}, x => x.coins.silver > 1 && x._note == input.gld)' },
        { type: 'transform', expression: 'sum(input.list, gld) + sum({{rich}}, s1) + sum({{rich}}, GOLD)' },
        { type: 'return', value: 'count(rich, gld) {{rich.length}} {{rich.0.gld}}' },
      ),
    ],
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
