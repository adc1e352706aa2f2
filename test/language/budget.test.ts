import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { runEndpoint } from '../../src/language/execute.ts';
import { WORK_PER_CHECK } from '../../src/language/expressions/call.ts';
import { callOf, checked, compile, NO_READS, refused, run, STILL } from './support.ts';

/** Everything that a definition, a document or an input can make large is charged for, and the clock is read where it is charged. */

/** Thrown by the world of a run after enough work. */
class Enough extends Error {}

interface Watched {
  /** Members and items of the input that the run read. */
  touched: number;
  /** Number of calls of `checkTime`. */
  checks: number;
}

const MOST_CHECKS = 12;
/** Reads of members per unit of work: looking up a name follows a path, and each member takes two or three reads. */
const TOUCHES_PER_UNIT = 12;
/** A run that is charged too little would go on for minutes, so it is stopped here. */
const FAR_TOO_MANY = 4 * TOUCHES_PER_UNIT * WORK_PER_CHECK * MOST_CHECKS;

/** The same value, which counts every read. */
function counted<T extends object>(value: T, watched: Watched): T {
  const seen = new Map<object, object>();
  const touch = () => {
    watched.touched += 1;
    if (watched.touched > FAR_TOO_MANY) throw new Enough('far too much work for what was charged');
  };
  const wrap = (inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    const known = seen.get(inner);
    if (known) return known;
    const proxy: object = new Proxy(inner, {
      get: (target, name, receiver) => {
        touch();
        return wrap(Reflect.get(target, name, receiver));
      },
      ownKeys: (target) => {
        const names = Reflect.ownKeys(target);
        for (const _ of names) touch();
        return names;
      },
    });
    seen.set(inner, proxy);
    return proxy;
  };
  return wrap(value) as T;
}

function watch(definition: JsonObject, input: JsonObject): Watched {
  const watched: Watched = { touched: 0, checks: 0 };
  const checkTime = () => {
    watched.checks += 1;
    if (watched.checks >= MOST_CHECKS) throw new Enough();
  };
  try {
    run(definition, { input: counted(input, watched), call: { effects: { ...STILL, checkTime } } });
  } catch (error) {
    if (!(error instanceof Enough || error instanceof Refusal)) throw error;
  }
  return watched;
}

const INPUT: JsonObject = {
  a: 1,
  text: 'x',
  list: Array.from({ length: 60 }, (_, index) => ({ id: `k${index}`, n: index, deep: { x: 1 } })),
  numbers: Array.from({ length: 60 }, (_, index) => index),
  keys: Array.from({ length: 60 }, (_, index) => `k${index}`),
  wide: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, index])),
};

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

/** Ways in which little text causes much work, `n` times each. Their tokens print nothing. */
const AMPLIFIERS: Readonly<Record<string, (n: number) => JsonObject>> = {
  'tokens that print nothing': (n) => ({ type: 'transform', value: `-${'{{input.none}}'.repeat(n)}` }),
  'members of an object': (n) => ({ type: 'object', fields: Object.fromEntries(many(n, (index) => [`f${index}`, '{{input.a}}'])) }),
  'members of a deep object': (n) => ({ type: 'object', fields: { a: { b: { c: many(n, () => '{{input.a}}') } } } }),
  'items of an array': (n) => ({ type: 'array', items: many(n, () => '{{input.none}}') }),
  'checks of a condition': (n) => ({
    type: 'condition',
    check: { all: many(n, () => ({ field: 'input.a', op: '==', value: 1 })) },
    routes: { false: 'continue' },
  }),
  'terms of a lambda': (n) => ({
    type: 'transform',
    expression: `count(input.list, x => ${many(n, () => 'x.n != 99').join(' && ')})`,
  }),
  'tokens of a selector': (n) => ({ type: 'transform', expression: `pluck(input.list, "-${'{{input.none}}'.repeat(n)}")` }),
  'checks of a where': (n) => ({
    type: 'filter',
    from: 'input.list',
    where: { all: many(n, () => ({ field: 'n', op: '!=', value: 99 })) },
  }),
  'clauses of a where without an op': (n) => ({ type: 'filter', from: 'input.list', where: { any: many(n, () => ({ field: 'n' })) } }),
  'keys of lookup_many': (n) => ({ type: 'lookup_many', from: 'input.list', keys: many(n, () => 'k1'), asMap: false }),
  'keys of the input': () => ({ type: 'lookup_many', from: 'input.list', keys: '{{input.keys}}' }),
  'operands of arithmetic': (n) => ({ type: 'transform', expression: many(Math.min(n, 200), () => '{{input.a}}').join('+') }),
  'arguments of a function': (n) => ({ type: 'transform', value: `{{coalesce(${many(n, () => 'input.none').join(', ')})}}` }),
  'cases of a switch': (n) => ({
    type: 'switch',
    cases: many(n, () => ({ when: { field: 'input.a', op: '==', value: 2 }, value: 1 })),
  }),
  'entries of a compute': (n) => ({ type: 'compute', values: Object.fromEntries(many(n, (index) => [`v${index}`, '{{input.a}}'])) }),
  'a list as a number': () => ({ type: 'transform', expression: 'pluck(input.keys, "{{input.numbers}} + 1{{input.a}}")' }),
  'a list as a key': () => ({ type: 'transform', expression: 'pluck(input.keys, "{{input.wide}}{{input.numbers}}")' }),
  'a sort': () => ({ type: 'sort', source: '{{input.list}}', by: '{{item.n}}{{input.none}}' }),
  'a merge': (n) => ({ type: 'merge', sources: many(n, () => '{{input.wide}}') }),
  'operations of a write': (n) => ({
    type: 'write',
    collection: 'c',
    key: 'k',
    ops: many(Math.min(n, 100), () => ({ op: 'push', path: 'list', value: '{{input.none|1}}' })),
  }),
  'items that are taken': (n) => ({
    type: 'write',
    collection: 'c',
    key: 'k',
    ops: [
      { op: 'set', path: 'list', value: '{{input.list}}' },
      ...many(Math.min(n, 99), () => ({ op: 'pull', path: 'list', match: { id: 'none' } })),
    ],
  }),
  'a contained value': (n) => ({
    type: 'condition',
    check: { any: many(n, () => ({ field: 'input.numbers', op: 'contains', value: 'none' })) },
    routes: { false: 'continue' },
  }),
};

describe('the work budget of a call', () => {
  it('charges for whatever a definition or an input makes large, alone and inside loops', () => {
    const amplified = fc.tuple(fc.constantFrom(...Object.keys(AMPLIFIERS)), fc.integer({ min: 1, max: 400 }));
    fc.assert(
      fc.property(fc.array(amplified, { minLength: 1, maxLength: 3 }), fc.boolean(), (chosen, nested) => {
        const body = chosen.map(([name, n], index): JsonObject => ({ id: `s${index}`, ...AMPLIFIERS[name]?.(n) }));
        const loop = (steps: readonly Json[]): JsonObject => ({ id: 'l', type: 'foreach', from: 'input.keys', item: 'k', steps });
        const steps = nested ? [loop([loop(body)])] : [loop(body)];
        const { touched, checks } = watch({ steps, response: { body: {} } }, INPUT);
        expect(touched).toBeLessThan(TOUCHES_PER_UNIT * WORK_PER_CHECK * (checks + 1));
      }),
      { numRuns: 60 },
    );
  });

  it.each(Object.entries(AMPLIFIERS))('is charged for %s', (_name, make) => {
    const loop = (steps: readonly Json[]): JsonObject => ({ id: 'l', type: 'foreach', from: 'input.keys', item: 'k', steps });
    const { touched, checks } = watch({ steps: [loop([loop([{ id: 's', ...make(400) }])])] }, INPUT);
    expect(touched).toBeLessThan(TOUCHES_PER_UNIT * WORK_PER_CHECK * (checks + 1));
    expect(checks).toBe(MOST_CHECKS);
  });

  it('ends a call whose small definition goes through a large list for each of its items', () => {
    const each = '{{input.a}}'.repeat(40);
    const steps = [{ id: 'c', type: 'transform', expression: `count(input.list, "${each}")` }];
    const list = many(120_000, () => 0);
    expect(refused({ steps }, { input: { list } })).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
  });

  it.each<[string, JsonObject, number]>([
    ['merges an object', { type: 'merge', sources: ['{{input.wide}}'] }, 50],
    ['changes a member of a name', { type: 'transform', set: { held: '{{input.wide}}', 'held.f1': 2 } }, 50],
    ['lists the values of an object', { type: 'transform', expression: 'values(input.wide)' }, 80],
    ['looks up many rows', { type: 'lookup_many', from: 'input.rows', keys: '{{input.keys}}' }, 25],
    ['lists many rows', { type: 'lookup_many', from: 'input.rows', keys: '{{input.keys}}', asMap: false }, 50],
    ['looks for a row among many', { type: 'lookup_many', from: 'input.rows', keys: ['none'] }, 80],
    [
      'merges into a document',
      { type: 'write', collection: 'c', key: 'k', ops: [{ op: 'merge', path: 'a', value: '{{input.wide}}' }] },
      50,
    ],
    ['hands many params on', { type: 'call', target: 'b', params: Object.fromEntries(many(5000, (index) => [`p${index}`, index])) }, 100],
  ])('ends a call that %s, after as many turns as an ordinary call has time for', (_, step, most) => {
    const input = {
      wide: Object.fromEntries(many(5000, (index) => [`f${index}`, index])),
      rows: many(5000, (index) => ({ id: `k${index}` })),
      keys: many(5000, (index) => `k${index}`),
    };
    let turns = 0;
    const sleep = () => {
      turns += 1;
    };
    const effects = { ...STILL, sleep };
    const body = [
      { id: 'turn', type: 'sleep', ms: 0 },
      { id: 's', ...step },
    ];
    const steps = [{ id: 'l', type: 'while', condition: { field: 'input', op: 'exists' }, maxIterations: 1000, body }];
    const definition = { blocks: { b: { steps: [{ id: 'r', type: 'return' }] } }, steps };
    expect(refused(definition, { input, call: { effects } })).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(turns).toBeGreaterThan(1);
    expect(turns).toBeLessThanOrEqual(most + 1);
  });

  it('ends a call that changes many large documents, sooner with a ledger, and one that deletes many', () => {
    const wide = Object.fromEntries(many(800, (index) => [`f${index}`, index]));
    const changes: readonly JsonObject[] = [
      { id: 'c', type: 'write', collection: 'c', key: 'k{{n}}', ops: [{ op: 'inc', path: 'f1', value: 1 }] },
      { id: 'c', type: 'delete', collection: 'c', key: 'k{{n}}' },
    ];
    for (const change of changes) {
      const ends = (count: number, ledger: boolean) => {
        const compiled = compile({ steps: [{ id: 'l', type: 'foreach', from: 'input.list', item: 'n', steps: [change] }] });
        const reads = { ...NO_READS, document: () => wide, hasLedger: () => ledger };
        const answer = runEndpoint(compiled, callOf({ input: { list: many(count, (index) => index) } }), reads);
        return answer instanceof Refusal ? answer.code : 'runs';
      };
      expect([ends(60, true), ends(120, false), ends(120, true), ends(400, false)]).toEqual([
        ...['runs', 'runs'],
        ...['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED'],
      ]);
    }
  });

  it('ends a call that takes too long', () => {
    let checks = 0;
    const late = new Refusal(400, 'LIMIT_EXCEEDED', 'late');
    const checkTime = () => {
      checks += 1;
      if (checks === 3) throw late;
    };
    const steps = [
      {
        id: 'l',
        type: 'foreach',
        from: 'input.list',
        steps: [{ id: 'c', type: 'transform', expression: 'count(input.numbers, x => x == 1)' }],
      },
    ];
    const input = { list: many(900, () => 0), numbers: many(60, (index) => index) };
    expect(refused({ steps }, { input, call: { effects: { ...STILL, checkTime } } })).toBe(late);
    expect(checks).toBe(3);
  });

  it('is not checked in an ordinary call', () => {
    let checks = 0;
    const checkTime = () => {
      checks += 1;
    };
    const steps = [
      { id: 'p', type: 'read', collection: 'players', key: '{{platformId}}' },
      { id: 'w', type: 'write', collection: 'players', key: '{{platformId}}', ops: [{ op: 'inc', path: 'gold', value: '{{input.n}}' }] },
    ];
    run({ steps, response: { body: { gold: '{{p.gold}}' } } }, { input: { n: 5 }, call: { effects: { ...STILL, checkTime } } });
    expect(checks).toBe(0);
  });
});

describe('the check of an input', () => {
  it('visits no more fields of a small object than it has members', () => {
    const properties = Object.fromEntries(many(5000, (index) => [`f${index}`, { type: 'number' }]));
    const watched: Watched = { touched: 0, checks: 0 };
    const list = many(300, () => ({ f1: 1 }));
    checked({ properties: { list: { type: 'array', items: { type: 'object', properties } } } }, counted({ list }, watched));
    expect(watched.touched).toBeLessThan(20_000);
  });

  it('tests a type once, however often it is listed', () => {
    const type = many(5000, () => 'number');
    expect(checked({ properties: { n: { type } } }, { n: 1 })).toEqual({ n: 1 });
    expect(() => checked({ properties: { n: { type } } }, { n: 'x' })).toThrow('Field "n" must be of type number');
  });
});
