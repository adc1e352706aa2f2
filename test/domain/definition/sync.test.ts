import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layerHash } from '../../../src/domain/definition/model/evolve.ts';
import { decideUpsertOne } from '../../../src/domain/definition/push/decide-kind.ts';
import { decideSync } from '../../../src/domain/definition/push/decide-sync.ts';
import { scopesOfSync } from '../../../src/domain/definition/push/plan-sections.ts';
import { preflight } from '../../../src/domain/definition/push/preflight.ts';
import { strictly } from '../../../src/domain/definition/push/strict.ts';
import { upgradeSource } from '../../../src/domain/definition/push/upgrade-source.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, push, refused } from './given.ts';

const source = (kind: string, id: string, sourceText: string) => ({
  kind,
  id,
  authoringMode: 'source',
  sourceFormat: 'yaml',
  sourcePath: `${id}.${kind}.yml`,
  sourceText,
});

const SHOP = source('endpoint', 'shop', 'sourceVersion: 1\nkind: endpoint\nslug: shop\nsteps: [{ id: s, type: sleep, ms: 1 }]\n');
const CAMP = source('collection', 'camp', 'sourceVersion: 1\nkind: collection\nschema: { wood: { type: number } }\n');
const LIBRARY = { id: 'economy', blocks: { spend: { steps: [] }, earn: { steps: [] } } };
const BROKEN = source('endpoint', 'broken', 'steps: [\n');

/** The body of the answer, refused or not. */
function answerOf(answer: Json | Refusal): { readonly status: number; readonly code?: string; readonly body: Json } {
  if (!(answer instanceof Refusal)) return { status: 200, body: answer };
  return { status: answer.status, code: answer.code, body: { ...answer.extra.body, ok: false, message: answer.message } };
}

const check = (state: DefinitionsState, body: Json, target: 'live' | 'next' = 'live') => answerOf(preflight(state, body, target));

describe('PUT sync', () => {
  it('writes all sections in one publish and answers only those that came', () => {
    const { events, answer } = accepted(decideSync(EMPTY, { collections: [CAMP], endpoints: [SHOP], workflows: null }, 'live', 0));
    expect(events.map(({ type }) => type)).toEqual(['source.stored', 'source.stored', 'definitions.published']);
    expect(answer).toEqual({
      ok: true,
      source: 'store',
      endpoints: { ok: true, total: 1, results: [{ ok: true, resourceKind: 'endpoint', resourceId: 'shop', action: 'upsert' }] },
      collections: { ok: true, total: 1, results: [{ ok: true, resourceKind: 'collection', resourceId: 'camp', action: 'upsert' }] },
    });
  });

  it('has findings for each element; what the same push contains is known', () => {
    const reading = { id: 'a', slug: 'a', steps: [{ id: 'r', type: 'read', collection: 'camp', key: 'k' }] };
    const warnings = (body: Json) => {
      const answer = Object(accepted(decideSync(EMPTY, body, 'live', 0)).answer);
      return answer.endpoints.results.map((result: { diagnostics?: { code: string }[] }) => result.diagnostics?.map(({ code }) => code));
    };
    expect(warnings({ endpoints: [reading, { ...reading, id: 'b', slug: 'b', colour: 1 }] })).toEqual([
      ['COLLECTION_NOT_FOUND'],
      ['UNKNOWN_TOP_LEVEL_FIELD', 'COLLECTION_NOT_FOUND'],
    ]);
    expect(warnings({ endpoints: [reading], collections: [CAMP] })).toEqual([undefined]);
    const many = Array.from({ length: 101 }, (_, index) => ({ ...reading, id: `a${index}`, slug: `a${index}` }));
    expect(warnings({ endpoints: many }).flat().filter(Boolean)).toEqual([]);
    expect(warnings({ endpoints: many.slice(1) }).flat()).toHaveLength(100);
    const unknown = Array.from({ length: 60 }, (_, index) => ({ ...reading.steps[0], id: `r${index}` }));
    const codes: (string[] | undefined)[] = warnings({ endpoints: many.slice(0, 10).map((each) => ({ ...each, steps: unknown })) });
    expect(codes.map((found) => found?.length)).toEqual([60, 60, 60, 60, 60, 60, 60, 60, 21, undefined]);
    expect(codes[8]?.[20]).toBe('MORE_WARNINGS');
    const even = warnings({ endpoints: many.slice(0, 12).map((each) => ({ ...each, steps: unknown.slice(0, 50) })) });
    expect(even.slice(9)).toEqual([Array(50).fill('COLLECTION_NOT_FOUND'), ['MORE_WARNINGS'], undefined]);
  });

  it('says that it staged, and leaves live unchanged', () => {
    const { events, answer } = accepted(decideSync(EMPTY, { endpoints: [SHOP] }, 'next', 0));
    expect(answer).toMatchObject({ ok: true, publishTarget: 'next' });
    expect(fold(EMPTY, events).live.endpoint.size).toBe(0);
  });

  it('writes nothing if one section fails, and reports on each', () => {
    const refusal = refused(decideSync(EMPTY, { endpoints: [SHOP, BROKEN], collections: [CAMP], workflows: {} }, 'live', 0));
    expect(refusal).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      extra: {
        body: {
          endpoints: {
            ok: false,
            total: 2,
            results: [
              { ok: true, action: 'skipped' },
              { ok: false, resourceId: 'broken' },
            ],
          },
          collections: { ok: true, results: [{ ok: true, action: 'skipped' }] },
          workflows: { ok: false, error: 'VALIDATION_FAILED', message: 'workflows must be an array', results: [] },
        },
      },
    });
  });

  it.each([[undefined], [[]], ['text'], [null], [7]])('refuses the body %j', (body) => {
    expect(refused(decideSync(EMPTY, body, 'live', 0))).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('changes nothing if it is pushed again, or is empty', () => {
    const body = { endpoints: [SHOP], collections: [CAMP] };
    const state = fold(EMPTY, accepted(decideSync(EMPTY, body, 'live', 0)).events);
    expect(accepted(decideSync(state, body, 'live', 0)).events).toEqual([]);
    expect(accepted(decideSync(state, {}, 'live', 0))).toEqual({
      events: [],
      answer: { ok: true, source: 'store' },
    });
  });

  it('a collection that the editor pulled has its name as its id, and updates the one that it came from', () => {
    const state = push(EMPTY, 'collection', [
      { id: 'game_values', name: 'Game Values' },
      { id: 'notes', name: 'Notes' },
    ]);
    const pulled = [
      source('collection', 'Game Values', 'id: Game Values\nname: "Game Values"\nmaxRecords: 2\n'),
      source('collection', 'Notes', 'id: Notes'),
    ];
    expect(check(state, { collections: pulled })).toMatchObject({ status: 200, body: { summary: { total: 2, failed: 0 } } });
    for (const target of ['live', 'next'] as const) {
      const after = fold(state, accepted(decideSync(state, { collections: pulled }, target, 0)).events);
      expect([...after[target].collection.keys()]).toEqual(['game_values', 'notes']);
    }
    // A definition that is no author's file keeps the meaning of its id.
    expect([...push(state, 'collection', [{ id: 'Notes', name: 'Notes' }]).live.collection.keys()]).toHaveLength(3);
    expect(check(EMPTY, { collections: pulled })).toMatchObject({ status: 400 });
  });

  it('takes every kind, in one publish, each section under any of its names', () => {
    const body = {
      queries: [{ id: 'top', type: 'leaderboard', sources: [{ collectionId: 'camp' }], config: { field: 'wood', columns: ['wood'] } }],
      collections: [CAMP],
      endpoints: [
        {
          id: 'e',
          slug: 'e',
          steps: [{ id: 'r', type: 'lookup', source: 'values', table: 'prices', where: { field: 'a', op: 'exists' } }],
        },
      ],
      gameValues: { items: [{ id: 'prices', type: 'table', name: 'p', columns: [], rows: [] }] },
      rateLimitRules: { rules: [{ name: 'w', collection: 'camp', field: 'wood', window: 'perDay', limit: 5 }] },
      tests: [{ id: 't', endpoint: 'e' }],
    };
    const { events, answer } = accepted(decideSync(EMPTY, body, 'live', 7));
    expect(events.filter(({ type }) => type === 'definitions.published')).toHaveLength(1);
    const state = fold(EMPTY, events);
    expect(Object.fromEntries(Object.entries(state.live).map(([kind, held]) => [kind, held.size]))).toMatchObject({
      query: 1,
      collection: 1,
      endpoint: 1,
      'game-values': 1,
      'rate-limit-rules': 1,
      tests: 1,
    });
    expect(answer).toMatchObject({
      queries: { ok: true, total: 1 },
      gameValues: { ok: true, total: 1, results: [{ ok: true, resourceKind: 'game-values', action: 'replace' }] },
      rateLimitRules: { ok: true, total: 1 },
      tests: { ok: true, total: 1 },
    });
    // Definitions in the same push are known: neither the table nor the collection is missing.
    expect(JSON.stringify(answer)).not.toContain('NOT_FOUND');
    expect(check(EMPTY, body)).toMatchObject({ status: 200, body: { summary: { total: 6, failed: 0 } } });
    const { gameValues, rateLimitRules, ...rest } = body;
    for (const others of [
      { 'game-values': gameValues, 'rate-limit-rules': rateLimitRules },
      { values: gameValues.items, rateLimitRules },
    ]) {
      expect(fold(EMPTY, accepted(decideSync(EMPTY, { ...rest, ...others }, 'live', 7)).events).live['rate-limit-rules'].size).toBe(1);
    }
  });

  it('stages all but the tests, whose one list is live', () => {
    const state = fold(
      EMPTY,
      accepted(decideSync(EMPTY, { endpoints: [SHOP], gameValues: [], tests: [{ id: 't', endpoint: 'shop' }] }, 'next', 0)).events,
    );
    expect([state.next.endpoint.size, state.next['game-values'].size, state.live.tests.size, state.next.tests.size]).toEqual([1, 1, 1, 0]);
    expect([state.live.endpoint.size, state.liveHash]).toEqual([0, layerHash(state.live)]);
  });

  it.each<[Json, string, string]>([
    [{ endpoint: [SHOP] }, 'UNKNOWN_SECTION', `Did you mean 'endpoints'?`],
    [{ endpoints: [SHOP], game_values: [] }, 'UNKNOWN_SECTION', `Did you mean 'gameValues'?`],
    [{ settings: {} }, 'UNKNOWN_SECTION', 'Known are endpoints, '],
    [{ gameValues: [], values: [] }, 'VALIDATION_FAILED', 'gameValues and values are the same one'],
    [{ rateLimitRules: 'none' }, 'VALIDATION_FAILED', 'One or more resources failed validation'],
    [{ tests: [7] }, 'VALIDATION_FAILED', 'One or more resources failed validation'],
    [{ endpoints: [SHOP], values: 5 }, 'VALIDATION_FAILED', 'One or more resources failed validation'],
  ])('%j is refused, and nothing of it is written', (body, code, message) => {
    expect(refused(decideSync(EMPTY, body, 'live', 0))).toMatchObject({ status: 400, code, message: expect.stringContaining(message) });
    expect(check(EMPTY, body).status).toBe(400);
  });

  it('a strict sync with findings is refused, with every finding as an error; without findings it is as usual', () => {
    const gate = { id: 'gate', slug: 'gate', steps: [{ id: 'c', type: 'condition' }] };
    const body = { endpoints: [SHOP, gate], gameValues: { items: [] } };
    const refusal = refused(strictly(decideSync(EMPTY, body, 'live', 0, { strict: true })));
    expect(refusal).toMatchObject({
      status: 400,
      code: 'STRICT_FINDINGS',
      message: expect.stringContaining('gate/steps/0: '),
      extra: {
        body: {
          endpoints: {
            ok: false,
            results: [
              { ok: true, resourceId: 'shop', action: 'skipped' },
              { ok: false, resourceId: 'gate', error: 'STRICT_FINDINGS', diagnostics: [{ severity: 'error', code: 'MISSING_CHECK' }] },
            ],
          },
          gameValues: { ok: false, results: [{ ok: false, diagnostics: [{ severity: 'error', code: 'EMPTY_GAME_VALUES' }] }] },
        },
      },
    });
    expect(answerOf(preflight(EMPTY, body, 'live', { strict: true }))).toMatchObject({
      status: 400,
      code: 'PREFLIGHT_VALIDATION_FAILED',
      body: { summary: { total: 3, success: 1, failed: 2, warnings: 0 }, message: expect.stringContaining('gate: ') },
    });
    expect(check(EMPTY, body)).toMatchObject({ status: 200, body: { summary: { failed: 0, warnings: 2 } } });
    const clean = decideSync(EMPTY, { endpoints: [SHOP] }, 'live', 0, { strict: true });
    expect(strictly(clean)).toBe(clean);
    const many = Array.from({ length: 150 }, (_, index) => ({ ...gate, id: `g${index}`, slug: `g${index}` }));
    expect(refused(strictly(decideSync(EMPTY, { endpoints: many }, 'live', 0, { strict: true }))).code).toBe('STRICT_FINDINGS');
  });

  it('needs the permission of every section in it, also of an empty one', () => {
    expect(scopesOfSync({ endpoints: null, gameValues: {}, settings: [], unknown: 1 })).toEqual(['endpoints', 'game_values', 'settings']);
    expect(scopesOfSync({ tests: [] })).toHaveLength(7);
    expect(scopesOfSync([])).toEqual([]);
  });
});

describe('POST sync/preflight', () => {
  it('says what would be created and updated, with the findings as warnings', () => {
    const state = push(EMPTY, 'endpoint', [SHOP]);
    const gate = { id: 'gate', name: 'gate', slug: 'gate', steps: [{ id: 'c', type: 'condition' }] };
    const { status, body } = check(state, { endpoints: [SHOP, gate], collections: [{ id: 'Camp', name: 'Camp', schema: {} }] }, 'next');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      mode: 'preflight',
      publishTarget: 'next',
      endpoints: {
        ok: true,
        total: 2,
        passed: 2,
        failed: 0,
        results: [
          { ok: true, resourceKind: 'endpoint', resourceId: 'shop', action: 'would_update' },
          {
            ok: true,
            resourceId: 'gate',
            action: 'would_create',
            diagnostics: [{ severity: 'warning', code: 'MISSING_CHECK', sourcePointer: '/steps/0', resourceKind: 'endpoint' }],
          },
        ],
      },
      collections: { results: [{ ok: true, diagnostics: [{ code: 'COLLECTION_NAME_FORMAT', resourceId: 'Camp' }] }] },
      summary: { total: 3, success: 3, failed: 0, nextAction: expect.any(String) },
      message: 'Preflight validation passed. No resources were written.',
    });
    expect(body).not.toHaveProperty('error');
    expect(body).not.toHaveProperty('workflows');
  });

  it('is 400 with a diagnostic for each element that would refuse the push', () => {
    const asked = { endpoints: [BROKEN, {}, 7], collections: [{ schema: {} }], workflows: [{}, source('workflow', 'w', 'kind: endpoint')] };
    const { status, code, body } = check(EMPTY, asked);
    expect([status, code]).toEqual([400, 'PREFLIGHT_VALIDATION_FAILED']);
    // The editor's log shows only this.
    const message = expect.stringMatching(
      /^Preflight validation failed\. No resources were written\. broken\.endpoint\.yml: Invalid YAML source: /,
    );
    expect(body).toMatchObject({ message });
    expect(check(EMPTY, { endpoints: {} }).body).toMatchObject({ message: expect.stringContaining('endpoints must be an array') });
    expect(body).toMatchObject({
      ok: false,
      endpoints: {
        failed: 3,
        results: [
          {
            ok: false,
            resourceId: 'broken',
            error: 'VALIDATION_FAILED',
            diagnostics: [{ severity: 'error', code: 'SOURCE_COMPILE_FAILED', sourcePath: 'sourceText', type: 'INVALID_YAML' }],
          },
          { resourceId: 'endpoint[1]', diagnostics: [{ code: 'ENDPOINT_SLUG_REQUIRED', sourcePath: 'slug' }] },
          { resourceId: 'endpoint[2]', diagnostics: [{ code: 'VALIDATION_FAILED' }] },
        ],
      },
      collections: { results: [{ diagnostics: [{ code: 'COLLECTION_NAME_REQUIRED', sourcePath: 'name' }] }] },
      workflows: { results: [{ diagnostics: [{ code: 'WORKFLOW_ID_OR_NAME_REQUIRED' }] }, { resourceId: 'w' }] },
      summary: { total: 6, success: 0, failed: 6 },
    });
  });

  it('names a failure by its file, in words that the editor does not take for missing step ids', () => {
    const misnamed = source('endpoint', 'file-id', 'id: bad id\nsteps: []');
    const nameless = { slug: 'good', steps: [{ type: 'assert', check: { expression: '1' } }] };
    const { body } = check(EMPTY, { endpoints: [misnamed, nameless] });
    expect(body).toMatchObject({
      endpoints: { results: [{ ok: false, resourceId: 'file-id' }, { diagnostics: [{ code: 'MISSING_STEP_ID' }] }] },
    });
    expect(JSON.stringify(body)).not.toContain('steps[');
    expect(JSON.stringify(check(EMPTY, { endpoints: [nameless] }).body)).toContain('steps[0].id must be a non-empty string');
  });

  it('counts a section that is not a list as one failure', () => {
    expect(check(EMPTY, { endpoints: {} })).toMatchObject({
      status: 400,
      body: { endpoints: { ok: false, error: 'VALIDATION_FAILED', total: 0, failed: 1 }, summary: { failed: 1 } },
    });
  });

  it('knows what the same push contains', () => {
    const use = {
      id: 'use',
      slug: 'use',
      steps: [
        { id: 'a', type: 'read', collection: 'CAMP', key: '{{platformId}}' },
        { id: 'b', type: 'workflow', workflow: 'charge' },
        { id: 'c', type: 'lookup', source: 'values', table: 'prices', where: { field: 'id', op: '==', value: 1 } },
      ],
    };
    const camp = { id: 'camp', name: 'camp', tables: { prices: [{ id: 1 }] } };
    const codes = (body: Json) => {
      const found = JSON.stringify(check(EMPTY, body).body);
      return ['COLLECTION_NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'VALUES_TABLE_NOT_FOUND'].map((code) => found.includes(code));
    };
    expect(codes({ endpoints: [use] })).toEqual([true, true, true]);
    expect(codes({ endpoints: [use], collections: [camp], workflows: [{ id: 'charge', check: {} }] })).toEqual([false, false, false]);
  });

  it('knows the game values as they are after the push', () => {
    const use = { id: 'use', slug: 'use', steps: [{ id: 'a', type: 'compute', values: { fee: '{{values.shop.fee}}' } }] };
    const group = (name: string) => ({ items: [{ id: 'shop', type: 'group', entries: { [name]: 1 } }] });
    const fixes = (state: DefinitionsState, body: JsonObject) => {
      const [result] = Object(answerOf(preflight(state, body, 'live')).body).endpoints.results;
      return (result.diagnostics ?? []).map((each: JsonObject) => `${each['code']} ${each['suggestedFix']}`);
    };
    const stored = fold(EMPTY, accepted(decideSync(EMPTY, { gameValues: group('fee') }, 'live', 0)).events);
    expect(fixes(EMPTY, { endpoints: [use] })).toEqual(['VALUE_NOT_FOUND ']);
    expect(fixes(stored, { endpoints: [use] })).toEqual([]);
    expect(fixes(stored, { endpoints: [use], gameValues: group('fees') })).toEqual([`VALUE_NOT_FOUND Did you mean 'shop.fees'?`]);
    const owner = { id: 'camp', name: 'camp', constants: [{ id: 'shop', entries: { fee: 2 } }] };
    expect(fixes(EMPTY, { endpoints: [use], collections: [owner] })).toEqual([]);
  });

  it('says in which line a source has another id than its file', () => {
    const sourceText = 'sourceVersion: 1\nkind: endpoint\nid: own\nsteps: [{id: r, type: return}]\n';
    const { body } = answerOf(preflight(EMPTY, { endpoints: [source('endpoint', 'file', sourceText)] }, 'live'));
    expect(Object(body).endpoints.results[0].diagnostics).toMatchObject([{ code: 'FILE_ID_MISMATCH', line: 3, column: 1 }]);
  });

  it('finds tests of endpoints that are neither stored nor in the push', () => {
    const tests = [
      { id: 'a', endpoint: 'use' },
      { id: 'b', slug: 'usee' },
    ];
    const use = { id: 'u1', slug: 'use', steps: [{ id: 'a', type: 'return' }] };
    const found = (body: JsonObject) => {
      const [result] = Object(answerOf(preflight(EMPTY, body, 'live')).body).tests.results;
      return (result.diagnostics ?? []).map((each: JsonObject) => `${each['code']} ${each['sourcePointer']} ${each['suggestedFix']}`);
    };
    expect(found({ tests, endpoints: [use] })).toEqual([`ENDPOINT_NOT_FOUND /1/slug Did you mean 'use'?`]);
    expect(found({ tests })).toHaveLength(2);
  });

  it('suggests a name for an unknown one, of what is stored and what the push contains; also after others changed it', () => {
    const stored = fold(
      EMPTY,
      accepted(decideSync(EMPTY, { workflows: [{ id: 'settle', check: true }], libraries: [LIBRARY] }, 'live', 0)).events,
    );
    const use = {
      id: 'use',
      slug: 'use',
      imports: ['economie'],
      blocks: { refund: { steps: [] } },
      steps: [
        { id: 'a', type: 'read', collection: 'camps', key: '{{platformId}}' },
        { id: 'b', type: 'workflow', workflow: 'setle' },
        { id: 'c', type: 'lookup', source: 'values', table: 'price', where: { field: 'id', op: '==', value: 1 } },
        { id: 'd', type: 'call', target: 'economy.spent' },
        { id: 'e', type: 'call', target: 'refnd' },
        { id: 'f', type: 'condition', check: { expression: '1' }, onTrue: { action: 'run', workflow: 'Grant' } },
        { id: 'g', type: 'workflow', workflow: 'open_door' },
      ],
    };
    const top = { id: 'top', name: 'top', type: 'count', sources: ['campz'], config: {} };
    const camp = { id: 'c1', name: 'camp', tables: { prices: [{ id: 1 }] } };
    const inner = { id: 'grant', slug: 'grant', internalOnly: true, steps: [{ id: 'r', type: 'return' }] };
    const open = { id: 'open_door', slug: 'open_door', steps: [{ id: 'r', type: 'return' }] };
    const rules = [{ collection: 'Kamp', maxPerDay: 1 }];
    const fixes = (state: DefinitionsState, body: JsonObject) => {
      const { endpoints, queries, rateLimitRules } = Object(answerOf(preflight(state, body, 'live')).body);
      return [endpoints.results[0], ...(queries?.results ?? []), ...(rateLimitRules?.results ?? [])]
        .flatMap(({ diagnostics }) => diagnostics)
        .map(({ code, suggestedFix }) => `${code} ${suggestedFix}`);
    };
    const all = { endpoints: [use, inner, open], collections: [camp], queries: [top], rateLimitRules: { rules } };
    expect(fixes(stored, all)).toEqual([
      `UNRESOLVED_IMPORT Did you mean 'economy'?`,
      `COLLECTION_NOT_FOUND Did you mean 'camp'?`,
      `WORKFLOW_NOT_FOUND Did you mean 'settle'?`,
      `VALUES_TABLE_NOT_FOUND Did you mean 'prices'?`,
      `BLOCK_NOT_FOUND Did you mean 'economy.spend'?`,
      `WORKFLOW_NOT_FOUND Did you mean 'refund'?`,
      `WORKFLOW_NOT_FOUND Did you mean 'grant'?`,
      'WORKFLOW_NOT_FOUND ',
      `COLLECTION_NOT_FOUND Did you mean 'camp'?`,
      `COLLECTION_NOT_FOUND Did you mean 'camp'?`,
    ]);
    // The same object is judged by what was found in it before, and by what there is now.
    expect(fixes(EMPTY, { endpoints: [use] }).filter((each) => each.includes('Did you mean'))).toEqual([
      `WORKFLOW_NOT_FOUND Did you mean 'refund'?`,
    ]);
  });

  it('decides as the sync of the same body does, for any body', () => {
    const item = fc.oneof(
      fc.constantFrom<Json>(SHOP, CAMP, BROKEN, {}, 7, null),
      fc.record({ id: fc.string({ maxLength: 5 }), steps: fc.jsonValue(), schema: fc.jsonValue() }),
    );
    const section = fc.oneof(fc.array(item, { maxLength: 3 }), fc.constant(null), fc.jsonValue());
    const body = fc.record({ endpoints: section, collections: section, workflows: section }, { requiredKeys: [] });
    fc.assert(
      fc.property(body, fc.constantFrom('live' as const, 'next' as const), (asked, target) => {
        // Bodies from the wire are made by our JSON parser.
        const sent: Json = JSON.parse(JSON.stringify(asked));
        const synced = decideSync(EMPTY, sent, target, 0);
        const checked = check(EMPTY, sent, target);
        expect(checked.status).toBe(synced instanceof Refusal ? synced.status : 200);
      }),
    );
  });

  it('has no words in any text that make an editor try another route', () => {
    const bad = { ...BROKEN, id: 'a404', sourceText: 'steps: {not found: [404, 405\n' };
    const odd = { id: 'x', slug: 'x', steps: [{ id: '404', type: 'does not exist' }], 'not available': 1 };
    const texts = [check(EMPTY, { endpoints: [bad] }), check(EMPTY, { endpoints: [odd] })].map(({ body }) => {
      const messages = [...JSON.stringify(body).matchAll(/"message":"([^"]*)"/g)].map(([, message = '']) => message);
      return messages.join(' ').toLowerCase();
    });
    for (const word of ['404', '405', 'not found', 'does not exist', 'not available', 'sync endpoint']) {
      for (const text of texts) expect(text).not.toContain(word);
    }
  });
});

describe('POST source-upgrade', () => {
  const WRAPPED = 'kind: collection\nid: camp\ndefinition:\n  schema:\n    wood: { type: number }\n  maxRecords: 1\n';

  it('rewrites a wrapper to the flat layout where nothing else changes', () => {
    const { body } = answerOf(upgradeSource(source('collection', 'camp', WRAPPED)));
    expect(body).toMatchObject({ ok: true, kind: 'collection', id: 'camp', safeAutoWrite: true });
    const { upgradedSourceText } = Object(body);
    expect(upgradedSourceText).not.toContain('definition:');
    const before = accepted(decideUpsertOne(EMPTY, 'collection', source('collection', 'camp', WRAPPED), 'live'));
    expect(before.answer['ok']).toBe(true);
    expect(answerOf(upgradeSource(source('collection', 'camp', upgradedSourceText))).body).toMatchObject({
      canonicalDefinition: Object(body).canonicalDefinition,
      upgradedSourceText,
      safeAutoWrite: true,
    });
  });

  it('puts the header first and leaves lines as they were: the editor’s parser reads neither folded texts nor lists in lists', () => {
    const description = 'word '.repeat(40).trim();
    const body = 'rows:\n    - [ axe, 5 ]\n    - { of: { a: 1 } }\n';
    const text = `definition:\n  steps: []\n  ${body}kind: workflow\nsourceVersion: 1\ndescription: ${description}\nid: w\n`;
    expect(answerOf(upgradeSource(source('workflow', 'w', text))).body).toMatchObject({
      safeAutoWrite: true,
      upgradedSourceText: `sourceVersion: 1\nkind: workflow\nid: w\ndescription: ${description}\nsteps: []\n${body.replaceAll('    -', '  -')}`,
    });
  });

  it('leaves a text with comments unchanged, and says that it must not be overwritten', () => {
    const text = `# the camp\n${WRAPPED}`;
    expect(answerOf(upgradeSource(source('collection', 'camp', text))).body).toMatchObject({
      safeAutoWrite: false,
      upgradedSourceText: text,
    });
  });

  it.each([[{}], [[]], [undefined], [{ kind: 'libary', sourceText: 'x: 1' }], [{ kind: 'endpoint' }], [BROKEN]])('refuses %j', (body) => {
    expect(refused(upgradeSource(body)).status).toBe(400);
  });
});
