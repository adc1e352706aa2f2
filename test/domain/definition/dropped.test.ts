import { describe, expect, it } from 'vitest';
import { stepTypes } from '../../../src/contract/resources/step.ts';
import { definitionFindings } from '../../../src/domain/definition/findings/definition.ts';
import { decidePutSingle, decideUpsertMany, decideUpsertOne } from '../../../src/domain/definition/push/decide-kind.ts';
import { decideSync } from '../../../src/domain/definition/push/decide-sync.ts';
import { preflight } from '../../../src/domain/definition/push/preflight.ts';
import { strictly } from '../../../src/domain/definition/push/strict.ts';
import { knownByName } from '../../../src/domain/definition/push/warnings.ts';
import { located, ParseBudget } from '../../../src/domain/definition/source/positions.ts';
import type { Known } from '../../../src/domain/finding.ts';
import type { ListedKind } from '../../../src/domain/kinds.ts';
import { decidePutTests, planTests } from '../../../src/domain/test/decide.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { stepKinds } from '../../../src/language/steps/registry.ts';
import { accepted, EMPTY, NOTHING_KNOWN, push, put } from './given.ts';

/** A member that nothing reads gets a finding, with its position and a suggestion. */

const KNOWN: Known = {
  ...NOTHING_KNOWN,
  collection: () => true,
  playersCollection: () => true,
  endpoint: () => true,
  callable: () => true,
  workflow: (id) => (id === 'charge' ? { id, returns: { left: '1' } } : undefined),
  returns: (id) => (id === 'charge' ? { left: '1' } : undefined),
  table: () => true,
  value: () => true,
};
const found = (kind: ListedKind, definition: JsonObject) =>
  definitionFindings(kind, definition, KNOWN).map(({ code, pointer, fix = '' }) => `${code} ${pointer} ${fix}`.trim());
const steps = (...list: JsonObject[]): JsonObject => ({ id: 'e', steps: list.map((step, index) => ({ id: `s${index}`, ...step })) });
const read = { id: 'hero', type: 'read', collection: 'c', key: 'k' };

describe('unknown members of steps', () => {
  it('are known for every type of step', () => {
    expect([...stepKinds.keys()].sort()).toEqual([...stepTypes].sort());
  });

  it.each<[string, JsonObject]>([
    [`UNKNOWN_STEP_MEMBER /steps/0/requird Did you mean 'required'?`, { ...read, requird: true }],
    [`UNKNOWN_STEP_MEMBER /steps/0/retries It may hold collection, key, required, onMissing.`, { ...read, retries: 3 }],
    [`UNKNOWN_STEP_MEMBER /steps/0/onMissing/mesage Did you mean 'message'?`, { ...read, onMissing: { mesage: 'x' } }],
    [
      `UNKNOWN_STEP_MEMBER /steps/0/ops/0/reson Did you mean 'reason'?`,
      { type: 'write', collection: 'c', key: 'k', ops: [{ op: 'inc', path: 'a', value: 1, reson: 'x' }] },
    ],
    [
      `INVALID_WRITE_OP /steps/0/ops/0/op Did you mean 'push'?`,
      { type: 'write', collection: 'c', key: 'k', ops: [{ op: 'psuh', path: 'a', value: 1 }] },
    ],
    [
      `UNKNOWN_STEP_MEMBER /steps/0/check/vaule Did you mean 'value'?`,
      { type: 'assert', check: { field: 'input.a', op: 'exists', vaule: 1 } },
    ],
    [
      `UNKNOWN_STEP_MEMBER /steps/0/routes/false/erorr Did you mean 'error'?`,
      { type: 'condition', check: { field: 'input.a', op: 'exists' }, routes: { false: { action: 'reject', erorr: 'X' } } },
    ],
    [`INVALID_STEP_TYPE /steps/0/type Did you mean 'lookup'?`, { type: 'lokup' }],
  ])('%s', (expected, step) => expect(found('endpoint', steps(step))).toContain(expected));

  it('are no findings where people keep notes', () => {
    expect(
      found(
        'endpoint',
        steps({ ...read, name: 'n', description: 'd', notes: 'n', metadata: {}, _x: 1, 'x-y': 2, comment: 'c', when: true }),
      ),
    ).toEqual([]);
  });

  it.each<[string, ListedKind, JsonObject]>([
    [`UNKNOWN_TOP_LEVEL_FIELD /requireSecretKey Did you mean 'requiresSecretKey'?`, 'endpoint', { ...steps(read), requireSecretKey: true }],
    [
      `UNKNOWN_FIELD_SETTING /schema/gold/defualt Did you mean 'default'?`,
      'collection',
      { schema: { gold: { type: 'number', defualt: 1 } } },
    ],
    [
      `UNKNOWN_QUERY_MEMBER /config/colums Did you mean 'columns'?`,
      'query',
      { sources: [{ collectionId: 'c' }], config: { field: 'gold', colums: ['a'] } },
    ],
    [
      'INVALID_FIELD /schema/additionalProperties Of the whole document it stands beside the fields: schema: { type: object, additionalProperties: …, properties: { … } }',
      'collection',
      { schema: { gold: 'number', additionalProperties: false } },
    ],
    [`INVALID_FIELD_TYPE /schema/gold/type Did you mean 'number'?`, 'collection', { schema: { gold: { type: 'nubmer' } } }],
  ])('%s', (expected, kind, definition) => expect(found(kind, definition)).toContain(expected));
});

describe('unknown members of rules and tests', () => {
  it('are found where they are pushed', () => {
    const rules = accepted(
      decidePutSingle(EMPTY, 'rate-limit-rules', [{ name: 'r', window: 'perDay', limit: 1, acton: 'flag' }], 'live', 0),
    );
    expect(rules.answer).toMatchObject({
      diagnostics: [{ code: 'UNKNOWN_RULE_MEMBER', sourcePointer: '/0/acton', suggestedFix: `Did you mean 'action'?` }],
    });
    const tests = accepted(
      decidePutTests(EMPTY, [
        { id: 't', endpoint: 'e', expects: { status: 200 } },
        { id: 'u', expect: { staus: 200, body: {} } },
      ]),
    );
    expect(tests.answer).toMatchObject({
      total: 2,
      diagnostics: [
        { code: 'UNKNOWN_TEST_MEMBER', sourcePointer: '/0/expects', suggestedFix: `Did you mean 'expect'?` },
        { code: 'UNKNOWN_TEST_MEMBER', sourcePointer: '/1/expect/staus', suggestedFix: `Did you mean 'status'?` },
      ],
    });
  });
});

describe('what nothing reads of the seed of a test', () => {
  const schema = { type: 'object', properties: { gold: 'number', hero: { type: 'object', properties: { level: 'number' } } } };
  const state = put(push(EMPTY, 'collection', [{ id: 'heroes', schema }]), 'game-values', {
    items: [{ id: 'shop', type: 'group', entries: { axe_price: 5 } }],
  });
  const found = (seed: JsonObject) => {
    const planned = planTests([{ id: 't', endpoint: 'e', seed }]);
    if (planned instanceof Refusal) throw planned;
    return planned
      .findings({ ...knownByName(state, 'live', new Map()), endpoint: () => true })
      .map(({ code, pointer, fix = '' }) => `${code} ${pointer} ${fix}`.trim());
  };

  it('is told: misspelt fields and entries, a group that nobody has, and what is no document', () => {
    const documents = { a: { glod: 1, hero: { levle: 2 }, more: 1, _id: 1 } };
    expect(found({ collections: { heroes: documents }, values: { shop: { axe_prise: 1, more: 1 }, shpo: {} } })).toEqual([
      `UNKNOWN_SEED_FIELD /0/seed/collections/heroes/a/glod Did you mean 'gold'?`,
      `UNKNOWN_SEED_FIELD /0/seed/collections/heroes/a/hero/levle Did you mean 'level'?`,
      `VALUE_NOT_FOUND /0/seed/values/shop/axe_prise Did you mean 'shop.axe_price'?`,
      `VALUE_NOT_FOUND /0/seed/values/shpo Did you mean 'shop'?`,
    ]);
    expect(found({ collections: { heroes: { a: 'gold' } } })).toEqual(['INVALID_MEMBER /0/seed/collections/heroes/a']);
    expect(found({ collections: { heroes: { a: { gold: 1 } } }, values: { shop: { axe_price: 1 } } })).toEqual([]);
  });
});

describe('a definition that comes twice in one push', () => {
  const twice: Json = [1, 2].map((ms) => ({ id: 'w', steps: [{ id: 's', type: 'sleep', ms }] }));
  const lost = [{ code: 'DUPLICATE_DEFINITION', sourcePointer: '/id' }];

  it('is told where it is lost: the last one is stored', () => {
    const { answer, events } = accepted(decideUpsertMany(EMPTY, 'workflow', twice, { target: 'live', replaceAll: false }));
    expect(answer['results']).toMatchObject([{ diagnostics: lost }, {}]);
    expect(JSON.stringify(answer['results']).match(/DUPLICATE_DEFINITION/g)).toHaveLength(1);
    expect(JSON.stringify(events)).toMatch(/ms[^}]*2/);
    expect(JSON.stringify(events)).not.toMatch(/ms[^}]*1/);
  });

  it('is told in a preflight, too, and refuses a strict push', () => {
    const checked = preflight(EMPTY, { workflows: twice }, 'live');
    expect(checked).toMatchObject({ workflows: { warnings: 1, results: [{ diagnostics: lost }, { diagnostics: [] }] } });
    expect(strictly(decideSync(EMPTY, { workflows: twice }, 'live', 0, { strict: true }))).toMatchObject({ code: 'STRICT_FINDINGS' });
  });
});

describe('unknown members beside what is pushed', () => {
  it('are found beside rules, game values and the one definition of a PATCH', () => {
    const beside = (answer: JsonObject) =>
      (answer['diagnostics'] as JsonObject[]).filter(({ code }) => code === 'UNKNOWN_TOP_LEVEL_FIELD').map(({ message }) => message);
    const rules = { rules: [], rule: [], notes: 'n', sourceText: 'x', _mine: 1 };
    expect(beside(accepted(decidePutSingle(EMPTY, 'rate-limit-rules', rules, 'live', 0)).answer)).toEqual([
      `Nothing is done with 'rule' here.`,
    ]);
    const values = { items: [{ id: 'g', type: 'group', entries: { a: 1 } }], itmes: [] };
    expect(beside(accepted(decidePutSingle(EMPTY, 'game-values', values, 'live', 0)).answer)).toEqual([
      `Nothing is done with 'itmes' here.`,
    ]);
    const patch = { workflow: { id: 'w', steps: [{ id: 's', type: 'sleep', ms: 1 }] }, strict: true };
    expect(beside(accepted(decideUpsertOne(EMPTY, 'workflow', patch, 'live')).answer)).toEqual([`'strict' beside 'workflow' is ignored.`]);
  });
});

describe('tokens that never have a value', () => {
  const answering = (body: Json, ...list: JsonObject[]): JsonObject => ({ ...steps(read, ...list), response: { body } });

  it.each<[string, JsonObject]>([
    [`UNKNOWN_NAME /response/body Did you mean 'hero'?`, answering('{{hreo.gold}}')],
    [`UNKNOWN_NAME /response/body/left`, answering({ left: '{{nothing.at.all|0}}' })],
    [
      `UNKNOWN_MEMBER /response/body Did you mean 'left'?`,
      answering('{{bill.letf}}', { id: 'bill', type: 'workflow', workflow: 'charge' }),
    ],
    [`UNKNOWN_MEMBER /response/body`, answering('{{sum.c}}', { id: 'sum', type: 'compute', values: { a: '1', b: '2' } })],
    [`UNKNOWN_MEMBER /response/body`, answering('{{ok.value}}', { id: 'ok', type: 'assert', check: { field: 'input.a', op: 'exists' } })],
    [`UNKNOWN_NAME /response/body`, answering('{{gone.gold}}', { id: 'gone', type: 'delete', collection: 'c', key: 'k' })],
    [
      `UNKNOWN_NAME /steps/1/check/field Did you mean 'hero'?`,
      steps(read, { type: 'assert', check: { field: 'hreo.gold', op: 'exists' } }),
    ],
    [
      `UNKNOWN_MEMBER /response/body Did you mean 'item'?`,
      { ...answering('{{input.itme}}'), input: { type: 'object', properties: { item: { type: 'string' } } } },
    ],
  ])('%s', (expected, definition) => expect(found('endpoint', definition)).toEqual([expected]));

  it.each<[string, JsonObject]>([
    [
      'built-in names and anything of the input',
      answering('{{platformId}} {{now}} {{_unixS}} {{input.anything.else}} {{values.shop.axe}}'),
    ],
    [
      'a name that is bound later, in a loop or by another name',
      answering('{{later}} {{renamed}}', { id: 'x', as: 'renamed', type: 'transform', value: 1 }, { id: 'later', type: 'random' }),
    ],
    [
      'what a sleep answers, and the parameter of a lambda in a token of its body',
      answering(
        '{{nap.sleptMs}}',
        { id: 'nap', type: 'sleep', ms: 1 },
        { type: 'transform', expression: 'filter({{hero.bag}}, x => {{x.n}} > 1)' },
      ),
    ],
    [
      'aliases, and names that a transform sets',
      { ...answering('{{purse}} {{n}} {{seen.a}}', { type: 'transform', set: { n: 1, 'seen[n]': 2 } }), let: { purse: 'hero.gold' } },
    ],
    [
      'items of loops, scalars, and what a route runs',
      answering(
        '{{each}} {{a}} {{c_run.left}}',
        { type: 'foreach', from: 'hero.list', item: 'each', maxIterations: 3, body: [{ id: 'z', type: 'random' }] },
        { type: 'compute', output: 'scalars', values: { a: '1' } },
        {
          id: 'c',
          type: 'condition',
          check: { field: 'hero.a', op: 'exists' },
          routes: { true: { action: 'run', workflow: 'charge' }, false: 'continue' },
        },
      ),
    ],
    [
      'what two steps bind',
      answering('{{x.b}}', { id: 'x', type: 'object', fields: { a: 1 } }, { id: 'y', as: 'x', type: 'object', fields: { b: 1 } }),
    ],
    [
      'calls, brackets and nested tokens',
      answering('{{num(hero.gold, 0)}} {{hero.list[hero.at]}} {{values.prices.{{input.kind}}_cost}} {{-hero.gold}}'),
    ],
    ['paths in a row', steps(read, { type: 'lookup', from: 'hero.list', where: { field: 'gold', op: '>', value: 1 } })],
  ])('%s pass', (_, definition) => expect(found('endpoint', definition).filter((each) => each.startsWith('UNKNOWN'))).toEqual([]));

  it('in definitions that others call, only names that are similar to a known one are findings', () => {
    const workflow = { id: 'w', params: { purse: {} }, steps: [{ id: 'a', type: 'transform', value: '{{pures}} {{whatever}}' }] };
    expect(found('workflow', workflow)).toEqual([`UNKNOWN_NAME /steps/0/value Did you mean 'purse'?`]);
  });
});

describe('findings in a source text', () => {
  const text =
    'sourceVersion: 1\nkind: endpoint\nid: e\nsteps:\n  - id: hero\n    type: read\n    collection: c\n    key: k\n    requird: true\nresponse:\n  body:\n    left: "{{hreo.gold}}"\n';

  it('have the line and column of what they are about', () => {
    const { answer } = accepted(
      decideUpsertMany(EMPTY, 'endpoint', [{ sourcePath: 'e.endpoint.yml', sourceText: text }], { target: 'live', replaceAll: false }),
    );
    const [result] = Object(answer).results;
    expect(result.diagnostics).toMatchObject([
      { code: 'UNKNOWN_STEP_MEMBER', sourcePointer: '/steps/0/requird', line: 9, column: 5, suggestedFix: `Did you mean 'required'?` },
      { code: 'COLLECTION_NOT_FOUND', sourcePath: 'e.endpoint.yml', line: 7, column: 5 },
      { code: 'UNKNOWN_NAME', sourcePointer: '/response/body/left', line: 12, column: 5 },
    ]);
  });

  it('have them inside a wrapper and in JSON, too; a missing member has the position of its parent', () => {
    const at = (sourceText: string, pointer: string) => {
      const [first] = located('endpoint', { sourceText }, [{ code: 'X', message: '', pointer }], new ParseBudget());
      return [first?.line, first?.column];
    };
    expect(at('kind: endpoint\ndefinition:\n  steps:\n    - type: read\n', '/steps/0/id')).toEqual([4, 7]);
    expect(at('{\n  "steps": [\n    { "type": "read" }\n  ]\n}', '/steps/0/type')).toEqual([3, 7]);
    expect(at('routes:\n  false: 1\n', '/routes/false')).toEqual([2, 3]);
    expect(at('kind: endpoint\nid: x\n', '/steps')).toEqual([2, 1]);
  });

  it('have pointers only, beyond the text that is parsed again per push', () => {
    const budget = new ParseBudget();
    const one = { sourceText: `${'#'.repeat(20_000)}\nsteps: []` };
    const lines = [1, 2].map(() => located('endpoint', one, [{ code: 'X', message: '', pointer: '/steps' }], budget)[0]?.line);
    expect(lines).toEqual([2, undefined]);
  });
});
