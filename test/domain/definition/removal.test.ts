import { describe, expect, it } from 'vitest';
import { effectiveDefinitions } from '../../../src/domain/definition/model/effective.ts';
import { layerHash } from '../../../src/domain/definition/model/evolve.ts';
import { listDefinitions, listGameValues, listRateLimitRules } from '../../../src/domain/definition/pull/listing.ts';
import { decideRemove, decideRemoveSingle, decideUpsertMany, decideUpsertOne } from '../../../src/domain/definition/push/decide-kind.ts';
import { decideDiscard } from '../../../src/domain/definition/release/discard.ts';
import { decidePromote, diffDefinitions } from '../../../src/domain/definition/release/promote.ts';
import type { ListedKind, SingleKind } from '../../../src/domain/kinds.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, push, put } from './given.ts';

const NEXT = { target: 'next', replaceAll: false } as const;

/** What is removed from `next` is removed from live by the promotion. */

const base = push(push(EMPTY, 'endpoint', [{ id: 'ep_1', slug: 'buy', notes: 'old' }, { id: 'sell' }]), 'workflow', [{ id: 'w' }]);
const listed = (
  state: DefinitionsState,
  kind: ListedKind | SingleKind,
  query = { includeStaged: true, target: 'next' as const },
): JsonObject => {
  const options = { ...query, projectId: 'p', endpointRateLimits: null };
  if (kind === 'game-values') return listGameValues(state, options);
  return kind === 'rate-limit-rules' ? listRateLimitRules(state, options) : listDefinitions(state, kind, options);
};
const removed = (state: DefinitionsState, id: string, kind: ListedKind = 'endpoint') => accepted(decideRemove(state, kind, id, 'next'));

describe('DELETE with the target next', () => {
  const { events, answer } = removed(base, 'buy');
  const staged = fold(base, events);

  it('leaves live unchanged, and a request for next no longer sees the definition', () => {
    expect(answer).toMatchObject({ action: 'delete', resourceId: 'buy', publishTarget: 'next' });
    expect(staged.liveHash).toBe(base.liveHash);
    expect(staged.nextHash).toBe(layerHash(staged.next));
    expect(effectiveDefinitions(staged, 'live').endpoint('buy')).toBeDefined();
    expect(effectiveDefinitions(staged, 'next').endpoint('buy')).toBeUndefined();
    expect(effectiveDefinitions(staged, 'next').endpoint('sell')).toBeDefined();
    expect(removed(staged, 'buy').events).toEqual([]);
  });

  it('is marked in listings, shown by diff, and done by the promotion', () => {
    expect(listed(staged, 'endpoint')['data']).toMatchObject([
      { id: 'ep_1', slug: 'buy' },
      { id: 'sell' },
      { id: 'ep_1', slug: 'buy', notes: 'old', revisionTarget: 'next', stagedRemoval: true },
    ]);
    expect(diffDefinitions(staged)).toMatchObject({
      staged: true,
      changes: [{ kind: 'endpoint', id: 'ep_1', action: 'delete', members: [], fields: [] }],
    });
    const promoted = decidePromote(staged, { dryRun: false });
    expect(promoted.answer).toMatchObject({ promoted: { endpoints: 1 }, changes: [{ id: 'ep_1', action: 'delete' }] });
    const after = fold(staged, promoted.events);
    expect([...after.live.endpoint.keys()]).toEqual(['sell']);
    expect([after.liveHash, after.next.endpoint.size]).toEqual([layerHash(after.live), 0]);
  });

  it('is undone by a discard, by slug too, and by a push of the definition', () => {
    const back = fold(staged, accepted(decideDiscard(staged, { kind: 'endpoint', id: 'buy' }, { dryRun: false })).events);
    expect(effectiveDefinitions(back, 'next').endpoint('buy')).toBeDefined();
    for (const body of [{ slug: 'buy', notes: 'again' }, { endpoint: { id: 'ep_1', slug: 'buy', notes: 'again' } }]) {
      const { events: pushed, answer: told } = accepted(decideUpsertOne(staged, 'endpoint', body, 'next'));
      expect(told).toMatchObject({ id: 'ep_1', action: 'created' });
      const again = fold(staged, pushed);
      expect(effectiveDefinitions(again, 'next').endpoint('buy')).toMatchObject({ id: 'ep_1', definition: { notes: 'again' } });
    }
    expect(accepted(decideUpsertMany(staged, 'endpoint', [{ slug: 'buy' }], NEXT)).answer).toMatchObject({ createdCount: 1 });
  });

  it('of a definition that is only staged discards it; of one in both layers removes both', () => {
    const added = push(
      base,
      'endpoint',
      [
        { id: 'new', slug: 'fresh' },
        { id: 'sell', notes: 'staged' },
      ],
      'next',
    );
    const without = fold(added, removed(added, 'fresh').events);
    expect([...without.next.endpoint.keys()]).toEqual(['sell']);
    const none = fold(without, removed(without, 'sell').events);
    expect(effectiveDefinitions(none, 'next').endpoint('sell')).toBeUndefined();
    expect(fold(none, decidePromote(none, { dryRun: false }).events).live.endpoint.has('sell')).toBe(false);
  });

  it('without a definition of that id is 200 and writes nothing; what live has lost meanwhile is no change', () => {
    expect(removed(base, 'nobody')).toMatchObject({ events: [], answer: { ok: true } });
    const gone = fold(staged, accepted(decideRemove(staged, 'endpoint', 'ep_1', 'live')).events);
    expect(diffDefinitions(gone)['changes']).toEqual([]);
    expect(listed(gone, 'endpoint')['data']).toHaveLength(1);
  });

  it('of a workflow is shown in the listing without a target, which editors read', () => {
    const state = fold(base, removed(base, 'w', 'workflow').events, 2000);
    const untold = { includeStaged: false, target: null };
    const { data } = listDefinitions(state, 'workflow', { ...untold, projectId: 'p', endpointRateLimits: null });
    expect(data).toMatchObject([{ id: 'w', revisionTarget: 'next', stagedRemoval: true }]);
    const again = fold(state, accepted(decideUpsertMany(state, 'workflow', data ?? [], NEXT)).events);
    expect(again.next.workflow.get('w')?.text).toBe('{"id":"w","name":"w"}');
  });
});

describe('replaceAll with the target next', () => {
  it('stages the removal of endpoints that are left out, and discards those that were only staged', () => {
    const state = push(base, 'endpoint', [{ id: 'extra' }], 'next');
    const { events, answer } = accepted(
      decideUpsertMany(state, 'endpoint', [{ slug: 'buy', notes: 'new' }], { ...NEXT, replaceAll: true }),
    );
    expect(answer).toMatchObject({ createdCount: 0, updatedCount: 1, deletedCount: 2 });
    const after = fold(state, events);
    expect(effectiveDefinitions(after, 'next').endpoints.map(({ slug }) => slug)).toEqual(['buy']);
    expect(after.live.endpoint.size).toBe(2);
    const live = fold(after, decidePromote(after, { dryRun: false }).events);
    expect(effectiveDefinitions(live, 'live').endpoints.map(({ slug }) => slug)).toEqual(['buy']);
  });
});

describe('DELETE of game values and rules with the target next', () => {
  it.each(['game-values', 'rate-limit-rules'] as const)('%s', (kind) => {
    const state = put(
      EMPTY,
      kind,
      kind === 'game-values' ? { items: [{ id: 'a', entries: { x: 1 } }] } : [{ id: 'r', window: 'perDay', limit: 1 }],
    );
    const { events } = decideRemoveSingle(state, kind, 'next');
    const staged = fold(state, events);
    const next = effectiveDefinitions(staged, 'next');
    expect([next.values.values, next.rules]).toEqual([{}, []]);
    expect(effectiveDefinitions(staged, 'live')).toBe(effectiveDefinitions(state, 'live'));
    expect(listed(staged, kind)).toMatchObject({ stagedRemoval: true, ...(kind === 'game-values' ? { data: [] } : { rules: [] }) });
    expect(fold(staged, decidePromote(staged, { dryRun: false }).events).live[kind].size).toBe(0);
    expect(decideRemoveSingle(EMPTY, kind, 'next').events).toEqual([]);
    expect(effectiveDefinitions(put(staged, kind, [{ id: 'b' }], 'next'), 'next').rawRules.length).toBe(kind === 'game-values' ? 0 : 1);
  });
});
