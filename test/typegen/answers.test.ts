import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { memberOf, typesOf } from './support.ts';

/** What is known of answers and refusals before a call. */

const HEROES = { id: 'heroes', schema: { name: 'string', gold: { type: 'number', default: 0 }, bag: { type: 'array', items: 'string' } } };
const VALUES = {
  items: [
    { id: 'shop', type: 'group', name: 'Shop', entries: { fee: 5, open: true } },
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
};
const READ = { id: 'hero', type: 'read', collection: 'heroes', required: true };

function endpoint(definition: JsonObject, more: JsonObject = {}): (member: string) => string {
  const types = typesOf({ collections: [HEROES], gameValues: VALUES, endpoints: [{ id: 'try', ...definition }], ...more });
  return (member) => memberOf(types, 'endpoints', 'try', member);
}

/** The type of a template, after these steps. */
function typeOf(template: Json, steps: readonly JsonObject[] = [], more: JsonObject = {}): string {
  const answer = endpoint({ steps: [...steps], response: { body: { it: template } } }, more)('answer');
  return answer.replace(/^\{ readonly it(\??): (.*?);? \}$/, '$1$2');
}

describe('a template', () => {
  it.each<[template: Json, type: string]>([
    ['{{hero}}', 'Heroes'],
    ['{{hero.gold}}', 'number'],
    ['{{hero.name}}', '?string'],
    ['{{hero.name|Nobody}}', 'string'],
    ['{{hero.name|null}}', 'string | null'],
    ['{{-hero.name}}', 'number'],
    ['{{hero.bag.length}}', '?number'],
    ['{{hero.bag.0}}', '?string'],
    ['{{hero.title}}', '?unknown'.replace('unknown', 'undefined')],
    ['Hello {{hero.name}}', 'string'],
    ['{{values.shop.fee}}', 'number'],
    ['{{values.prices}}', 'readonly { readonly item: string; readonly price: number; readonly rare?: boolean }[]'],
    ['{{values.shop.{{input.name}}}}', '?unknown'],
    ['{{input.anything}}', '?unknown'],
    ['{{now}}', 'string'],
    ['{{_unixS}}', 'number'],
    ['{{coalesce(hero.name, 5)}}', 'string | number'],
    ['{{sum(hero.bag)}}', 'number'],
    ['{{find(hero.bag, x => x == 1)}}', 'string | null'],
    ['{{pluck(values.prices, price)}}', 'readonly number[]'],
    ['{{ nonsense( }}', '?undefined'],
    [['{{hero.gold}}', '{{hero.name}}'], 'readonly (number | string | null)[]'],
    [true, 'true'],
    ['plain', "'plain'"],
  ])('%j is %s', (template, type) => {
    const found = typeOf(template, [READ]);
    expect(found === '?never' ? '?undefined' : found).toBe(type);
  });
});

describe('an expression', () => {
  it.each([
    ['{{hero.gold}} * 2', 'number'],
    ['{{hero.gold}} / 2', 'number'],
    ['2 / {{hero.gold}}', 'number | null'],
    ['{{hero.gold}} % {{hero.gold}}', 'number | null'],
    ['pow(1.1, {{hero.gold}})', 'number'],
    ['pow({{hero.gold}}, 2)', 'number | null'],
    ['filter(hero.bag, x => x == 1)', 'readonly string[]'],
    ['any(hero.bag)', 'boolean'],
    ['{{hero.name}}', '?string'],
  ])('%s is %s', (expression, type) => {
    expect(typeOf('{{made}}', [READ, { id: 'made', type: 'transform', expression }])).toBe(type);
  });
});

describe('a step', () => {
  const table = { source: 'values', table: 'prices', where: { field: 'price', op: '>', value: 1 } };
  const row = '{ readonly item: string; readonly price: number; readonly rare?: boolean }';

  it.each<[step: JsonObject, type: string]>([
    [{ type: 'read', collection: 'heroes' }, 'Heroes | null'],
    [{ type: 'read', collection: 'heroes', required: true }, 'Heroes'],
    [{ type: 'write', collection: 'heroes', data: { gold: 1 } }, 'Heroes'],
    [
      { type: 'write', collection: 'heroes', ops: [{ op: 'inc', path: 'gold', value: 1, when: { field: 'input.x', op: 'exists' } }] },
      '?Heroes',
    ],
    [{ type: 'lookup', ...table }, `${row} | null`],
    [{ type: 'lookup', ...table, required: true }, row],
    [{ type: 'filter', ...table }, `readonly ${row.replace('}', '}')}[]`],
    [{ type: 'random_select', ...table }, `${row} | null`],
    [{ type: 'lookup_many', source: 'values', table: 'prices', keys: ['axe'] }, `{ readonly [name: string]: ${row} | null | undefined }`],
    [{ type: 'condition', check: { field: 'input.x', op: 'exists' }, onFalse: 'continue' }, 'boolean'],
    [{ type: 'condition', check: { field: 'input.x', op: 'exists' } }, 'true'],
    [{ type: 'random' }, 'number'],
    [{ type: 'switch', cases: [{ when: { field: 'input.x', op: 'exists' }, value: 'a' }], default: 'b' }, "'a' | 'b'"],
    [{ type: 'merge', sources: [{ a: 1, b: 'x' }, { b: true }] }, '{ readonly a: number; readonly b: true }'],
    [{ type: 'compute', values: { a: '{{_unixS}}', b: '{{it.a}} + 1' } }, '{ readonly a: number; readonly b: number }'],
    [{ type: 'transform', value: 5, when: { field: 'input.x', op: 'exists' } }, '?number'],
  ])('%j gives %s', (step, type) => {
    expect(typeOf('{{it}}', [{ id: 'it', ...step }])).toBe(type);
  });

  it('a loop collects what its iterations append', () => {
    const loop = {
      id: 'all',
      type: 'foreach',
      from: 'values.prices',
      item: 'row',
      maxIterations: 9,
      steps: [{ id: 'more', type: 'transform', append: { names: '{{row.item}}' } }],
    };
    expect(typeOf('{{names}}', [{ id: 'start', type: 'transform', set: { names: [] } }, loop])).toBe('readonly string[]');
  });

  it('a type that a loop changes without end is unknown, and not wrong', () => {
    const grow = {
      id: 'grow',
      type: 'while',
      condition: { field: 'n', op: '<', value: 9 },
      maxIterations: 9,
      steps: [{ id: 'x', type: 'transform', set: { n: { in: '{{n}}' } } }],
    };
    expect(typeOf('{{n}}', [{ id: 'n', type: 'transform', value: 1 }, grow])).toBe('?unknown');
  });

  it('a value that was checked to exist exists', () => {
    const steps = [
      { id: 'hero', type: 'read', collection: 'heroes' },
      { id: 'there', type: 'condition', check: { field: 'hero.name', op: 'exists' } },
    ];
    expect(typeOf('{{hero.name}}', steps)).toBe('string');
    expect(typeOf('{{hero.gold}}', steps)).toBe('number');
  });

  it('a workflow returns its types, by the params that it is called with', () => {
    const workflows = [{ id: 'same', steps: [], returns: { same: '{{n}}' } }];
    expect(typeOf('{{w.same}}', [{ id: 'w', type: 'workflow', workflow: 'same', params: { n: '{{platformId}}' } }], { workflows })).toBe(
      'string',
    );
    expect(typeOf('{{w.same}}', [{ id: 'w', type: 'workflow', workflow: 'same', params: { n: [1] } }], { workflows })).toBe(
      'readonly number[]',
    );
  });
});

describe('an answer', () => {
  it('is the union over all paths through the steps', () => {
    const early = { id: 'early', type: 'return_on', on: { field: 'input.x', op: 'exists' }, value: { early: true } };
    expect(endpoint({ steps: [early], response: { body: { late: 1 } } })('answer')).toBe(
      '{ readonly early: true } | { readonly late: number }',
    );
  });

  it('is never if the steps always refuse', () => {
    const no = {
      id: 'no',
      type: 'condition',
      check: { field: 'input.x', op: 'exists' },
      onTrue: { action: 'reject' },
      onFalse: { action: 'reject' },
    };
    expect(endpoint({ steps: [no] })('answer')).toBe('never');
  });

  it('is ok by default, and has the echoes', () => {
    expect(endpoint({ steps: [] })('answer')).toBe('{ readonly ok: true }');
    expect(endpoint({ steps: [READ], response: { echo: ['{{hero.gold}}'] } })('answer')).toBe('{ readonly gold: number }');
  });
});

describe('refusals', () => {
  const refusals = (definition: JsonObject, more?: JsonObject) => endpoint(definition, more)('refusals');

  it('are those of conditions, checks, routes and required look-ups', () => {
    const steps = [
      { ...READ, onMissing: { errorCode: 'NO_HERO' } },
      { id: 'a', type: 'assert', check: { field: 'input.x', op: 'exists' }, errorCode: 'NO_X' },
      { id: 'b', type: 'condition', check: { field: 'input.y', op: 'exists' }, routes: { false: { action: 'reject', error: 'NO_Y' } } },
      { id: 'c', type: 'condition', check: { field: 'input.z', op: 'exists' }, onFail: { error: 'NO_Z' } },
    ];
    expect(refusals({ steps })).toBe("'NO_HERO' | 'NO_X' | 'NO_Y' | 'NO_Z'");
  });

  it('include those of workflows, blocks and what these call', () => {
    const deep = { id: 'a', type: 'assert', check: { field: 'x', op: 'exists' }, errorCode: 'DEEP' };
    const workflows = [
      {
        id: 'w',
        check: { field: 'n', op: 'exists' },
        onFail: { error: 'GUARDED' },
        steps: [{ id: 'b', type: 'call', target: 'lib.block' }],
      },
    ];
    const libraries = [{ id: 'lib', blocks: { block: { steps: [{ id: 'c', type: 'call', target: 'inner' }] }, inner: { steps: [deep] } } }];
    expect(
      refusals({ imports: ['lib'], steps: [{ id: 'w', type: 'workflow', workflow: 'w', params: { n: 1 } }] }, { workflows, libraries }),
    ).toBe("'DEEP' | 'GUARDED'");
  });

  it('include answers that are refusals', () => {
    const no = { id: 'no', type: 'return_on', on: { field: 'input.x', op: 'exists' }, value: { ok: false, error: { code: 'CLOSED' } } };
    const closed = endpoint({ steps: [no] });
    expect([closed('answer'), closed('refusals')]).toEqual(['{ readonly ok: true }', "'CLOSED'"]);
    expect(refusals({ steps: [], response: { status: 409, body: { ok: false, error: '{{input.code}}' } } })).toBe('string');
  });

  it('exclude steps that no call reaches', () => {
    const after = { id: 'b', type: 'assert', check: { field: 'input.x', op: 'exists' }, errorCode: 'NEVER' };
    expect(refusals({ steps: [{ id: 'end', type: 'return', value: 1 }, after] })).toBe('never');
  });
});

describe('an input', () => {
  const input = (declared: JsonObject | undefined, steps: JsonObject[] = []) =>
    endpoint({ steps, ...(declared === undefined ? {} : { input: declared }) })('input');

  it('has the required members, and may have the others', () => {
    const properties = {
      item: { type: 'string', enum: ['axe', 'bow'] },
      count: { type: 'int', default: 1 },
      tags: { type: 'array', items: 'string' },
    };
    expect(input({ properties, required: ['item'] })).toBe(
      "{ readonly item: 'axe' | 'bow'; readonly count?: number; readonly tags?: readonly string[] }",
    );
  });

  it('is anything if nothing is declared but something is read, and nothing if nothing is read', () => {
    expect(input(undefined, [{ id: 'a', type: 'transform', value: '{{input.x}}' }])).toBe('{ readonly [name: string]: unknown }');
    expect(input(undefined)).toBe('{ readonly [name: string]: never }');
  });
});

describe('the text', () => {
  it('does not depend on the order of the definitions', () => {
    const [a, b] = [
      { id: 'a', steps: [] },
      { id: 'b', steps: [] },
    ];
    expect(typesOf({ endpoints: [a, b], collections: [HEROES, { id: 'x' }] })).toBe(
      typesOf({ endpoints: [b, a], collections: [{ id: 'x' }, HEROES] }),
    );
  });

  it('leaves out endpoints that nobody can call', () => {
    const types = typesOf({
      endpoints: [
        { id: 'a', steps: [] },
        { id: 'b', enabled: false },
        { id: 'c', deprecated: true },
        { id: 'd', exposure: 'internal' },
      ],
    });
    expect(types).toContain('readonly a: {');
    expect(types).not.toMatch(/readonly [bcd]: \{/);
  });

  it('contains authors’ descriptions, and cannot be broken by them', () => {
    const types = typesOf({
      collections: [{ id: 'x', description: 'ends */ here', schema: { "it's": { type: 'string', description: 'Two\nlines' } } }],
    });
    expect(types).toContain('/** ends *\\/ here */');
    expect(types).toContain("readonly 'it\\'s'?: string;");
  });

  it('makes required fields optional if endpoints write the document', () => {
    const collections = [{ id: 'x', schema: { name: { type: 'string', required: true } } }];
    const write = { id: 'w', type: 'write', collection: 'x', key: 'k', data: { n: 1 } };
    expect(typesOf({ collections })).toMatch(/interface X \{\n {2}readonly name: string;/);
    expect(typesOf({ collections, endpoints: [{ id: 'a', steps: [write] }] })).toMatch(/interface X \{\n {2}readonly name\?: string;/);
  });
});
