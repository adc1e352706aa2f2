import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evolveDefinitions, layerHash } from '../../../src/domain/definition/model/evolve.ts';
import { definitionOf } from '../../../src/domain/definition/model/overlay.ts';
import { listGameValues } from '../../../src/domain/definition/pull/listing.ts';
import {
  decidePutSingle,
  decideRemove,
  decideRemoveSingle,
  decideUpsertMany,
  decideUpsertOne,
} from '../../../src/domain/definition/push/decide-kind.ts';
import { publishEvents, putOf } from '../../../src/domain/definition/push/publish-events.ts';
import type { DefinitionItem, DefinitionsState } from '../../../src/domain/states.ts';
import { WIRE_TEXTS } from '../../../src/domain/wire-names.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, push, put, recorded, refused } from './given.ts';

const LIVE = { target: 'live', replaceAll: false } as const;
const NEXT = { target: 'next', replaceAll: false } as const;

function stored(state: DefinitionsState, kind: 'endpoint' | 'collection', id: string, target: 'live' | 'next' = 'live'): Json {
  const item = state[target][kind].get(id);
  if (item === undefined) throw new Error(`no ${kind} ${id}`);
  return definitionOf(item);
}

describe('PUT and POST of an array', () => {
  it('stores each text before the publish that refers to it, and announces the hash of the whole layer', () => {
    const { events } = accepted(decideUpsertMany(EMPTY, 'collection', [{ id: 'a' }, { id: 'b' }], LIVE));
    expect(events.map((event) => event.type)).toEqual(['source.stored', 'source.stored', 'definitions.published']);
    const state = fold(EMPTY, events);
    expect(events[2]).toMatchObject({ data: { target: 'live', hash: layerHash(state.live) } });
  });

  it('leaves out the parts of a text that are stored already, so that storing a text in several commits ends', () => {
    const body = [{ id: 'a', text: 'x'.repeat(400_000) }];
    const { events } = accepted(decideUpsertMany(EMPTY, 'collection', body, LIVE));
    const some = fold(EMPTY, events.slice(0, 3));
    const rest = accepted(decideUpsertMany(some, 'collection', body, LIVE)).events;
    expect(rest).toEqual(events.slice(3));
    expect(fold(some, rest).live.collection.size).toBe(1);
  });

  it('upserts by id, deletes nothing that is absent, and counts', () => {
    const steps = [{ id: 's', type: 'sleep', ms: 1 }];
    const state = push(EMPTY, 'endpoint', [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    const { events, answer } = accepted(decideUpsertMany(state, 'endpoint', [{ id: 'a', steps }, { id: 'b' }, { id: 'd', steps }], LIVE));
    expect([...fold(state, events).live.endpoint.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect(answer).toMatchObject({ ok: true, createdCount: 1, updatedCount: 1, unchangedCount: 1 });
    expect(answer['results']).toMatchObject(
      ['a', 'b', 'd'].map((resourceId) => ({ ok: true, resourceKind: 'endpoint', resourceId, action: 'upsert' })),
    );
    expect(answer).not.toHaveProperty('publishTarget');
  });

  it('reports on every element, also where the last one with an id wins', () => {
    const { events, answer } = accepted(decideUpsertMany(EMPTY, 'endpoint', [{ id: 'a' }, { id: 'a', method: 'GET' }], LIVE));
    expect(fold(EMPTY, events).live.endpoint.get('a')?.text).toContain('GET');
    expect(answer).toMatchObject({ createdCount: 1, results: [{ resourceId: 'a' }, { resourceId: 'a' }] });
  });

  it('has findings for a query, and stores it all the same', () => {
    const state = push(EMPTY, 'collection', [{ id: 'heroes' }]);
    const body = [
      { id: 'top', sources: [{ collectionId: 'heroes' }], config: { field: 'gold', columns: ['gold'] } },
      { id: 'odd', type: 'median', sources: [{ collectionId: 'nobody' }], config: { field: 'gold' } },
    ];
    const { events, answer } = accepted(decideUpsertMany(state, 'query', body, LIVE));
    expect(fold(state, events).live.query.size).toBe(2);
    const about = { severity: 'warning', resourceKind: 'query', resourceId: 'odd', sourcePath: '' };
    expect(answer['results']).toEqual([
      { ok: true, resourceKind: 'query', resourceId: 'top', action: 'upsert' },
      {
        ok: true,
        resourceKind: 'query',
        resourceId: 'odd',
        action: 'upsert',
        diagnostics: [
          expect.objectContaining({ ...about, code: 'INVALID_QUERY_TYPE', sourcePointer: '/type' }),
          expect.objectContaining({ ...about, code: 'COLLECTION_NOT_FOUND', sourcePointer: '/sources/0' }),
        ],
      },
    ]);
  });

  it('says in which file and line a source is wrong, where the tools look for it', () => {
    const item = { id: 'bad', sourcePath: 'endpoints/bad.endpoint.yml', sourceText: 'steps: []\na: *x' };
    const wrong = { severity: 'error', code: 'UNSUPPORTED_YAML_ALIAS', sourcePath: 'endpoints/bad.endpoint.yml', line: 2, column: 4 };
    expect(refused(decideUpsertMany(EMPTY, 'endpoint', [item], LIVE)).extra.body?.['results']).toMatchObject([{ diagnostics: [wrong] }]);
    expect(refused(decideUpsertOne(EMPTY, 'endpoint', { endpoint: item }, 'live')).extra.body?.['diagnostics']).toMatchObject([wrong]);
  });

  it('equal content makes no event', () => {
    const state = push(EMPTY, 'endpoint', [{ id: 'a', steps: [] }]);
    expect(accepted(decideUpsertMany(state, 'endpoint', [{ id: 'a', steps: [] }], LIVE)).events).toEqual([]);
  });

  it('stores a text once, and refers to one that the log holds already', () => {
    const state = push(push(EMPTY, 'endpoint', [{ id: 'a' }], 'next'), 'endpoint', []);
    const { events } = accepted(decideUpsertMany(state, 'endpoint', [{ id: 'a' }], LIVE));
    expect(events.map((event) => event.type)).toEqual(['definitions.published']);
  });

  it('the id is id, else slug, else name of collections, workflows and queries', () => {
    expect([...push(EMPTY, 'endpoint', [{ slug: 'x.y' }]).live.endpoint.keys()]).toEqual(['x.y']);
    expect([...push(EMPTY, 'collection', [{ name: 'camp' }]).live.collection.keys()]).toEqual(['camp']);
    expect([...push(EMPTY, 'query', [{ name: 'top' }]).live.query.keys()]).toEqual(['top']);
  });

  it('an endpoint pushed under its slug keeps the id it has', () => {
    const state = push(EMPTY, 'endpoint', [{ id: 'ep_1', slug: 'buy' }]);
    const after = push(state, 'endpoint', [{ id: 'buy', slug: 'buy', method: 'GET' }]);
    expect([...after.live.endpoint.keys()]).toEqual(['ep_1']);
    expect(stored(after, 'endpoint', 'ep_1')).toMatchObject({ id: 'ep_1', method: 'GET' });
  });

  it('two collections may share a name when they give their ids', () => {
    const state = push(EMPTY, 'collection', [
      { id: 'a', name: 'Camp' },
      { id: 'b', name: 'Camp' },
    ]);
    expect([...state.live.collection.keys()]).toEqual(['a', 'b']);
  });

  it('compiles source items on this route, too', () => {
    const item = {
      kind: 'endpoint',
      id: 'buy',
      authoringMode: 'source',
      sourceFormat: 'yaml',
      sourcePath: 'buy.endpoint.yml',
      sourceText: 'method: GET\n',
    };
    expect(stored(push(EMPTY, 'endpoint', [item]), 'endpoint', 'buy')).toMatchObject({
      id: 'buy',
      slug: 'buy',
      method: 'GET',
      sourceText: 'method: GET\n',
    });
  });

  it.each<[string, Json | undefined, string]>([
    ['no body', undefined, 'Request body is empty.'],
    ['an object', {}, 'Body must be an array of endpoint objects.'],
    ['an element that is no object', [5], 'Each endpoint must be an object.'],
    ['an element without a key', [{ name: 'x' }], "Each endpoint must have 'slug' or 'id'."],
    ['an id with a slash', [{ id: 'a/b' }], 'The slug must be 1 to 128 letters, digits, _, . or -, and no reserved word.'],
    ['an id of 129 characters', [{ id: 'x'.repeat(129) }], 'The slug must be 1 to 128 letters, digits, _, . or -, and no reserved word.'],
  ])('%s is refused', (_, body, message) => {
    expect(refused(decideUpsertMany(EMPTY, 'endpoint', body, LIVE))).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', message });
  });

  it('ids of collections hold no dots, and none of the reserved prefixes', () => {
    for (const id of [
      'a.b',
      'player-stats',
      'Player-Stats',
      '__platform_x',
      `${WIRE_TEXTS.reservedCollection.published}x`,
      '__proto__',
      'constructor',
      '..',
      '',
    ]) {
      expect(refused(decideUpsertMany(EMPTY, 'collection', [{ id, name: id }], LIVE)).status).toBe(400);
    }
    expect(accepted(decideUpsertMany(EMPTY, 'collection', [{ id: 'collection-camp' }], LIVE)).events).toHaveLength(2);
  });

  it('a new collection has no id whose address another route takes; one that is there stays, with a finding', () => {
    for (const id of ['stats', 'Stats', 'queries']) {
      const { message, status } = refused(decideUpsertMany(EMPTY, 'collection', [{ id }], LIVE));
      expect([status, message]).toEqual([
        400,
        expect.stringMatching(/^A collection '\w+' could not be read: GET .* is another route\. Choose another id\./),
      ]);
    }
    expect(refused(decideUpsertMany(EMPTY, 'collection', [{ name: 'stats' }], LIVE)).status).toBe(400);
    const imported = fold(EMPTY, publishEvents(EMPTY, 'live', [putOf('collection', 'stats', { id: 'stats' })]));
    const pushed = accepted(decideUpsertMany(imported, 'collection', [{ id: 'stats', name: 'stats', schema: { n: 'number' } }], LIVE));
    expect(pushed.events).toHaveLength(2);
    expect(JSON.stringify(pushed.answer)).toContain('"code":"ADDRESS_TAKEN"');
  });

  it('with one bad element nothing is written, and the answer has a result for each', () => {
    const bad = { id: 'bad', sourceText: 'a: 1\na: 2', sourcePath: 'bad.endpoint.yml' };
    const refusal = refused(decideUpsertMany(EMPTY, 'endpoint', [{ id: 'good' }, bad, { name: 'x' }], LIVE));
    expect(refusal).toMatchObject({ status: 400, code: 'SOURCE_COMPILE_FAILED' });
    expect(refusal.message).toMatch(/^Nothing was written: 2 of 3 failed\. Invalid YAML source/);
    expect(refusal.extra.body).toMatchObject({
      resourceKind: 'endpoint',
      results: [
        { ok: true, resourceId: 'good', action: 'skipped' },
        {
          ok: false,
          resourceId: 'bad',
          error: 'SOURCE_COMPILE_FAILED',
          diagnostics: [{ severity: 'error', code: 'INVALID_YAML', line: 2, column: 1 }],
        },
        { ok: false, resourceId: 'endpoint[2]', error: 'VALIDATION_FAILED' },
      ],
    });
  });

  it('replaceAll deletes the live endpoints that are absent, in the same publish, and only there', () => {
    const state = push(push(EMPTY, 'endpoint', [{ id: 'a' }, { id: 'b' }]), 'collection', [{ id: 'c' }]);
    const { events, answer } = accepted(decideUpsertMany(state, 'endpoint', [{ id: 'b' }], { target: 'live', replaceAll: true }));
    expect(events).toHaveLength(1);
    expect([...fold(state, events).live.endpoint.keys()]).toEqual(['b']);
    expect(answer['deletedCount']).toBe(1);
    expect(
      accepted(decideUpsertMany(state, 'collection', [{ id: 'd' }], { target: 'live', replaceAll: true })).answer['deletedCount'],
    ).toBe(0);
  });

  it('a push to next never goes live, and says where it went', () => {
    const { events, answer } = accepted(decideUpsertMany(EMPTY, 'workflow', [{ id: 'w' }], NEXT));
    const state = fold(EMPTY, events);
    expect(state.live.workflow.size).toBe(0);
    expect(state.next.workflow.size).toBe(1);
    expect(answer['publishTarget']).toBe('next');
    expect(answer).not.toHaveProperty('stagedFallback');
  });

  it('a text above 256 KiB is stored in parts that fit and come back as one', () => {
    fc.assert(
      fc.property(fc.constantFrom('x', 'é', '世', '😀', 'a😀'), fc.integer({ min: 0, max: 3 }), (letter, shift) => {
        const item = { id: 'big', notes: 'y'.repeat(shift) + letter.repeat(200_000) };
        const { events } = accepted(decideUpsertMany(EMPTY, 'endpoint', [item], LIVE));
        for (const event of events) {
          if (event.type !== 'source.stored') continue;
          expect(Buffer.byteLength(event.data.text)).toBeLessThanOrEqual(256 * 1024);
          expect(event.data.text).toBe(Buffer.from(event.data.text).toString());
        }
        expect(events.length).toBeGreaterThan(2);
        expect(stored(fold(EMPTY, events), 'endpoint', 'big')).toMatchObject({ notes: item.notes });
      }),
      { numRuns: 10 },
    );
  });
});

it('a push of many looks up all their names, and visits the stored definitions a few times, not once for each', () => {
  class Watched extends Map<string, DefinitionItem> {
    walks = 0;
    override values() {
      this.walks += 1;
      return super.values();
    }
  }
  const state = push(EMPTY, 'endpoint', [{ id: 'a', slug: 'shop' }, { id: 'b', slug: 'shop' }, { id: 'c' }]);
  const endpoint = new Watched(state.live.endpoint);
  const many = Array.from({ length: 200 }, (_, n) => ({ id: `e${n}`, slug: `s${n}` }));
  const { events } = accepted(
    decideUpsertMany({ ...state, live: { ...state.live, endpoint } }, 'endpoint', [...many, { slug: 'shop', notes: 'n' }], LIVE),
  );
  expect(stored(fold(state, events), 'endpoint', 'a')).toMatchObject({ slug: 'shop', notes: 'n' });
  expect(endpoint.walks).toBeLessThan(20);
});

describe('PATCH of one', () => {
  const source = {
    id: 'buy',
    sourceText: 'method: GET\nnotes: n',
    sourceFormat: 'yaml',
    authoringMode: 'source',
    sourcePath: 'buy.endpoint.yml',
  };

  it('takes the definition bare or under its kind’s name', () => {
    const steps = [{ id: 's', type: 'sleep', ms: 1 }];
    for (const body of [{ slug: 'buy', steps }, { endpoint: { slug: 'buy', steps } }]) {
      const { events, answer } = accepted(decideUpsertOne(EMPTY, 'endpoint', body, 'live'));
      expect(answer).toEqual({ ok: true, source: 'store', resourceKind: 'endpoint', resourceId: 'buy', id: 'buy', action: 'created' });
      expect(stored(fold(EMPTY, events), 'endpoint', 'buy')).toEqual({ id: 'buy', slug: 'buy', steps });
    }
  });

  it('accepts a guard that is opened explicitly, in any spelling', () => {
    const warned = (kind: 'endpoint' | 'collection' | 'query', before: JsonObject, after: JsonObject) => {
      const named = { id: 'it', name: 'it', slug: 'it', steps: [{ id: 's', type: 'sleep', ms: 1 }] };
      const { answer } = accepted(decideUpsertMany(push(EMPTY, kind, [{ ...named, ...before }]), kind, [{ ...named, ...after }], LIVE));
      const [result] = answer['results'] as { diagnostics?: { code: string; sourcePointer: string }[] }[];
      return (result?.diagnostics ?? []).flatMap(({ code, sourcePointer }) => (code === 'GUARD_DROPPED' ? [sourcePointer] : []));
    };
    const DROPPED: readonly (readonly ['endpoint' | 'collection' | 'query', JsonObject, JsonObject, string[]])[] = [
      ['endpoint', { internal: true }, {}, ['/internal']],
      ['endpoint', { internalOnly: 'true' }, { exposure: 'internal' }, []],
      ['endpoint', { internalOnly: true }, { exposure: 'public' }, []],
      ['endpoint', { exposure: 'public' }, {}, []],
      ['endpoint', { exposure: 'private' }, {}, ['/exposure']],
      ['endpoint', { enabled: false }, {}, ['/enabled']],
      ['endpoint', { enabled: true }, {}, []],
      ['endpoint', { requiresSecretKey: 'true' }, { requiresSecretKey: null }, ['/requiresSecretKey']],
      ['endpoint', { requiresSecretKey: 'false' }, {}, []],
      ['endpoint', { requiresSecretKey: true }, { requiresSecretKey: false }, []],
      ['collection', { rateLimits: { mode: 'none' } }, {}, []],
      ['collection', { rateLimits: { mode: 'player', savesPerDay: 3 } }, {}, ['/rateLimits']],
      ['collection', { requireSaveVersion: true }, {}, ['/requireSaveVersion']],
      ['query', { requiresSecretKey: true }, {}, ['/requiresSecretKey']],
    ];
    for (const [kind, before, after, expected] of DROPPED)
      expect(warned(kind, before, after), JSON.stringify([before, after])).toEqual(expected);
  });

  it('reports guards that are left out, as an array does', () => {
    const kept = { slug: 'buy', steps: [{ id: 's', type: 'sleep', ms: 1 }] };
    const state = push(EMPTY, 'endpoint', [{ ...kept, requiresSecretKey: true, exposure: 'internal', rateLimits: null }]);
    const dropped = [
      { code: 'GUARD_DROPPED', sourcePointer: '/requiresSecretKey' },
      { code: 'GUARD_DROPPED', sourcePointer: '/exposure' },
    ];
    const many = accepted(decideUpsertMany(state, 'endpoint', [kept], LIVE)).answer;
    expect(many['results']).toMatchObject([{ ok: true, diagnostics: dropped }]);
    // A plain definition is merged into the stored one and drops nothing; a source replaces it.
    const over = accepted(decideUpsertOne(state, 'endpoint', kept, 'live')).answer;
    expect(over).not.toHaveProperty('diagnostics');
    const sourceText = 'sourceVersion: 1\nkind: endpoint\nslug: buy\nsteps: [{ id: s, type: sleep, ms: 1 }]\n';
    expect(accepted(decideUpsertOne(state, 'endpoint', { ...source, sourceText }, 'live')).answer).toMatchObject({
      diagnostics: dropped,
    });
    const known = { ...kept, requiresSecretKey: false, exposure: 'public' };
    expect(accepted(decideUpsertMany(state, 'endpoint', [known], LIVE)).answer['results']).toMatchObject([
      { ok: true, resourceKind: 'endpoint', resourceId: 'buy', action: 'upsert', diagnostics: [{ code: 'ACCESS_WIDENED' }] },
    ]);
  });

  it('does not unwrap a body that has an id itself', () => {
    const { events } = accepted(decideUpsertOne(EMPTY, 'collection', { id: 'c', collection: { x: 1 } }, 'live'));
    expect(stored(fold(EMPTY, events), 'collection', 'c')).toEqual({ id: 'c', collection: { x: 1 } });
  });

  it('merges a plain item over what is stored, one level deep, and drops the old source', () => {
    const state = push(EMPTY, 'endpoint', [source]);
    const { events, answer } = accepted(decideUpsertOne(state, 'endpoint', { slug: 'buy', input: { a: 1 } }, 'live'));
    expect(stored(fold(state, events), 'endpoint', 'buy')).toEqual({ id: 'buy', slug: 'buy', method: 'GET', notes: 'n', input: { a: 1 } });
    expect(answer['action']).toBe('updated');
  });

  it('a source item replaces what is stored', () => {
    const state = push(EMPTY, 'endpoint', [{ id: 'ep_1', slug: 'buy', response: { status: 201 } }]);
    const { events, answer } = accepted(decideUpsertOne(state, 'endpoint', { endpoint: { ...source, sourceText: 'slug: buy' } }, 'live'));
    const definition = stored(fold(state, events), 'endpoint', 'ep_1');
    expect(definition).toMatchObject({ id: 'ep_1', slug: 'buy', sourceText: 'slug: buy' });
    expect(definition).not.toHaveProperty('response');
    expect(answer).toMatchObject({ id: 'ep_1', resourceId: 'buy', action: 'updated' });
  });

  it('finds the definition by id, else by slug or name, and keeps its id', () => {
    const state = push(EMPTY, 'collection', [{ id: 'c1', name: 'Camp', maxRecords: 2 }]);
    const { events } = accepted(decideUpsertOne(state, 'collection', { name: 'Camp', accessMode: 'public' }, 'live'));
    expect(stored(fold(state, events), 'collection', 'c1')).toEqual({ id: 'c1', name: 'Camp', maxRecords: 2, accessMode: 'public' });
  });

  it('a name or slug that is the id of a definition refers to it, so nothing of it is lost', () => {
    const steps = [{ id: 's', type: 'sleep', ms: 1 }];
    const endpoints = push(EMPTY, 'endpoint', [{ id: 'buy', slug: 'shop', steps }]);
    for (const key of ['name', 'slug']) {
      const { events, answer } = accepted(decideUpsertOne(endpoints, 'endpoint', { [key]: 'buy', notes: 'n' }, 'live'));
      expect([key, answer['action']]).toEqual([key, 'updated']);
      expect(stored(fold(endpoints, events), 'endpoint', 'buy')).toMatchObject({ steps, notes: 'n' });
    }
    const collections = push(EMPTY, 'collection', [{ id: 'c1', name: 'Camp', maxRecords: 2 }]);
    const { events } = accepted(decideUpsertOne(collections, 'collection', { name: 'c1', notes: 'n' }, 'live'));
    expect(stored(fold(collections, events), 'collection', 'c1')).toEqual({ id: 'c1', name: 'c1', maxRecords: 2, notes: 'n' });
  });

  it('a staged write starts from the staged copy, else from live, and changes only next', () => {
    const state = push(EMPTY, 'collection', [{ id: 'c', maxRecords: 2 }]);
    const one = fold(state, accepted(decideUpsertOne(state, 'collection', { id: 'c', a: 1 }, 'next')).events);
    const two = fold(one, accepted(decideUpsertOne(one, 'collection', { id: 'c', b: 2 }, 'next')).events);
    expect(stored(two, 'collection', 'c', 'next')).toEqual({ id: 'c', maxRecords: 2, a: 1, b: 2 });
    expect(stored(two, 'collection', 'c')).toEqual({ id: 'c', maxRecords: 2 });
  });

  it('an edit that changes nothing is unchanged and writes nothing', () => {
    const state = push(EMPTY, 'endpoint', [source]);
    const { events, answer } = accepted(decideUpsertOne(state, 'endpoint', { endpoint: source }, 'live'));
    expect(events).toEqual([]);
    expect(answer).toMatchObject({ action: 'unchanged', skipped: true });
  });

  it.each<['endpoint' | 'collection' | 'workflow', Json | undefined, string, string]>([
    ['endpoint', undefined, 'VALIDATION_FAILED', 'Body must contain one endpoint object.'],
    ['endpoint', [], 'VALIDATION_FAILED', 'Body must contain one endpoint object.'],
    ['endpoint', { method: 'GET' }, 'VALIDATION_FAILED', 'Endpoint slug is required.'],
    ['collection', { collection: {} }, 'VALIDATION_FAILED', 'Collection name is required.'],
    ['workflow', {}, 'VALIDATION_FAILED', 'Workflow id is required.'],
    ['endpoint', { endpoint: { id: 'a', sourceText: ' ' } }, 'SOURCE_COMPILE_FAILED', 'Source text is empty.'],
    ['endpoint', { id: 'a', slug: 'a', sourceText: 5 }, 'VALIDATION_FAILED', "'sourceText' must be a text."],
    ['endpoint', { id: 'a', slug: 'a', steps: { id: 'x' } }, 'VALIDATION_FAILED', "'steps' must be a list."],
    ['endpoint', { id: 'a', slug: 'a', steps: ['x'] }, 'VALIDATION_FAILED', "'steps[0]' must be a step, which is an object."],
    [
      'endpoint',
      { id: 'a', slug: 'a', steps: [{ id: 'w', type: 'while', steps: 5 }] },
      'VALIDATION_FAILED',
      "'steps[0].steps' must be a list.",
    ],
    ['workflow', { id: 'a', steps: 'none' }, 'VALIDATION_FAILED', "'steps' must be a list."],
  ])('%s %j is refused', (kind, body, code, message) => {
    expect(refused(decideUpsertOne(EMPTY, kind, body, 'live'))).toMatchObject({ status: 400, code, message });
  });
});

describe('DELETE', () => {
  it('removes by id, else by slug or name, and leaves the staged copy', () => {
    const state = push(push(EMPTY, 'endpoint', [{ id: 'ep_1', slug: 'buy' }]), 'endpoint', [{ id: 'ep_1', slug: 'buy', x: 1 }], 'next');
    const { events, answer } = accepted(decideRemove(state, 'endpoint', 'buy', 'live'));
    const after = fold(state, events);
    expect(after.live.endpoint.size).toBe(0);
    expect(after.next.endpoint.size).toBe(1);
    expect(answer).toEqual({ ok: true, source: 'store', resourceKind: 'endpoint', action: 'delete', resourceId: 'buy' });
  });

  it('is 200 without an event when nothing has that id, and 400 for a blank one', () => {
    expect(accepted(decideRemove(EMPTY, 'collection', 'camp', 'live'))).toMatchObject({ events: [], answer: { ok: true } });
    expect(refused(decideRemove(EMPTY, 'collection', ' ', 'live')).status).toBe(400);
  });
});

describe('game values and rate-limit rules', () => {
  it('replace the whole document', () => {
    const state = put(put(EMPTY, 'game-values', { items: [{ id: 'a' }] }), 'game-values', { items: [{ id: 'b' }] });
    const options = { includeStaged: false, target: null, projectId: 'p', endpointRateLimits: null };
    expect(listGameValues(state, options).data).toEqual({ items: [{ id: 'b' }] });
  });

  it('rules are stored bare, wrapped or not', () => {
    const rules = [{ name: 'r', window: 'perDay', limit: 1 }];
    expect(put(EMPTY, 'rate-limit-rules', { rules }).liveHash).toBe(put(EMPTY, 'rate-limit-rules', rules).liveHash);
    const many = Array.from({ length: 1001 }, (_, n) => ({ id: `r${n}`, window: 'perDay', limit: 1 }));
    expect(refused(decidePutSingle(EMPTY, 'rate-limit-rules', many, 'live', 0)).message).toContain(
      'may have at most 1000 rate-limit rules',
    );
  });

  it('are staged on request, and deleted live whatever the body', () => {
    const state = put(put(EMPTY, 'game-values', { items: [] }), 'game-values', { items: [{ id: 'n' }] }, 'next');
    expect(state.next['game-values'].size).toBe(1);
    const after = fold(state, decideRemoveSingle(state, 'game-values', 'live').events);
    expect(after.live['game-values'].size).toBe(0);
    expect(after.next['game-values'].size).toBe(1);
    expect(decideRemoveSingle(after, 'game-values', 'live')).toMatchObject({
      events: [],
      answer: { ok: true, action: 'delete' },
    });
  });

  it.each<[string, Json]>([
    ['/rules/0/window', { rules: [{ window: 'perSecond', limit: 1 }] }],
    ['/0/window', [{ window: 5, limit: 1 }]],
    ['/1/windows/perday', [{ windows: { perDay: 1 } }, { windows: { perDay: 1, perday: 1 } }]],
    ['/0/windows', [{ windows: [] }]],
    ['/0/maxPerSecond', [{ maxPerDay: 1, maxPerSecond: 1, enabled: false }]],
  ])('tell of a rule with an unknown window, naming %s', (path, body) => {
    const { answer } = accepted(decidePutSingle(EMPTY, 'rate-limit-rules', body, 'live', 0));
    expect(Object(answer).diagnostics[0]).toMatchObject({
      severity: 'warning',
      code: 'INVALID_RATE_LIMIT_WINDOW',
      sourcePointer: path,
    });
  });

  it.each<[string[], Json]>([
    [[], { rules: [{ name: 'r', collection: '*', field: 'gold', scope: 'per_player', window: 'perDay', limit: 5, action: 'flag' }] }],
    [[], [{ windows: { perMinute: 1, perHour: '2', perDay: null, perWeek: 4, perMonth: 5, perYear: 6 }, action: 'clamp', enabled: true }]],
    [[], [{ maxPerMinute: 1, maxPerHour: null, maxPerDay: null, scope: 'global' }]],
    [[], []],
    [['RATE_LIMIT_MISSING /0'], [{ name: 'r' }]],
    [['RATE_LIMIT_MISSING /0'], [{ limit: 5, window: ' ' }]],
    [['INVALID_RATE_LIMIT /0/limit'], [{ window: 'perDay', limit: 'many' }]],
    [['INVALID_RATE_LIMIT /rules/0/windows/perDay'], { rules: [{ windows: { perDay: 0 } }] }],
    [['INVALID_RATE_LIMIT_ACTION /0/action'], [{ maxPerDay: 1, action: 'shout' }]],
    [['INVALID_RATE_LIMIT_SCOPE /0/scope'], [{ maxPerDay: 1, scope: 'team' }]],
    [['COLLECTION_NOT_FOUND /0/collection'], [{ maxPerDay: 1, collection: 'heros' }]],
    [['INVALID_FLAG /0/enabled'], [{ maxPerDay: 1, enabled: 'yes' }]],
  ])('are taken with %j', (expected, body) => {
    const { answer } = accepted(decidePutSingle(EMPTY, 'rate-limit-rules', body, 'live', 0));
    const { diagnostics = [] } = Object(answer);
    expect(diagnostics.map(({ code, sourcePointer }: Record<string, string>) => `${code} ${sourcePointer}`)).toEqual(expected);
  });

  it('are refused if no reader could use them', () => {
    const group = { id: 'a', type: 'group', entries: { b: 1 } };
    const held = { ok: true, data: { items: [group] } };
    const shapeless = [
      {},
      { axe: 7 },
      held,
      { Items: [group] },
      { items: null },
      { sourceText: 'items: []' },
      [5],
      { items: [group, 'x'] },
    ];
    for (const body of [undefined, null, 5, 'x', { items: { a: 1 } }, { groups: 5 }, { tables: 'x' }, ...shapeless])
      expect(refused(decidePutSingle(EMPTY, 'game-values', body, 'live', 0)).code).toBe('VALIDATION_FAILED');
    for (const body of [[], { items: [] }, { groups: {} }, [group], { items: [group], more: 5 }, { tables: { t: [] } }])
      expect(accepted(decidePutSingle(EMPTY, 'game-values', body, 'live', 0)).answer).toMatchObject({ ok: true });
    for (const body of [undefined, {}, { rules: {} }, [5]])
      expect(refused(decidePutSingle(EMPTY, 'rate-limit-rules', body, 'live', 0)).status).toBe(400);
  });
});

describe('findings for game values', () => {
  it('are in the answer; what a collection defines takes precedence over an item with the same id', () => {
    const state = push(EMPTY, 'collection', [{ id: 'shop', constants: { prices: { axe: 5 } } }]);
    const items = [{ id: 'prices', type: 'group', entries: {} }];
    expect(accepted(decidePutSingle(state, 'game-values', { items }, 'live', 0)).answer).toMatchObject({
      ok: true,
      diagnostics: [{ severity: 'warning', code: 'GAME_VALUE_IGNORED', sourcePointer: '/items/0' }],
    });
    expect(accepted(decidePutSingle(EMPTY, 'game-values', { items }, 'live', 0)).answer).toEqual({
      ok: true,
      source: 'store',
      resourceKind: 'game-values',
      action: 'upsert',
    });
  });
});

describe('any push', () => {
  it('gives a decision that can be folded, or a refusal, and never throws', () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>;
    const member = fc.constantFrom('id', 'slug', 'name', 'endpoint', 'collection', 'sourceText', 'rules', 'items', 'steps');
    const body = fc.oneof(json, fc.dictionary(member, json), fc.array(fc.dictionary(member, fc.oneof(fc.constantFrom('a', 'b'), json))));
    fc.assert(
      fc.property(body, fc.constantFrom('endpoint', 'collection'), fc.constantFrom('live', 'next'), (value, kind, target) => {
        const decisions = [
          decideUpsertMany(EMPTY, kind, value, { target, replaceAll: true }),
          decideUpsertOne(EMPTY, kind, value, target),
          decidePutSingle(EMPTY, 'game-values', value, target, 0),
          decidePutSingle(EMPTY, 'rate-limit-rules', value, target, 0),
        ];
        for (const decision of decisions) {
          if (!('events' in decision)) continue;
          const state = decision.events.reduce((folded, event) => evolveDefinitions(folded, recorded(event)), EMPTY);
          expect(state[target === 'live' ? 'liveHash' : 'nextHash']).toBe(layerHash(state[target]));
        }
      }),
      { numRuns: 400 },
    );
  });
});
