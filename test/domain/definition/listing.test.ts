import { describe, expect, it } from 'vitest';
import { listDefinitions, listGameValues, listRateLimitRules } from '../../../src/domain/definition/pull/listing.ts';
import { decideUpsertMany, decideUpsertOne } from '../../../src/domain/definition/push/decide-kind.ts';
import { normaliseRules } from '../../../src/domain/limit/rules.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, push, put } from './given.ts';

const BARE = { includeStaged: false, target: null, projectId: 'p', endpointRateLimits: null } as const;
const STAGED = { ...BARE, includeStaged: true, target: 'next' } as const;

const both = push(push(EMPTY, 'endpoint', [{ id: 'a', slug: 'a' }, { id: 'b' }]), 'endpoint', [{ id: 'a', slug: 'a', x: 1 }], 'next');
const data = (body: JsonObject) => body['data'] as JsonObject[];

describe('listings', () => {
  it('an empty project lists nothing', () => {
    expect(listDefinitions(EMPTY, 'workflow', BARE)).toEqual({ ok: true, data: [] });
  });

  it('live items carry no target; staged ones come after them, marked, duplicates included', () => {
    const items = data(listDefinitions(both, 'endpoint', STAGED));
    expect(items.map((item) => [item['id'], item['revisionTarget']])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['a', 'next'],
    ]);
  });

  it('staged items appear with includeStaged unless the target is live', () => {
    expect(data(listDefinitions(both, 'endpoint', { ...BARE, includeStaged: true }))).toHaveLength(3);
    expect(data(listDefinitions(both, 'endpoint', { ...STAGED, target: 'live' }))).toHaveLength(2);
    expect(data(listDefinitions(both, 'endpoint', { ...BARE, target: 'next' }))).toHaveLength(2);
  });

  it('workflows are listed as they were last pushed if no target is named, staged ones with a mark: the editor names no target for them', () => {
    const v = (n: number) => [{ id: 'w', returns: { n } }];
    const shown = (state: typeof EMPTY, options: Parameters<typeof listDefinitions>[2] = BARE) =>
      data(listDefinitions(state, 'workflow', options)).map((item) => [item['id'], item['returns'], item['revisionTarget']]);
    const staged = push(push(EMPTY, 'workflow', v(1), 'live', 10), 'workflow', [...v(2), { id: 'new' }], 'next', 20);
    expect(shown(staged)).toEqual([
      ['w', { n: 2 }, 'next'],
      ['new', undefined, 'next'],
    ]);
    expect(shown(staged, { ...BARE, target: 'live' })).toEqual([['w', { n: 1 }, undefined]]);
    expect(shown(staged, STAGED)).toHaveLength(3);
    expect(shown(push(staged, 'workflow', v(3), 'live', 30))[0]).toEqual(['w', { n: 3 }, undefined]);
    expect(shown(push(EMPTY, 'workflow', v(1)))).toEqual([['w', { n: 1 }, undefined]]);
  });

  it('a workflow that is pushed again unchanged counts as the last one pushed; the answer says that it is unchanged', () => {
    const v = (n: number) => [{ id: 'w', sourceText: `returns: { n: ${n} }` }];
    const shown = (state: typeof EMPTY) => data(listDefinitions(state, 'workflow', BARE)).map((item) => item['returns']);
    const staged = push(push(EMPTY, 'workflow', v(1), 'live', 10), 'workflow', v(2), 'next', 20);
    expect(shown(staged)).toEqual([{ n: 2 }]);
    const again = accepted(decideUpsertMany(staged, 'workflow', v(1), { target: 'live', replaceAll: false }));
    expect(again.answer).toMatchObject({ createdCount: 0, updatedCount: 0, unchangedCount: 1 });
    const live = fold(staged, again.events, 30);
    expect(shown(live)).toEqual([{ n: 1 }]);
    expect(live.next.workflow.size).toBe(1);
    const patch = accepted(decideUpsertOne(live, 'workflow', { workflow: v(2)[0] ?? {} }, 'next'));
    expect(patch.answer).toMatchObject({ action: 'unchanged', skipped: true });
    const next = fold(live, patch.events, 40);
    expect(shown(next)).toEqual([{ n: 2 }]);
    expect(fold(next, accepted(decideUpsertOne(next, 'workflow', v(2)[0] ?? {}, 'next')).events)).toBe(next);
  });

  it('fills in id, slug, name, and the visibility of collections', () => {
    expect(data(listDefinitions(push(EMPTY, 'endpoint', [{ id: 'a' }]), 'endpoint', BARE))).toEqual([{ id: 'a', slug: 'a', name: 'a' }]);
    expect(data(listDefinitions(push(EMPTY, 'collection', [{ id: 'c' }]), 'collection', BARE))).toEqual([
      { id: 'c', name: 'c', visibility: 'private' },
    ]);
  });

  it('gives the source text back byte for byte', () => {
    const sourceText = 'name: é\r\n\r\n# end  \r\n';
    const state = push(EMPTY, 'endpoint', [{ id: 'a', sourceText }]);
    expect(data(listDefinitions(state, 'endpoint', BARE))[0]?.['sourceText']).toBe(sourceText);
  });

  it('has no value that the editor’s typed reader cannot read', () => {
    const state = push(EMPTY, 'collection', [{ id: 'c', name: 5, description: null, maxRecords: null, accessMode: true }]);
    expect(data(listDefinitions(state, 'collection', BARE))).toEqual([{ id: 'c', name: '5', accessMode: 'true', visibility: 'private' }]);
  });
});

describe('single documents', () => {
  it('game values are listed as they were put, or as an empty list', () => {
    expect(listGameValues(EMPTY, BARE)).toEqual({ ok: true, data: [] });
    const state = put(put(EMPTY, 'game-values', { groups: [] }), 'game-values', { items: [] }, 'next');
    expect(listGameValues(state, BARE).data).toEqual({ groups: [] });
    expect(listGameValues(state, { ...BARE, target: 'next' }).data).toEqual({ items: [] });
  });

  it('rules of all three forms show their limits as maxPer…, and keep what was sent', () => {
    const state = put(EMPTY, 'rate-limit-rules', [
      { name: 'seed', collection: 'camp', field: 'wood.logs', window: 'perDay', limit: 5, action: 'flag' },
      { id: 'r2', windows: { perHour: 6 } },
      { maxPerMinute: 7, enabled: false, scope: 'global' },
    ]);
    const body = listRateLimitRules(state, { ...BARE, endpointRateLimits: { enabled: true } });
    expect(body).toMatchObject({ ok: true, projectId: 'p', source: 'configuration', endpointRateLimits: { enabled: true } });
    expect(body.rules).toMatchObject([
      {
        id: 'rl_camp_wood_logs',
        name: 'seed',
        window: 'perDay',
        limit: 5,
        maxPerDay: 5,
        maxPerHour: null,
        action: 'flag',
        enabled: true,
        scope: 'per_player',
      },
      { id: 'r2', collection: '*', field: '*', maxPerHour: 6, maxPerMinute: null, action: 'reject', windows: { perHour: 6 } },
      { id: 'rl_all_all', maxPerMinute: 7, enabled: false, scope: 'global' },
    ]);
  });

  it('rules are listed under the ids that they are evaluated by, whatever ids were sent', () => {
    const rules = [
      { collection: 'camp', field: 'wood', maxPerDay: 5, enabled: false },
      { collection: 'camp', field: 'wood', maxPerHour: 2 },
      { id: 'not an id', collection: 'camp', field: 'wood', maxPerMinute: 1 },
    ];
    const ids = ['rl_camp_wood', 'rl_camp_wood_2', 'rl_camp_wood_3'];
    const body = listRateLimitRules(put(EMPTY, 'rate-limit-rules', { rules }), BARE);
    expect(body.rules).toMatchObject(ids.map((id) => ({ id })));
    expect(normaliseRules({ rules }).map(({ id }) => id)).toEqual(ids.slice(1));
  });
});
