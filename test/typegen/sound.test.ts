import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillDefaults } from '../../src/domain/document/schema.ts';
import type { EffectiveDefinitions, EndpointModel } from '../../src/domain/model.ts';
import { definitionsIn } from '../../src/folder/game-definitions.ts';
import { CATALOGUE, Refusal } from '../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { compileEndpoint } from '../../src/language/compile.ts';
import { runEndpoint } from '../../src/language/execute.ts';
import { checkInput } from '../../src/language/input.ts';
import type { Reads } from '../../src/language/run.ts';
import { typesOfGame } from '../../src/language/types/game-types.ts';
import { typeKey } from '../../src/language/types/type.ts';
import { callOf, endpointModel, NO_READS } from '../language/support.ts';
import { misfit } from './fits.ts';

/** What an endpoint really answers is always what its type says, whatever its steps do. */

const GAME: JsonObject = {
  collections: [
    {
      id: 'heroes',
      schema: {
        name: { type: 'string', required: true },
        kind: { type: 'string', enum: ['mage', 'knight'], default: 'mage' },
        gold: { type: 'number', default: 3 },
        stats: { type: 'object', properties: { xp: { type: 'number', default: 1 }, title: { type: 'string' } } },
        wallet: { type: 'object', additionalProperties: { type: 'number' } },
        bag: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'string', required: true }, n: { type: 'number', default: 1 } } },
        },
      },
    },
  ],
  gameValues: {
    items: [
      { id: 'shop', type: 'group', name: 'Shop', entries: { open: true, fee: 5, tags: ['a', 'b'], none: null } },
      { id: 'rooms', type: 'group', name: 'Rooms', entries: { hall: { doors: ['yard'] }, yard: { doors: [], dark: true } } },
      {
        id: 'prices',
        type: 'table',
        name: 'Prices',
        columns: ['item', 'price'],
        rows: [
          { item: 'axe', price: 7 },
          { item: 'bow', price: 9, rare: true },
        ],
      },
    ],
  },
  workflows: [
    {
      id: 'twice',
      params: { n: { type: 'number' } },
      steps: [{ id: 'sum', type: 'transform', expression: '{{n}} * 2' }],
      returns: { sum: '{{sum}}', given: '{{n}}' },
    },
    {
      id: 'bare',
      check: { field: 'n', op: '>', value: 2 },
      onFail: { errorCode: 'TOO_FEW' },
      steps: [{ id: 'kept', type: 'object', fields: { n: '{{n}}' } }],
    },
  ],
  libraries: [
    {
      id: 'lib',
      blocks: {
        pick: {
          params: { list: {} },
          steps: [{ id: 'r', type: 'return_on', on: { field: 'list', op: 'not_exists' }, value: 'none' }],
          returns: { first: '{{first(list)}}' },
        },
      },
    },
  ],
};

const INPUT = {
  properties: {
    n: { type: 'number' },
    s: { type: 'string' },
    maybe: { type: 'boolean' },
    list: { type: 'array', items: { type: 'number' } },
  },
  required: ['n', 's'],
};

const NAMES = ['a', 'b', 'c', 'hero'] as const;
const name = fc.constantFrom(...NAMES);
const path = fc.oneof(
  name,
  fc.constantFrom(
    'hero.gold',
    'hero.name',
    'hero.kind',
    'hero.stats.xp',
    'hero.stats.title',
    'hero.wallet.coins',
    'hero.bag',
    'hero.bag.0.n',
    'hero.bag.length',
  ),
  fc.constantFrom('a.x', 'a.y', 'b.x', 'c.x', 'a[b]', 'a[input.s]', 'b.0', 'b.length', 'short', 'short.x'),
  fc.constantFrom(
    'input.n',
    'input.s',
    'input.maybe',
    'input.list',
    'input.extra',
    'platformId',
    '_unixS',
    'values.shop.fee',
    'values.shop.tags',
  ),
  fc.constantFrom('values.rooms[input.s].doors', 'values.rooms[a]', 'values.prices', 'values.shop.none', 'values.shop'),
);
const token = fc
  .oneof(
    { weight: 6, arbitrary: path },
    path.map((each) => `${each}|0`),
    path.map((each) => `${each}|'none'`),
    path.map((each) => `${each}|null`),
    path.map((each) => `-${each}`),
    fc.tuple(path, path).map(([a, b]) => `coalesce(${a}, ${b})`),
    path.map((each) => `num(${each}, 1)`),
    fc.tuple(path, fc.constantFrom('x', 'gold', 'input.s')).map(([a, b]) => `get(${a}, ${b}, 'no')`),
    fc.tuple(fc.constantFrom('first', 'count', 'sum', 'any', 'find'), path).map(([fn, each]) => `${fn}(${each})`),
    fc.tuple(path, fc.constantFrom('n', 'price', 'item.id', 'x')).map(([a, b]) => `pluck(${a}, ${b})`),
    fc.constantFrom('b.shift()', 'a.x.pop()'),
  )
  .map((body) => `{{${body}}}`);
const text = fc.oneof(
  { weight: 5, arbitrary: token },
  token.map((each) => `x ${each}`),
  fc.constantFrom('plain', ''),
);
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom<Json>(1, true, false, null, []),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', 'y', 'ok', 'error', 'status'), tie('value'), { maxKeys: 3 }),
  ),
})).value;
const expression = fc.oneof(
  token,
  fc
    .tuple(token, fc.constantFrom('+', '-', '*', '/', '%'), fc.oneof(token, fc.constantFrom('2', '0', '(1 + 1)')))
    .map((parts) => parts.join(' ')),
  token.map((each) => `max(${each}, 1)`),
  fc.tuple(fc.constantFrom('2', '-8', '{{input.n}}'), token).map(([base, to]) => `pow(${base}, ${to})`),
  path.map((each) => `filter(${each}, x => x)`),
  path.map((each) => `values(${each})`),
);
const check = fc.oneof(
  fc.record({ field: path, op: fc.constantFrom('exists', 'not_exists') }),
  fc.record({ field: path, op: fc.constantFrom('==', '>', 'contains'), value: fc.oneof(text, fc.constant<Json>(1)) }),
);
const checks = fc.oneof(
  check,
  fc.array(check, { minLength: 1, maxLength: 2 }).map((all) => ({ all })),
  fc.array(check, { minLength: 1, maxLength: 2 }).map((any) => ({ any })),
);
const route = fc.oneof(
  fc.constantFrom<Json>('continue', 'return', 'skip', { action: 'goto', step: 'later' }, { action: 'reject', error: 'NO', status: 409 }),
  fc.constant<Json>({ action: 'run', workflow: 'twice', params: { n: '{{input.n}}' }, as: 'c' }),
);
const rows = fc.oneof(
  fc.constant({ source: 'values', table: 'prices' }),
  fc.constant({ collection: 'heroes' }),
  path.map((from) => ({ from })),
);

const step: fc.Arbitrary<JsonObject> = fc.letrec<{ step: JsonObject; steps: JsonObject[] }>((tie) => {
  const made = (type: string, members: object) => fc.record({ id: name, type: fc.constant(type), ...members }) as fc.Arbitrary<JsonObject>;
  const changes = fc.dictionary(
    fc.constantFrom('a', 'b', 'a.x', 'a.y.z', 'b[input.s]', 'c[a]'),
    fc.oneof(
      value,
      expression.map((each) => ({ expression: each })),
    ),
    { minKeys: 1, maxKeys: 2 },
  );
  return {
    steps: fc.array(tie('step'), { maxLength: 2 }),
    step: fc.oneof(
      { depthSize: 'small' },
      made('transform', { value: text }),
      made('transform', { expression }),
      made('transform', { set: changes }),
      made('transform', { append: changes }),
      made('object', { fields: fc.dictionary(fc.constantFrom('x', 'y'), value, { maxKeys: 2 }) }),
      made('array', { items: fc.array(value, { maxLength: 2 }) }),
      made('merge', {
        sources: fc.array(fc.oneof(token, fc.dictionary(fc.constantFrom('x', 'y'), value, { maxKeys: 2 })), { maxLength: 2 }),
      }),
      made('compute', {
        values: fc.dictionary(fc.constantFrom('x', 'y'), fc.oneof(expression, fc.constantFrom('{{a.x}} + 1', '{{b.y}}')), {
          minKeys: 1,
          maxKeys: 2,
        }),
        output: fc.constantFrom('object', 'scalars'),
      }),
      // biome-ignore lint/suspicious/noThenProperty: the language's own word
      made('switch', { cases: fc.array(fc.record({ when: checks, then: value }), { minLength: 1, maxLength: 2 }), default: value }),
      made('random', { mode: fc.constantFrom('int', 'float', 'beta') }),
      made('random', { mode: fc.constant('weighted'), items: token }),
      made('sort', { source: token }),
      made('read', { collection: fc.constant('heroes'), required: fc.boolean() }),
      made('read', { collection: fc.constant('heroes'), key: fc.constant('nobody') }),
      made('write', { collection: fc.constant('heroes'), data: fc.constant<Json>({ gold: 9 }) }),
      made('write', {
        collection: fc.constant('heroes'),
        ops: fc.constant<Json>([{ op: 'inc', path: 'gold', value: 1, when: { field: 'input.maybe', op: 'exists' } }]),
      }),
      fc
        .tuple(made('lookup', { where: fc.constant({ field: 'price', op: '>', value: 7 }), required: fc.boolean() }), rows)
        .map(([one, from]) => ({ ...one, ...from })),
      made('lookup', { from: path, key: text, required: fc.boolean() }),
      fc
        .tuple(
          made(fc.sample(fc.constantFrom('filter', 'random_select'), 1)[0] ?? 'filter', {
            where: fc.constant({ field: 'price', op: 'exists' }),
          }),
          rows,
        )
        .map(([one, from]) => ({ ...one, ...from })),
      made('lookup_many', {
        source: fc.constant('values'),
        table: fc.constant('prices'),
        keyField: fc.constant('item'),
        keys: fc.constant(['axe', 'gun']),
        asMap: fc.boolean(),
      }),
      // biome-ignore lint/suspicious/noThenProperty: the language's own word
      made('condition', { check: checks, then: tie('steps'), else: tie('steps'), onTrue: route, onFalse: route }),
      made('condition', { check: checks, routes: fc.record({ false: route }) }),
      made('assert', { check: checks, errorCode: fc.constant('ASSERTED') }),
      made('block', { steps: tie('steps'), when: checks }),
      made('foreach', { from: path, item: fc.constantFrom('a', 'it'), maxIterations: fc.constant(5), steps: tie('steps') }),
      made('while', {
        condition: fc.constant({ field: 'b.length', op: '>', value: 0 }),
        let: fc.constant({ c: '{{b.shift()}}' }),
        maxIterations: fc.constant(3),
        steps: tie('steps'),
      }),
      made('return_on', { on: checks, value }),
      made('workflow', {
        workflow: fc.constantFrom('twice', 'bare', 'lib.pick'),
        params: fc.record({ n: fc.oneof(token, fc.constant<Json>(4)), list: token }),
      }),
    ),
  };
}).step;
const maybe = fc
  .tuple(step, fc.option(checks, { freq: 4 }), fc.boolean())
  .map(([one, when, short]) => ({ ...one, ...(when === null ? {} : { when }), ...(short ? { let: { short: 'a' } } : {}) }));
const endpoint = fc.record({
  steps: fc
    .tuple(fc.array(maybe, { maxLength: 6 }), fc.array(maybe, { maxLength: 2 }))
    .map(([before, after]) => [...before, { id: 'later', type: 'transform', value: '{{a}}' }, ...after]),
  response: fc.record({
    body: fc.oneof(
      fc.record({ a: fc.constant('{{a}}'), b: fc.constant('{{b}}'), c: fc.constant('{{c}}'), hero: fc.constant('{{hero}}'), v: value }),
      value,
    ),
  }),
});
const input = fc.record(
  {
    n: fc.constantFrom(0, 1, 3),
    s: fc.constantFrom('hall', 'x', '0'),
    maybe: fc.option(fc.boolean()),
    list: fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
  },
  { requiredKeys: ['n', 's'] },
);
const hero = fc.option(
  fc.record(
    {
      name: fc.constant('Ada'),
      kind: fc.constantFrom('mage', 'knight'),
      gold: fc.constantFrom(0, 50),
      stats: fc.constantFrom({}, { xp: 2, title: 'x' }),
      wallet: fc.constantFrom({}, { coins: 5 }),
      bag: fc.constantFrom([], [{ id: 'axe' }]),
    },
    { requiredKeys: ['name'] },
  ),
);

const KNOWN = definitionsIn(GAME);

function reads(document: JsonObject | null): Reads {
  const schema = KNOWN.collection('heroes')?.schema;
  if (schema === undefined) throw new Error('no heroes');
  const filled = (each: JsonObject | null) => (each === null ? null : fillDefaults(schema, each));
  const id = callOf({}).platformId;
  return {
    ...NO_READS,
    document: (_, key) => (key === id ? filled(document) : null),
    blank: () => filled({}),
    decide: (_, after) => filled(after),
    keys: () => [id],
  };
}

/** The game with one endpoint. */
function withEndpoint(definition: JsonObject): { readonly known: EffectiveDefinitions; readonly model: EndpointModel } {
  const model = endpointModel('try', { input: INPUT, ...definition });
  const { hash, collections, workflows, libraries, queries, values, rules, rawRules } = KNOWN;
  const known = {
    hash,
    collections,
    workflows,
    libraries,
    queries,
    values,
    rules,
    rawRules,
    endpoints: [model],
    collection: (id: string) => KNOWN.collection(id),
    endpoint: (slug: string) => (slug === 'try' ? model : undefined),
    workflow: (id: string) => KNOWN.workflow(id),
    library: (id: string) => KNOWN.library(id),
    query: (id: string) => KNOWN.query(id),
  };
  return { known, model };
}

test('every answer and every refusal of an endpoint fits its type', () => {
  let answered = 0;
  fc.assert(
    fc.property(endpoint, input, hero, fc.double({ min: 0, max: 0.999, noNaN: true }), (definition, given, document, drawn) => {
      const { known, model } = withEndpoint(definition);
      const [types] = typesOfGame(known).endpoints;
      if (types === undefined) throw new Error('no types');
      const compiled = compileEndpoint(model.definition, { ...known, values: known.values.values });
      const checked = checkInput(compiled, given as JsonObject, { fromQuery: false });
      if (checked instanceof Refusal) return;
      const result = runEndpoint(compiled, callOf({ input: checked, call: { random: () => drawn } }), reads(document as JsonObject | null));
      if (result instanceof Refusal) {
        const isKnown =
          types.types.hasOthers ||
          types.types.refusals.has(result.code) ||
          result.code in CATALOGUE ||
          result.code.startsWith('ENDPOINT_ERROR.');
        expect(isKnown, result.code).toBe(true);
        return;
      }
      answered += 1;
      const wrong = misfit(types.types.rendered, result.body);
      expect(wrong, `${JSON.stringify(result.body)} is not ${typeKey(types.types.rendered)}`).toBeNull();
    }),
    { numRuns: 200 },
  );
  expect(answered).toBeGreaterThan(40);
});
