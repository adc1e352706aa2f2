import { describe, expect, it } from 'vitest';
import { ExactNumber, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { refused, result, run, STILL } from './support.ts';

/** A computed name, because an object literal with it looks like a promise to linters. */
const THEN = 'then';

const values = {
  swords: [
    { id: 'a', price: 5, tier: 1 },
    { id: 'b', price: 9, tier: 2, weight: 0 },
    { id: 'c', price: 7, tier: 2, weight: 3 },
  ],
  costs: { heal: 3 },
};
const list: Json = { id: 'list', type: 'array', items: [3, null, 1, 2] };

function bound(step: Json, world = {}): Json {
  return result([list, step], '{{s}}', { values, ...world });
}

describe('read', () => {
  const documents = { 'bags/main': { gold: 1 } };

  it('binds the document, and null for a missing one', () => {
    expect(bound({ id: 's', type: 'read', collection: 'bags', key: 'main' }, { documents })).toEqual({ result: { gold: 1 } });
    expect(bound({ id: 's', type: 'read', collection: 'bags', key: 'other' }, { documents })).toEqual({ result: null });
  });

  it('strips _default, and reads a key without a value as a missing document', () => {
    expect(bound({ id: 's', type: 'read', collection: 'bags', key: 'main_default' }, { documents })).toEqual({ result: { gold: 1 } });
    const undefinedDocument = { 'bags/undefined': { bad: true } };
    expect(bound({ id: 's', type: 'read', collection: 'bags', key: '{{nope}}' }, { documents: undefinedDocument })).toEqual({
      result: null,
    });
  });

  it('fails with onMissing when it is required', () => {
    expect(refused({ steps: [{ id: 's', type: 'read', collection: 'bags', key: 'x', required: true }] })).toMatchObject({
      status: 400,
      code: 'NOT_FOUND',
      message: 'Step "s": required read returned no result.',
    });
  });

  it('binds to "as"', () => {
    expect(result([{ id: 's', as: 'bag', type: 'read', collection: 'bags', key: 'main' }], '{{bag.gold}}', { documents })).toEqual({
      result: 1,
    });
  });

  it('copies numbers beyond doubles as they are', () => {
    const owner = new ExactNumber('76561198000000001');
    const { body } = run(
      { steps: [{ id: 's', type: 'read', collection: 'c', key: 'k' }], response: { body: '{{s}}' } },
      { documents: { 'c/k': { owner } } },
    );
    expect(body).toEqual({ owner });
  });
});

describe('a step that looks through a collection', () => {
  const documents = { 'stalls/a': { price: 3 }, 'stalls/b': { price: 9 }, 'stalls/c': { price: 5, weight: 0 }, 'other/d': { price: 4 } };
  const cheap = { field: 'price', op: '<', value: 8 };
  const stalls = (type: string, more: JsonObject = {}): JsonObject => ({ id: 's', type, collection: 'stalls', where: cheap, ...more });

  it.each<[string, JsonObject, Json]>([
    ['lookup finds the first document in order of the keys', stalls('lookup'), { price: 3 }],
    ['filter finds all of them, without their keys', stalls('filter'), [{ price: 3 }, { price: 5, weight: 0 }]],
    ['random_select draws one', stalls('random_select', { weightField: 'weight' }), { price: 3 }],
    ['lookup_many takes them by a field', stalls('lookup_many', { keys: [9, 4], keyField: 'price' }), { 9: { price: 9 }, 4: null }],
    ['an empty collection has none', stalls('filter', { collection: 'nothing' }), []],
  ])('%s', (_name, step, found) => {
    expect(result([step], '{{s}}', { documents })).toEqual({ result: found });
  });

  it('sees each time what the call has written and deleted before, in order of the keys', () => {
    const steps = [
      stalls('filter', { as: 'before' }),
      { id: 'd', type: 'delete', collection: 'stalls', key: 'a' },
      { id: 'w', type: 'write', collection: 'stalls', key: 'aa', ops: [{ op: 'set', path: 'price', value: 1 }] },
      stalls('filter', { as: 'after' }),
    ];
    expect(result(steps, ['{{before.length}}', '{{after}}'], { documents })).toEqual({
      result: [2, [{ price: 1 }, { price: 5, weight: 0 }]],
    });
  });

  it('refuses more than a thousand', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`stalls/${index}`, { price: 9 }]));
    expect(result([stalls('filter')], '{{s}}', { documents: many(1000) })).toEqual({ result: [] });
    expect(refused({ steps: [stalls('filter')] }, { documents: many(1001) })).toMatchObject({
      status: 400,
      code: 'SCAN_TOO_LARGE',
      extra: { error: { step: { id: 's', type: 'filter', collection: 'stalls' } } },
    });
  });
});

describe('a step', () => {
  it.each<[string, Json, Json]>([
    [
      'lookup finds the first row',
      { type: 'lookup', source: 'values', table: 'swords', where: { field: 'tier', op: '==', value: 2 } },
      'b',
    ],
    [
      'lookup takes groups of clauses',
      {
        type: 'lookup',
        source: 'values',
        table: 'swords',
        where: { all: [{ field: 'tier', op: '==', value: 2 }, [{ field: 'price', op: '<', value: 8 }]] },
      },
      'c',
    ],
  ])('%s', (_name, step, id) => {
    expect(result([{ id: 's', ...(step as object) }], '{{s.id}}', { values })).toEqual({ result: id });
  });

  it.each<[string, Json, Json]>([
    [
      'lookup without a match is null',
      { type: 'lookup', source: 'values', table: 'swords', where: { field: 'id', op: '==', value: 'z' } },
      null,
    ],
    ['a clause without op never matches', { type: 'lookup', source: 'values', table: 'swords', where: { field: 'id' } }, null],
    [
      'lookup_many makes a map',
      { type: 'lookup_many', source: 'values', table: 'swords', keys: ['a', 'z'] },
      { a: values.swords[0] as Json, z: null },
    ],
    [
      'lookup_many makes a list',
      { type: 'lookup_many', source: 'values', table: 'swords', keys: ['a'], asMap: false },
      [values.swords[0] as Json],
    ],
    [
      'random_select never takes weight 0',
      { type: 'random_select', source: 'values', table: 'swords', where: { field: 'tier', op: '==', value: 2 }, weightField: 'weight' },
      values.swords[2] as Json,
    ],
    ['transform computes', { type: 'transform', expression: '{{values.costs.heal}} * 2' }, 6],
    ['transform takes a value literally', { type: 'transform', value: { a: '{{list}}' } }, { a: '{{list}}' }],
    [
      'object is deep and omits what is missing',
      { type: 'object', fields: { a: { b: '{{list.0}}', c: '{{nope}}' }, d: ['{{nope}}'] } },
      { a: { b: 3 }, d: [null] },
    ],
    ['array is deep', { type: 'array', items: ['{{list.0}}', { a: '{{list.2}}' }] }, [3, { a: 1 }]],
    ['merge lets the later one win', { type: 'merge', sources: [{ a: 1, b: 1 }, '{{values.costs}}', { b: 2 }] }, { a: 1, b: 2, heal: 3 }],
    [
      'compute refers to its own entries in any order',
      { type: 'compute', values: { c: '{{s.b}} + 1', b: '{{s.a}} * 2', a: '1 + 1' } },
      { c: 5, b: 4, a: 2 },
    ],
    [
      'compute takes values and templates',
      { type: 'compute', mode: 'template', values: { a: 'x{{list.0}}', b: { value: 'gold' }, c: { expression: '1 + 1' } } },
      { a: 'x3', b: 'gold', c: 2 },
    ],
    [
      'switch takes the first match',
      { type: 'switch', cases: [{ when: { field: 'list.0', op: '==', value: 3 }, [THEN]: { got: '{{list.0}}' } }], default: 1 },
      { got: 3 },
    ],
    ['switch falls back', { type: 'switch', cases: [], default: '{{list.0}}' }, 3],
    ['switch without default is null', { type: 'switch', cases: [] }, null],
    ['sort puts missing last', { type: 'sort', source: '{{list}}' }, [1, 2, 3, null]],
    ['sort descending puts missing first', { type: 'sort', source: '{{list}}', direction: 'desc' }, [null, 3, 2, 1]],
    ['random draws below max', { type: 'random', min: 1, max: 3 }, 2],
    ['random takes min when max is not above it', { type: 'random', min: 3, max: 3 }, 3],
    ['random float is rounded', { type: 'random', mode: 'float', min: 0, max: 1, precision: 1 }, 0.5],
    ['random beta bends', { type: 'random', mode: 'beta', beta: 1, min: 0, max: 10 }, 5],
    [
      'random weighted obeys where',
      { type: 'random', mode: 'weighted', source: 'values', table: 'swords', where: { field: 'item.tier', op: '==', value: 1 } },
      values.swords[0] as Json,
    ],
    ['assert binds true', { type: 'assert', check: { field: 'list.0', op: '==', value: 3 } }, true],
    ['lookup reads a list of the context by key', { type: 'lookup', from: 'list', key: '0' }, 3],
    ['lookup takes no text for the first item', { type: 'lookup', from: 'list', key: ' ' }, null],
    ['lookup reads a map of the context by key', { type: 'lookup', from: '{{values.costs}}', key: 'heal' }, 3],
    ['lookup reads nothing of JavaScript', { type: 'lookup', from: 'values.costs', key: 'constructor' }, null],
    ['lookup looks through a map of the context', { type: 'lookup', from: 'values.costs', where: { field: 'x', op: 'exists' } }, null],
    ['lookup finds nothing under a key without a value', { type: 'lookup', from: 'values.costs', key: '{{nope}}' }, null],
    [
      'lookup with a key and a where looks through what is under the key',
      { type: 'lookup', from: 'values', key: 'swords', where: { field: 'tier', op: '==', value: 2 } },
      values.swords[1] as Json,
    ],
    ['filter with a key takes the rows under it', { type: 'filter', from: 'values', key: 'swords' }, values.swords as unknown as Json],
    ['filter with a key that is not there is empty', { type: 'filter', from: 'values', key: 'bows' }, []],
    ['from may have brackets', { type: 'lookup', from: 'values["costs"]', key: 'heal' }, 3],
  ])('%s', (_name, step, expected) => {
    expect(bound({ id: 's', ...(step as object) })).toEqual({ result: expected });
  });

  it('filter gives a list that older definitions read as rows and count', () => {
    const filter = { id: 'f', type: 'filter', source: 'values', table: 'swords', where: { field: 'price', op: '>', value: 6 } };
    expect(result([filter], ['{{f.length}}', '{{f.count}}', '{{f.rows.0.id}}'], { values })).toEqual({ result: [2, 2, 'b'] });
  });

  it('compute binds scalars at the top', () => {
    const values = { a: '1 + 1', b: '{{s.a}} * 2' };
    const step = { id: 's', type: 'compute', output: 'scalars', values };
    expect(result([step], ['{{a}}', '{{b}}', '{{s}}'])).toEqual({ result: [2, 4, null] });
    expect(result([{ id: 's', type: 'transform', value: 7 }, step], ['{{a}}', '{{s}}'])).toEqual({ result: [2, 7] });
  });

  it('sorts by a path, by arithmetic, and keeps equals in order', () => {
    const sorted = (how: object) =>
      result([{ id: 's', type: 'sort', source: '{{values.swords}}', ...how }], '{{pluck(s, id)}}', { values });
    expect(sorted({ by: 'price' })).toEqual({ result: ['a', 'c', 'b'] });
    expect(sorted({ expression: '{{item.price}} * -1' })).toEqual({ result: ['b', 'c', 'a'] });
    expect(sorted({ by: 'tier', direction: 'desc' })).toEqual({ result: ['b', 'c', 'a'] });
    const items = (source: Json) =>
      result([{ id: 's', type: 'sort', source: '{{input.list}}', by: 'item' }], '{{s}}', { input: { list: source } });
    expect(items([3, 1, 2])).toEqual({ result: [1, 2, 3] });
    expect(items([{ item: 2 }, { item: 1 }])).toEqual({ result: [{ item: 1 }, { item: 2 }] });
  });

  it.each(['durationMs', 'ms', 'sleepMs', 'delayMs'])('sleep reports its time to its caller, and does not wait itself: %s', (field) => {
    const slept: number[] = [];
    const steps = [
      { id: 's', type: 'sleep', [field]: 400 },
      { id: 't', type: 'sleep', [field]: 600 },
    ];
    expect(result(steps, '{{s.sleptMs}}', { call: { effects: { ...STILL, sleep: (ms) => slept.push(ms) } } })).toEqual({
      result: 400,
    });
    expect(slept).toEqual([400, 600]);
  });

  it.each<Json>([-1, 300_001, '50', '{{input.ms}}', null])('sleep refuses %s', (ms) => {
    expect(refused({ steps: [{ id: 's', type: 'sleep', ms }] }, { input: { ms: 5 } })).toMatchObject({
      status: 400,
      code: 'ENDPOINT_ERROR.SLEEP',
    });
  });

  it('webhook posts a chat message, one after another, and binds the result', () => {
    const posted: Json[] = [];
    const webhook = (index: number, url: string, payload: JsonObject) => {
      posted.push({ index, url, payload });
      return { ok: index === 0, status: index === 0 ? 204 : 500 };
    };
    const steps = [
      { id: 'a', type: 'webhook', url: 'https://chat.example/{{input.room}}', title: 'Hi {{input.name}}', color: '#00ff00' },
      {
        id: 'b',
        type: 'webhook',
        url: 'https://chat.example/x',
        description: 'd'.repeat(5000),
        fields: [{ name: 'n', value: '{{input.n}}', inline: true }, 'x', { name: 'm', value: 7 }],
      },
    ];
    const input = { room: 'r', name: 'Ada', n: 5 };
    expect(result(steps, ['{{a.ok}}', '{{a.status}}', '{{b.ok}}'], { input, call: { effects: { ...STILL, webhook } } })).toEqual({
      result: [true, 204, false],
    });
    const timestamp = '2023-11-14T22:13:20.000Z';
    expect(posted).toEqual([
      {
        index: 0,
        url: 'https://chat.example/r',
        payload: { embeds: [{ title: 'Hi Ada', description: '', color: 0x00ff00, fields: [], timestamp }] },
      },
      {
        index: 1,
        url: 'https://chat.example/x',
        payload: {
          embeds: [
            {
              title: '',
              description: 'd'.repeat(4096),
              color: 0x5865f2,
              fields: [
                { name: 'n', value: '5', inline: true },
                { name: 'm', value: '7', inline: false },
              ],
              timestamp,
            },
          ],
        },
      },
    ]);
  });

  it('a call may not send more than five webhooks', () => {
    const steps = Array.from({ length: 6 }, (_, index) => ({ id: `h${index}`, type: 'webhook', url: 'https://chat.example/' }));
    expect(refused({ steps }, { call: { effects: { ...STILL, notify: () => ({ ok: true }) } } })).toMatchObject({
      status: 400,
      code: 'LIMIT_EXCEEDED',
    });
  });

  it('a call may not sleep longer than a second in all', () => {
    const steps = [
      { id: 's', type: 'sleep', ms: 1000 },
      { id: 't', type: 'sleep', ms: 1 },
    ];
    expect(refused({ steps })).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
    expect(refused({ steps: [{ id: 's', type: 'sleep', ms: 300_000 }] })).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
  });

  it('is skipped by when, and an older value of the name stays', () => {
    const steps = [
      { id: 's', type: 'transform', value: 1 },
      { id: 's', type: 'transform', value: 2, when: { field: 's', op: '==', value: 9 } },
      { id: 't', type: 'transform', value: 3, when: false },
    ];
    expect(result(steps, ['{{s}}', '{{t}}'])).toEqual({ result: [1, null] });
  });

  it.each<[string, Json, number, string]>([
    ['of an unknown type', { id: 's', type: 'teleport' }, 501, 'ENDPOINT_NOT_SUPPORTED'],
    ['webhook without an address', { id: 's', type: 'webhook' }, 400, 'ENDPOINT_ERROR.WEBHOOK'],
    ['webhook to where none may go', { id: 's', type: 'webhook', url: 'http://10.0.0.1/' }, 400, 'ENDPOINT_ERROR.WEBHOOK'],
    ['that is not an object', 'read', 501, 'ENDPOINT_NOT_SUPPORTED'],
    ['that looks through nothing', { id: 's', type: 'filter', where: { field: 'a', op: '==', value: 1 } }, 400, 'ENDPOINT_ERROR.FILTER'],
    ['without a check', { id: 's', type: 'condition' }, 400, 'ENDPOINT_ERROR.CONDITION'],
    ['with a broken when', { id: 's', type: 'transform', value: 1, when: {} }, 400, 'ENDPOINT_ERROR.TRANSFORM'],
    ['without where', { id: 's', type: 'lookup', source: 'values', table: 'swords' }, 400, 'ENDPOINT_ERROR.LOOKUP'],
    [
      'over a group',
      { id: 's', type: 'lookup', source: 'values', table: 'costs', where: { field: 'a', op: '==', value: 1 } },
      400,
      'ENDPOINT_ERROR.LOOKUP',
    ],
    [
      'with a circle of entries',
      { id: 's', type: 'compute', values: { a: '{{s.b}} + 1', b: '{{s.a}} + 1' } },
      400,
      'ENDPOINT_ERROR.COMPUTE',
    ],
    ['of an unknown mode', { id: 's', type: 'random', mode: 'dice' }, 400, 'ENDPOINT_ERROR.RANDOM'],
    ['without items', { id: 's', type: 'random', mode: 'weighted' }, 400, 'ENDPOINT_ERROR.RANDOM'],
    ['merging a text', { id: 's', type: 'merge', sources: ['x'] }, 400, 'ENDPOINT_ERROR.MERGE'],
    ['making an object of a list', { id: 's', type: 'object', fields: [] }, 400, 'ENDPOINT_ERROR.OBJECT'],
    ['sorting a text', { id: 's', type: 'sort', source: 'x' }, 400, 'ENDPOINT_ERROR.SORT'],
    ['asserting nothing', { id: 's', type: 'assert' }, 400, 'INVALID_ASSERT'],
    ['of an unknown workflow', { id: 's', type: 'workflow', workflow: 'nope' }, 400, 'ENDPOINT_ERROR.WORKFLOW'],
  ])('%s fails only when it is reached', (_name, step, status, code) => {
    expect(refused({ steps: [step] }, { values })).toMatchObject({ status, code });
    const guard = { id: 'stop', type: 'condition', check: { expression: '1 == 2' }, routes: { false: 'return' } };
    expect(run({ steps: [guard, step] }, { values }).status).toBe(200);
  });

  it('an entry of compute that is read without its step’s name fails, with a message that says how to read it', () => {
    const step = { id: 'night', type: 'compute', values: { rate: '5', factor: '{{rate}} / 100' } };
    expect(refused({ steps: [step] }, { values }).message).toContain('read as {{night.NAME}}');
  });

  it('assert fails with the author’s words and the shape of step failures', () => {
    const step = { id: 's', type: 'assert', check: { expression: '1 == 2' }, status: 422, errorCode: 'ODD', message: 'Odd {{input.n}}.' };
    const refusal = refused({ steps: [step] }, { input: { n: 3 } });
    expect(refusal).toMatchObject({ status: 422, code: 'ODD', message: 'Odd 3.' });
    expect(refusal.extra).toEqual({ error: { step: { id: 's', type: 'assert', errorCode: 'ODD' } } });
    const other = refused({ steps: [{ id: 's', type: 'assert', check: { expression: '0' }, error: 'ODD' }] });
    expect([other.code, other.extra]).toEqual(['ODD', { error: { step: { id: 's', type: 'assert' } } }]);
  });

  it('named __proto__ is harmless', () => {
    const steps = [{ id: '__proto__', type: 'object', fields: { polluted: true } }];
    expect(run({ steps, response: { body: { ok: '{{polluted}}' } } }).body).toEqual({});
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
