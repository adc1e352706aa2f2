import { describe, expect, it } from 'vitest';
import { compileSchema, fillDefaults } from '../../src/domain/document/schema.ts';
import { ExactNumber, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { callOf, compile, NO_READS, ran, refusalOf, refused, result, run } from './support.ts';

const write = (...ops: Json[]): JsonObject => ({ id: 'pay', type: 'write', collection: 'bags', key: 'main', ops });
const read = (id: string): JsonObject => ({ id, type: 'read', collection: 'bags', key: 'main' });
const documents = { 'bags/main': { gold: 5, list: [1] } };

describe('a write', () => {
  it('is queued with its operations resolved', () => {
    const step = write(
      { op: 'inc', path: 'items.{{input.item}}', value: '{{-input.n}}', source: 's'.repeat(70), reason: 'r{{input.n}}' },
      { op: 'set', path: 'at', value: { when: '{{now}}', gone: '{{nope}}' }, when: { field: 'input.n', op: '>', value: 1 } },
      { op: 'set', path: 'never', value: 1, if: false },
      { op: 'inc', path: 'sum', value: 'ignored', valueExpression: '{{input.text}} + 1' },
      { op: 'pull', path: 'list', match: { id: '{{input.item}}' } },
    );
    expect(run({ steps: [step] }, { input: { item: 'herb', n: 2, text: '4' } }).writes).toEqual([
      {
        kind: 'write',
        stepId: 'pay',
        target: { collection: 'bags', key: 'main', named: 'bags', keyText: 'main' },
        ops: [
          { op: 'inc', path: 'items.herb', value: -2, source: 's'.repeat(64), reason: 'r2' },
          { op: 'set', path: 'at', value: { when: '2023-11-14T22:13:20.000Z' } },
          { op: 'inc', path: 'sum', value: 5 },
          { op: 'pull', path: 'list', match: { id: 'herb' } },
        ],
        applied: null,
      },
    ]);
  });

  it('binds what it wrote, as later steps read it, each time that it runs', () => {
    const inc = write({ op: 'inc', path: 'gold', value: 2 });
    const steps = [{ id: 'twice', type: 'foreach', from: 'input.times', item: 'n', steps: [inc] }];
    expect(result(steps, '{{pay.gold}}', { documents, input: { times: [1, 2] } })).toEqual({ result: 9 });
    expect(result([{ ...inc, as: 'purse' }], '{{purse.gold}}', { documents })).toEqual({ result: 7 });
  });

  it('binds nothing if another kind of step has its name', () => {
    const steps = [read('pay'), write({ op: 'inc', path: 'gold', value: 2 })];
    expect(result(steps, '{{pay.gold}}', { documents })).toEqual({ result: 5 });
  });

  it('is shown as its author wrote it: the collection by its name, the key with its suffix', () => {
    const [pending] = run({ steps: [{ ...write({ op: 'set', path: 'a', value: 1 }), collection: 'Bags', key: 'main_default' }] }).writes;
    expect(pending?.target).toMatchObject({ key: 'main', named: 'Bags', keyText: 'main_default' });
  });

  it.each(['correction', 'default', 'definition'])(
    'is refused with the source %s, also out of a template: the server alone says so',
    (source) => {
      const steps = [write({ op: 'inc', path: 'gold', value: 1 }, { op: 'inc', path: 'gold', value: 1, source: '{{input.source}}' })];
      expect(refused({ steps }, { input: { source } }).message).toContain(`ops[1]: the source '${source}'`);
    },
  );

  it('does nothing when no operation is left', () => {
    expect(run({ steps: [write({ op: 'set', path: 'a', value: 1, when: false })] }).writes).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['a pull', { op: 'pull', match: { id: '{{nope}}' } }],
    ['a pull with a member more', { op: 'pull', match: { id: '{{nope}}', n: 1 } }],
    ['a pull of what lies deeper', { op: 'pull', match: { of: { id: '{{nope}}' } } }],
    ['a pull of what lies in a list', { op: 'pull', match: { in: [{ id: '{{nope}}' }] } }],
    ['a remove', { op: 'remove', value: { id: '{{nope}}' } }],
    ['a delete, as an op of the call', { op: '{{input.op}}', value: { n: 1, id: '{{nope}}' } }],
  ])('takes no item that would have to equal a missing value: %s', (_name, op) => {
    const bags = { 'bags/main': { list: [{ id: 'a', n: 1 }, { n: 1, of: {}, in: [{}] }, null] } };
    const steps = [write({ ...op, path: 'list' }), read('r')];
    expect(result(steps, '{{r}}', { documents: bags, input: { op: 'delete' } })).toEqual({ result: bags['bags/main'] });
  });

  it('removes every object by an empty match, and matches an explicit null', () => {
    const bags = { 'bags/main': { list: [{ id: 'a' }, { id: null }], all: [{ id: 'a' }] } };
    const steps = [write({ op: 'pull', path: 'list', match: { id: '{{input.id}}' } }, { op: 'pull', path: 'all', match: {} }), read('r')];
    expect(result(steps, '{{r}}', { documents: bags, input: { id: null } })).toEqual({ result: { list: [{ id: 'a' }], all: [] } });
  });

  it('is seen by later reads, and leaves earlier ones as they were bound', () => {
    const steps = [
      read('before'),
      write({ op: 'inc', path: 'gold', value: 2 }),
      write({ op: 'inc', path: 'gold', value: 3 }),
      read('after'),
    ];
    expect(result(steps, ['{{before.gold}}', '{{after.gold}}'], { documents })).toEqual({ result: [5, 10] });
  });

  it('after a delete starts from nothing', () => {
    const steps = [
      { id: 'd', type: 'delete', collection: 'bags', key: 'main' },
      read('gone'),
      write({ op: 'inc', path: 'gold', value: 2 }),
      read('new'),
    ];
    const { body, writes } = run({ steps, response: { body: ['{{gone}}', '{{new}}'] } }, { documents });
    expect(body).toEqual([null, { gold: 2 }]);
    expect(writes.map(({ kind }) => kind)).toEqual(['delete', 'write']);
  });

  it('keeps numbers beyond doubles', () => {
    const steps = [write({ op: 'set', path: 'owner', value: '{{input.id}}' }), read('r')];
    const id = new ExactNumber('76561198000000001');
    expect(result(steps, '{{r.owner}}', { input: { id } })).toEqual({ result: id });
  });

  it.each<[string, Json, string]>([
    ['a set of a missing name', { op: 'set', path: 'a', value: '{{nope}}' }, 'ops[1]'],
    ['an inc of a text', { op: 'inc', path: 'gold', value: '5' }, 'ops[1]'],
    ['a number that is not finite', { op: 'set', path: 'a', valueExpression: '1 / 0' }, 'ops[1]'],
    ['a number inside that is not finite', { op: 'set', path: 'a', value: { b: ['{{inf}}'] } }, 'ops[1]'],
    ['an unknown operation', { op: 'teleport', path: 'a', value: 1 }, 'ops[1]'],
    ['no path', { op: 'set', value: 1 }, 'ops[1]'],
    ['no operation', {}, 'ops[1]'],
    ['not an object', 'set', 'ops[1]'],
    ['a pull without match', { op: 'pull', path: 'list' }, 'ops[1]'],
    ['a merge of a number', { op: 'merge', path: 'a', value: 1 }, 'ops[1]'],
    ['a merge into a number', { op: 'merge', path: 'gold', value: {} }, 'ops[1]'],
    ['a path through a list', { op: 'set', path: 'list.0', value: 1 }, 'ops[1]'],
    ['a forbidden path', { op: 'set', path: '__proto__.a', value: 1 }, 'ops[1]'],
    ['a broken template', { op: 'set', path: 'a', value: '{{-input}}' }, 'ops[1]'],
  ])('refuses %s and names its place, skipped operations counted', (_name, op, place) => {
    const steps = [{ id: 'inf', type: 'transform', expression: '1 / 0' }, write({ op: 'set', path: 'x', value: 1, when: false }, op)];
    const refusal = refused({ steps }, { documents });
    expect(refusal).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.WRITE' });
    expect(refusal.message.startsWith(`Write "pay": ${place}: `)).toBe(true);
    expect(refusal.extra.error).toEqual({ step: { id: 'pay', type: 'write', collection: 'bags', key: 'main' } });
  });

  it.each<Json>(['{{nope}}', '', '_default', '{{input.none}}', 'a/b', 'x'.repeat(257), 'constructor', '__proto__'])(
    'refuses the key %j',
    (key) => {
      expect(refused({ steps: [{ ...write({ op: 'set', path: 'a', value: 1 }), key }] }, { input: { none: null } })).toMatchObject({
        status: 400,
        code: 'ENDPOINT_ERROR.WRITE',
      });
      expect(refused({ steps: [{ id: 'd', type: 'delete', collection: 'c', key }] })).toMatchObject({ code: 'ENDPOINT_ERROR.DELETE' });
    },
  );

  it('accepts a hundred operations at most', () => {
    const ops = Array.from({ length: 101 }, () => ({ op: 'inc', path: 'a', value: 1 }));
    expect(refused({ steps: [write(...ops)] }).message).toContain('Maximum 100 operations');
  });

  it('passes on what a read throws, and starts again from the beginning', () => {
    class Needed extends Error {}
    let calls = 0;
    const compiled = compile({ steps: [write({ op: 'inc', path: 'gold', value: 1 })] });
    const reads = {
      ...NO_READS,
      document: () => {
        calls += 1;
        if (calls === 1) throw new Needed();
        return { gold: 1 };
      },
    };
    expect(() => ran(compiled, callOf({}), reads)).toThrow(Needed);
    expect(ran(compiled, callOf({}), reads).writes).toHaveLength(1);
  });
});

describe('a missing document', () => {
  it('starts from the defaults of its schema, for later steps as for readers after the call', () => {
    const steps = [write({ op: 'inc', path: 'gold', value: 1 }), { id: 'r', type: 'read', collection: 'bags', key: 'main' }];
    const reads = { ...NO_READS, blank: () => ({ gold: 10, level: 1 }) };
    expect(ran(compile({ steps, response: { body: '{{r}}' } }), callOf({}), reads).body).toEqual({ gold: 11, level: 1 });
  });
});

describe('a document that the call has made', () => {
  it('reads with the defaults of missing members, and the next write starts from them, as after the call', () => {
    const steps = [
      write({ op: 'set', path: 'hero', value: { name: 'a' } }),
      { ...write({ op: 'inc', path: 'hero.hp', value: -30 }), id: 'w2' },
      { id: 'r', type: 'read', collection: 'bags', key: 'main' },
    ];
    const schema = compileSchema({ hero: { type: 'object', properties: { hp: { type: 'number', default: 100 }, name: 'string' } } });
    const reads = { ...NO_READS, decide: (_: unknown, document: JsonObject | null) => document && fillDefaults(schema, document) };
    expect(ran(compile({ steps, response: { body: '{{r}}' } }), callOf({}), reads).body).toEqual({ hero: { name: 'a', hp: 70 } });
  });
});

describe('a collection', () => {
  it('is the same one by id or by name, if the definitions know it', async () => {
    const { compileEndpoint } = await import('../../src/language/compile.ts');
    const steps = [write({ op: 'inc', path: 'gold', value: 1 }), { id: 'r', type: 'read', collection: 'Big Bags', key: 'main' }];
    const compiled = compileEndpoint(
      { steps, response: { body: '{{r}}' } },
      {
        workflow: () => undefined,
        endpoint: () => undefined,
        collection: (name) => (name === 'nope' ? undefined : { id: 'bags', type: 'global' }),
        values: {},
      },
    );
    expect(ran(compiled, callOf({}), NO_READS).body).toEqual({ gold: 1 });
    const unknown = compileEndpoint(
      { steps: [{ ...write({ op: 'inc', path: 'a', value: 1 }), collection: 'nope' }] },
      { workflow: () => undefined, endpoint: () => undefined, collection: () => undefined, values: {} },
    );
    expect(refusalOf(() => ran(unknown, callOf({}), NO_READS)).code).toBe('ENDPOINT_ERROR.WRITE');
  });

  it("of players means the caller's own document in a read or write without a key; a delete has to name its key", async () => {
    const { compileEndpoint } = await import('../../src/language/compile.ts');
    const played = (type: 'per-platformid' | 'global', step: JsonObject, platformId = '76561198000000001') => {
      const collection = () => ({ id: 'players', type });
      const compiled = compileEndpoint(
        // A step with this name hides the template's name, not the player.
        {
          steps: [
            { id: 'platformId', type: 'read', collection: 'players', key: 'other' },
            { id: 's', collection: 'players', ...step },
          ],
        },
        { workflow: () => undefined, endpoint: () => undefined, collection, values: {} },
      );
      return ran(compiled, callOf({ call: { platformId } }), NO_READS);
    };
    const data = { xp: 0, name: '{{playerKey}}' };
    expect(played('per-platformid', { type: 'write', data }).writes).toMatchObject([
      {
        target: { collection: 'players', key: '76561198000000001' },
        ops: [
          { op: 'set', path: 'xp', value: 0 },
          { op: 'set', path: 'name', value: '76561198000000001' },
        ],
      },
    ]);
    const refused = [
      ['global', { type: 'write', data }],
      ['per-platformid', { type: 'delete' }],
      ['per-platformid', { type: 'write', key: '{{input.none}}', data }],
      ['per-platformid', { type: 'write', data }, 'anonymous'],
      ['per-platformid', { type: 'write', data }, '0'],
    ] as const;
    for (const [type, step, caller] of refused) {
      expect(refusalOf(() => played(type, step, caller)).message).toContain('key resolved to empty');
    }
  });
});
