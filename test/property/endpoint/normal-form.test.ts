import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLAUSE_SHAPE, clause, switchCase } from '../../../src/contract/resources/condition.ts';
import { block, endpoint, workflow } from '../../../src/contract/resources/logic.ts';
import { column, computedValue, join, query, queryConfig, source } from '../../../src/contract/resources/query.ts';
import { onFail, onMissing, operation, route, STEPS, stepTypes } from '../../../src/contract/resources/step.ts';
import { LOGIC_SYNONYMS, PART_SYNONYMS, QUERY_SYNONYMS, STEP_SYNONYMS, type Synonyms } from '../../../src/contract/resources/synonyms.ts';
import { queryModel } from '../../../src/domain/definition/model/models.ts';
import { queryPlan } from '../../../src/domain/query/plan.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../src/kernel/json.ts';
import { normalise } from '../../../src/language/normal/logic.ts';
import { normaliseQuery } from '../../../src/language/normal/query.ts';
import { run } from '../../language/support.ts';
import { endpoints, workflows } from './definitions.ts';
import { queries } from './queries.ts';

/** The value at a pointer; names are not escaped, as in findings. `undefined`: there is none. */
function valueAt(json: Json | undefined, pointer: string): Json | undefined {
  if (pointer === '') return json;
  const rest = pointer.slice(1);
  if (isArray(json)) return valueAt(json[Number(rest.split('/', 1)[0])], rest.slice((rest.split('/', 1)[0] ?? '').length));
  if (!isObject(json)) return undefined;
  const name = Object.keys(json).find((each) => rest === each || rest.startsWith(`${each}/`));
  return name === undefined ? undefined : valueAt(json[name], rest.slice(name.length));
}

function* leaves(json: Json, pointer = ''): Generator<readonly [pointer: string, value: Json]> {
  const inner = isArray(json) || isObject(json) ? Object.entries(json) : [];
  if (inner.length === 0) yield [pointer, json];
  for (const [name, value] of inner) yield* leaves(value, `${pointer}/${name}`);
}

/** What a call comes to, refusals included. */
function outcome(definition: JsonObject, called: JsonObject): unknown {
  const world = {
    input: { n: 2, list: [{ a: 1 }, { a: 2, weight: 3 }] },
    values: { table: [{ id: 'k', a: 1 }] },
    documents: { 'c/k': { a: 1, bag: [{ a: 1 }] } },
    workflows: { w: called },
  };
  try {
    const { body, status, writes } = run(definition, world);
    return { body, status, writes };
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, status: error.status, message: error.message, body: error.extra };
    throw error;
  }
}

const SCHEMAS: readonly (readonly [string, { readonly shape: object }, Synonyms])[] = [
  ...stepTypes.map((type) => {
    const rows: Readonly<Record<string, Synonyms>> = STEP_SYNONYMS;
    return [type, STEPS[type], rows[type] ?? {}] as const;
  }),
  ['clause', clause, PART_SYNONYMS.clause],
  ['case', switchCase, PART_SYNONYMS.case],
  ['operation', operation, PART_SYNONYMS.operation],
  ['onMissing', onMissing, PART_SYNONYMS.onMissing],
  ['onFail', onFail, PART_SYNONYMS.onFail],
  ['route', route, { ...PART_SYNONYMS.route, ...PART_SYNONYMS.goto, ...PART_SYNONYMS.run }],
  ['block', block, LOGIC_SYNONYMS.block],
  ['endpoint', endpoint, LOGIC_SYNONYMS.endpoint],
  ['workflow', workflow, LOGIC_SYNONYMS.workflow],
  ['query', query, {}],
  ['source', source, QUERY_SYNONYMS.source],
  ['join', join, QUERY_SYNONYMS.join],
  ['column', column, QUERY_SYNONYMS.column],
  ['computedValue', computedValue, QUERY_SYNONYMS.computedValue],
  ['config', queryConfig, QUERY_SYNONYMS.config],
];

describe('the table of synonyms', () => {
  it.each(SCHEMAS)('names every member of %s that is the same as another, and no other', (_, { shape }, rows) => {
    const { shape: members }: { shape: Readonly<Record<string, unknown>> } = { shape: { ...shape } };
    const same = Object.entries(members).flatMap(([name, schema]) =>
      /^The same as/.test(String(Object(schema).description)) ? [name] : [],
    );
    const synonyms = Object.entries(rows).flatMap(([name, { names }]) => names.filter((each) => each !== name && !each.includes('.')));
    // What a route calls `target` depends on where it goes; exposure has a reading of its own.
    expect(new Set(same.filter((name) => !['publiclyCallable', 'internal', 'resourceKind'].includes(name)))).toEqual(
      new Set(synonyms.filter((name) => name !== 'target' || _ !== 'route')),
    );
    const normal = Object.keys(rows).filter((name) => !name.includes('.'));
    expect(normal.filter((name) => !(name in members) && !(name in CLAUSE_SHAPE))).toEqual([]);
  });
});

describe('the normal form', () => {
  it('of a normal form is itself', () => {
    fc.assert(
      fc.property(fc.oneof(endpoints, workflows), (definition) => {
        const { definition: normal } = normalise(definition);
        expect(normalise({ ...normal }).definition).toStrictEqual(normal);
      }),
      { numRuns: 300 },
    );
  });

  it('does what the original does', () => {
    fc.assert(
      fc.property(endpoints, workflows, (definition, called) => {
        const [normal, inner] = [normalise(definition).definition, normalise(called).definition];
        expect(outcome({ ...normal }, { ...inner })).toStrictEqual(outcome(definition, called));
      }),
      { numRuns: 300 },
    );
  });

  it('leads back to where each of its values was written', () => {
    fc.assert(
      fc.property(fc.oneof(endpoints, workflows), (definition) => {
        const { definition: normal, sourceOf } = normalise(definition);
        for (const [pointer, value] of leaves(normal)) {
          const source = sourceOf(pointer);
          const written = valueAt(definition, source);
          // A route that is a word stands where its members would.
          const outer = valueAt(definition, source.slice(0, source.lastIndexOf('/')));
          const isWord = typeof outer === 'string' || outer === false;
          if (!isWord && !pointer.endsWith('/action')) expect([source, written]).toStrictEqual([source, value]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leaves what was written as it was', () => {
    fc.assert(
      fc.property(endpoints, (definition) => {
        const before = JSON.stringify(definition);
        normalise(definition);
        expect(JSON.stringify(definition)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the normal form of a query', () => {
  it('of a normal form is itself', () => {
    fc.assert(
      fc.property(queries, (definition) => {
        const { definition: normal } = normaliseQuery(definition);
        expect(normaliseQuery({ ...normal }).definition).toStrictEqual(normal);
      }),
      { numRuns: 300 },
    );
  });

  it('plans what the original plans', () => {
    fc.assert(
      fc.property(queries, (definition) => {
        expect(planned({ ...normaliseQuery(definition).definition })).toEqual(planned(definition));
      }),
      { numRuns: 300 },
    );
  });

  it('leads back to where each of its values was written', () => {
    fc.assert(
      fc.property(queries, (definition) => {
        const { definition: normal, sourceOf } = normaliseQuery(definition);
        for (const [pointer, value] of leaves(normal)) {
          const source = sourceOf(pointer);
          // A map of computed values is a list, its names are places, and `on` is empty without the members that moved.
          const isMade = /\/computed\/\d+\/(?:name|expression)$|\/(?:on|computed)$/.test(pointer);
          if (!isMade) expect([source, valueAt(definition, source)]).toStrictEqual([source, value]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [{ field: { key: 'k', field: 'gold' } }, { field: { name: 'k', path: 'gold' } }],
    [
      { columns: ['gold', { id: 'g', valuePath: 'gold', title: 'Gold' }] },
      { columns: [{ path: 'gold' }, { name: 'g', path: 'gold', label: 'Gold' }] },
    ],
    [
      { calculations: { twice: '{{gold * 2}}', half: { key: 'h', expr: 'gold / 2' } } },
      {
        computed: [
          { name: 'twice', expression: '{{gold * 2}}' },
          { name: 'half', expression: 'gold / 2' },
        ],
      },
    ],
    [{ joins: [{ sourceIndex: 1, on: { local: 'clan', right: 'id' } }] }, { joins: [{ index: 1, left: 'clan', right: 'id', on: {} }] }],
    [
      { fieldExpression: 'a', expression: 'b', valueLabel: 'V' },
      { expression: 'a', fieldLabel: 'V' },
    ],
  ])('has one name for each member: %j', (config, normal) => {
    expect(normaliseQuery({ config }).definition.config).toEqual(normal);
  });
});

/** The plan of a query as data. */
function planned(definition: JsonObject): unknown {
  const plan = queryPlan(
    queryModel({ kind: 'query', id: 'q', value: definition, hash: 'h', updatedAt: 0, live: null, staged: null }, () => undefined),
  );
  return JSON.parse(JSON.stringify(plan, (_, value) => (typeof value === 'function' ? 'computed' : value)));
}
