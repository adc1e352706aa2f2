import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveDefinitions } from '../../../src/domain/definition/model/effective.ts';
import type { DefinitionKind } from '../../../src/domain/events.ts';
import { rulesOf } from '../../../src/domain/limit/rules.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import { wireNames } from '../../../src/domain/wire-names.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { EMPTY, fold, push, put, sha } from './given.ts';

const live = (state: DefinitionsState) => effectiveDefinitions(state, 'live');
const next = (state: DefinitionsState) => effectiveDefinitions(state, 'next');

function collection(definition: JsonObject) {
  const model = live(push(EMPTY, 'collection', [{ id: 'camp', ...definition }])).collection('camp');
  if (model === undefined) throw new Error('no model');
  return model;
}

function endpoint(definition: JsonObject) {
  const model = live(push(EMPTY, 'endpoint', [{ id: 'e', ...definition }])).endpoint('e');
  if (model === undefined) throw new Error('no model');
  return model;
}

describe('collections', () => {
  it.each([
    [undefined, 'per-platformid'],
    ['per-platformid', 'per-platformid'],
    [wireNames('published').collectionType('per-platformid'), 'per-platformid'],
    ['player', 'per-platformid'],
    ['global', 'global'],
    [' Global ', 'global'],
    [5, 'per-platformid'],
  ])('type %s reads as %s', (collectionType, type) => {
    expect(collection(collectionType === undefined ? {} : { collectionType }).type).toBe(type);
  });

  it('a missing accessMode is not public', () => {
    const closed = { read: 'endpoints', write: 'endpoints', records: 'public' };
    expect(collection({}).access).toEqual(closed);
    expect(collection({ accessMode: 'endpoint' }).access).toEqual(closed);
    expect(collection({ accessMode: 'public' }).access).toEqual({ read: 'public', write: 'public', records: 'public' });
  });

  it.each([
    [{ read: 'public', write: 'owner' }, undefined, 'public', 'owner'],
    [{ read: 'owner' }, undefined, 'owner', 'endpoints'],
    [{ write: 'owner' }, 'public', 'public', 'owner'],
    [{ read: 'endpoints' }, 'public', 'endpoints', 'public'],
    [{ read: 'Owner', write: 5 }, 'public', 'endpoints', 'endpoints'],
    ['public', 'public', 'endpoints', 'endpoints'],
  ])('access %j beside accessMode %s: what it names counts, and what nobody knows is closed', (access, accessMode, read, write) => {
    const definition = { access, ...(accessMode === undefined ? {} : { accessMode }) };
    expect(collection(definition).access).toEqual({ read, write, records: read });
  });

  it('maxRecords below 1, missing or no number means 1', () => {
    for (const maxRecords of [0, -3, null, 'x', {}]) expect(collection({ maxRecords }).maxRecords).toBe(1);
    expect(collection({ maxRecords: 3 }).maxRecords).toBe(3);
    expect(collection({ maxRecords: '3' }).maxRecords).toBe(3);
  });

  it.each([
    [{ mode: 'none' }, null],
    [{ mode: 'none', savesPerDay: 5 }, null],
    [undefined, null],
    ['x', null],
    [{ mode: 'player' }, { per: 'player', count: 8640 }],
    [
      { mode: 'player', savesPerDay: 0 },
      { per: 'player', count: 8640 },
    ],
    [
      { mode: 'collection', savesPerDay: 5 },
      { per: 'collection', count: 5 },
    ],
    [
      { mode: 'player', savesPerDay: 1e12 },
      { per: 'player', count: 10_000_000 },
    ],
  ])('rateLimits %j', (rateLimits, expected) => {
    expect(collection(rateLimits === undefined ? {} : { rateLimits }).dailyLimit).toEqual(expected);
  });

  it('flags also come as text', () => {
    expect(collection({ allowRecordDelete: 'true', requireSaveVersion: true })).toMatchObject({
      allowRecordDelete: true,
      requireSaveVersion: true,
      publicAppend: false,
    });
  });

  it('the schema is compiled', () => {
    expect(collection({ schema: { gold: { type: 'number', _ledger: true } } }).schema.root?.tracked[0]?.[0]).toBe('gold');
  });

  it('are found by id, then by name, in any letter case', () => {
    const state = push(EMPTY, 'collection', [
      { id: 'one', name: 'two' },
      { id: 'two', name: 'Camp Site' },
    ]);
    expect(live(state).collection('TWO')?.id).toBe('two');
    expect(live(state).collection('camp site')?.id).toBe('two');
    expect(live(state).collection('toString')).toBeUndefined();
  });
});

describe('endpoints', () => {
  it('a missing flag reads as enabled, public and POST', () => {
    expect(endpoint({})).toMatchObject({
      enabled: true,
      deprecated: false,
      internal: false,
      requiresSecretKey: false,
      method: 'POST',
      slug: 'e',
    });
  });

  it('only an explicit false disables', () => {
    for (const enabled of [false, 'false', 'FALSE']) expect(endpoint({ enabled }).enabled).toBe(false);
    for (const enabled of [null, 0, '', 'no', true]) expect(endpoint({ enabled }).enabled).toBe(true);
  });

  it.each([
    ['internal', true],
    ['Private', true],
    ['Reusable Logic', true],
    ['reusable_logic', true],
    ['workflow', true],
    ['public', false],
    ['Publicly accessible', false],
    ['game_api', false],
    ['external', false],
  ])('exposure %s', (exposure, internal) => {
    expect(endpoint({ exposure }).internal).toBe(internal);
  });

  it('older exposure flags take precedence over the word, the closed one over the open one', () => {
    expect(endpoint({ exposure: 'public', internalOnly: true }).internal).toBe(true);
    expect(endpoint({ internal: true }).internal).toBe(true);
    expect(endpoint({ exposure: 'internal', publiclyCallable: true }).internal).toBe(false);
    expect(endpoint({ publiclyCallable: true, internalOnly: true }).internal).toBe(true);
  });

  it('are found by id, then by slug, exactly', () => {
    const state = push(EMPTY, 'endpoint', [{ id: 'ep_1', slug: 'buy' }]);
    expect(live(state).endpoint('buy')).toBe(live(state).endpoint('ep_1'));
    expect(live(state).endpoint('Buy')).toBeUndefined();
  });
});

describe('queries', () => {
  it('a source is known by its alias, else by its collection’s name, else by its id', () => {
    const state = push(push(EMPTY, 'collection', [{ id: 'camp', name: 'Camps' }]), 'query', [
      { id: 'top', sources: [{ collectionId: 'camp', alias: 'a' }, { collectionId: 'camp' }, { collectionId: 'gone' }, 5, {}] },
    ]);
    expect(live(state).query('top')).toMatchObject({ type: 'leaderboard', requiresSecretKey: false, config: {} });
    expect(
      live(state)
        .query('top')
        ?.sources.map((source) => source.alias),
    ).toEqual(['a', 'Camps', 'gone', '5']);
  });
});

describe('rules', () => {
  it('are kept as they were sent, and normalised beside that', () => {
    const rule = { name: 'wood', collection: 'camp', field: 'wood', scope: 'per_player', window: 'perDay', limit: 5, action: 'flag' };
    const definitions = live(put(EMPTY, 'rate-limit-rules', { rules: [rule] }));
    expect(definitions.rawRules).toEqual([rule]);
    expect(definitions.rules).toMatchObject([{ name: 'wood', action: 'flag', windows: [{ window: 'perDay', limit: 5 }] }]);
  });

  it('apply to the collection with that id, else to those with that id or name in any letter case', () => {
    const held = push(EMPTY, 'collection', [
      { id: 'li' },
      { id: 'Li' },
      { id: 'c3', name: 'Camp' },
      { id: 'c4', name: 'camp' },
      { id: 'all', name: '*' },
    ]);
    const rules = ['Li', 'LI', 'camp', '*', 'gone'].map((collection) => ({ collection, field: 'b', window: 'perDay', limit: 3 }));
    const definitions = live(put(held, 'rate-limit-rules', rules));
    const of = (id: string) => {
      const collection = definitions.collection(id);
      return collection === undefined ? [] : rulesOf(definitions.rules, collection).map((rule) => rule.collection);
    };
    expect(['li', 'Li', 'c3', 'c4'].map(of)).toEqual([
      ['LI', '*'],
      ['Li', 'LI', '*'],
      ['camp', '*'],
      ['camp', '*'],
    ]);
  });
});

describe('next as an overlay over live', () => {
  const base = push(EMPTY, 'endpoint', [{ id: 'ep_1', slug: 'buy', method: 'GET', response: { status: 200 } }]);

  it('without anything staged next is live', () => {
    expect(next(base)).toBe(live(base));
  });

  it('every staged member wins except the id, and live does not see it', () => {
    const state = push(base, 'endpoint', [{ slug: 'buy', response: { status: 201 } }], 'next');
    expect(next(state).endpoint('buy')).toMatchObject({ id: 'ep_1', method: 'GET', definition: { response: { status: 201 } } });
    expect(live(state).endpoint('buy')).toMatchObject({ definition: { response: { status: 200 } } });
    expect(next(state).hash).not.toBe(live(state).hash);
    expect(live(state)).toBe(live(base));
  });

  it('a staged source replaces the whole live definition, except its id', () => {
    const state = push(base, 'endpoint', [{ sourceText: 'slug: buy\nname: Buy', sourcePath: 'buy.endpoint.yml' }], 'next');
    expect(next(state).endpoint('buy')).toMatchObject({ id: 'ep_1', method: 'POST' });
    expect(next(state).endpoint('buy')?.definition).not.toHaveProperty('response');
  });

  it('a staged plain edit removes the live source text, which would no longer match', () => {
    const source = push(EMPTY, 'endpoint', [{ id: 'buy', sourceText: 'method: GET' }]);
    const state = push(source, 'endpoint', [{ id: 'buy', enabled: false }], 'next');
    expect(next(state).endpoint('buy')).toMatchObject({ method: 'GET', enabled: false });
    expect(next(state).endpoint('buy')?.definition).not.toHaveProperty('sourceText');
  });

  it('what exists only in next is added', () => {
    const state = push(base, 'collection', [{ id: 'camp' }], 'next');
    expect(next(state).collection('camp')?.id).toBe('camp');
    expect(live(state).collection('camp')).toBeUndefined();
  });

  it('single documents replace whole, and all six kinds are staged', () => {
    const valued = put(put(base, 'game-values', { items: [{ id: 'a', entries: { x: 1 } }] }), 'rate-limit-rules', [
      { name: 'r', limit: 1, window: 'perDay' },
    ]);
    let state = put(valued, 'game-values', { items: [{ id: 'b', entries: { y: 2 } }] }, 'next');
    state = put(state, 'rate-limit-rules', [], 'next');
    state = push(push(state, 'workflow', [{ id: 'w' }], 'next'), 'query', [{ id: 'q' }], 'next');
    expect(next(state).values.values).toEqual({ b: { y: 2 } });
    expect(next(state).rules).toEqual([]);
    expect(next(state).workflow('w')?.id).toBe('w');
    expect(next(state).query('q')?.id).toBe('q');
    expect(live(state).values.values).toEqual({ a: { x: 1 } });
    expect(live(state).rawRules).toHaveLength(1);
    expect(live(state).workflow('w')).toBeUndefined();
  });
});

describe('keeping models', () => {
  it('publishing one collection leaves the models of the others in place', () => {
    const before = push(EMPTY, 'collection', [{ id: 'a' }, { id: 'b' }]);
    const [a, b] = live(before).collections;
    const after = push(before, 'collection', [{ id: 'b', accessMode: 'public' }]);
    expect(live(after).collection('a')).toBe(a);
    expect(live(after).collection('b')).not.toBe(b);
    expect(effectiveDefinitions(after, 'live')).toBe(effectiveDefinitions(after, 'live'));
  });

  it('a publish to next leaves a merged model of another collection in place', () => {
    const base = push(EMPTY, 'collection', [{ id: 'a' }, { id: 'b' }]);
    const one = push(base, 'collection', [{ id: 'a', maxRecords: 2 }], 'next');
    const two = push(one, 'collection', [{ id: 'b', maxRecords: 2 }], 'next');
    expect(next(two).collection('a')).toBe(next(one).collection('a'));
    expect(next(two).collection('a')).not.toBe(live(two).collection('a'));
  });
});

describe('any stored definition', () => {
  const kinds: DefinitionKind[] = ['collection', 'endpoint', 'workflow', 'query', 'game-values', 'rate-limit-rules'];
  const json = fc.jsonValue() as fc.Arbitrary<Json>;
  const member = fc.constantFrom(
    ...['id', 'slug', 'name', 'schema', 'rateLimits', 'sources', 'config', 'constants', 'tables', 'items', 'groups', 'rules', 'visibility'],
    ...['maxRecords', 'exposure', 'collectionType', 'entries', 'rows', 'columns', 'type', 'properties', 'windows', '__proto__'],
  );
  const nested = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, json, fc.dictionary(member, tie('value'), { maxKeys: 4 }), fc.array(tie('value'), { maxLength: 3 })),
  }));

  it('gives models without throwing, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...kinds), nested.value), { maxLength: 6 }), (stored) => {
        const items = stored.map(([kind, value], i) => ({ kind, id: kind.includes('-') ? '*' : `id${i}`, text: JSON.stringify(value) }));
        const state = fold(EMPTY, [
          ...items.map(({ text }) => ({ type: 'source.stored' as const, data: { hash: sha(text), part: 0, parts: 1, text } })),
          ...(['live', 'next'] as const).map((target) => ({
            type: 'definitions.published' as const,
            data: { target, changes: items.map(({ kind, id, text }) => ({ kind, id, hash: sha(text) })), hash: target },
          })),
        ]);
        for (const definitions of [live(state), next(state)]) expect(definitions.values.full).toHaveProperty('groups');
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  it('a text that is not JSON reads as null', () => {
    const state = fold(EMPTY, [
      { type: 'source.stored', data: { hash: sha('{'), part: 0, parts: 1, text: '{' } },
      { type: 'definitions.published', data: { target: 'live', changes: [{ kind: 'collection', id: 'c', hash: sha('{') }], hash: 'h' } },
    ]);
    expect(live(state).collection('c')).toMatchObject({ type: 'per-platformid', access: { read: 'endpoints', write: 'endpoints' } });
  });
});
