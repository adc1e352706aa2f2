import { describe, expect, it } from 'vitest';
import { effectiveDefinitions } from '../../../src/domain/definition/model/effective.ts';
import { layerHash } from '../../../src/domain/definition/model/evolve.ts';
import { type DiscardRequest, decideDiscard } from '../../../src/domain/definition/release/discard.ts';
import { decidePromote, diffDefinitions } from '../../../src/domain/definition/release/promote.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, push, put, refused } from './given.ts';

const base = put(push(EMPTY, 'endpoint', [{ id: 'ep_1', slug: 'buy', method: 'GET', notes: 'old' }, { id: 'same' }]), 'game-values', {
  items: [],
});
const staged = put(
  push(push(base, 'endpoint', [{ slug: 'buy', notes: 'new' }, { id: 'sell' }], 'next'), 'workflow', [{ id: 'w' }], 'next'),
  'game-values',
  { items: [{ id: 'g', entries: { a: 1 } }] },
  'next',
);

describe('promotion', () => {
  it('makes live what next was, in one event, and leaves nothing staged', () => {
    const { events } = decidePromote(staged, { dryRun: false });
    expect(events.at(-1)).toMatchObject({ type: 'definitions.promoted', data: { generation: 1 } });
    const before = effectiveDefinitions(staged, 'next');
    const after = fold(staged, events);
    const live = effectiveDefinitions(after, 'live');
    expect(live.endpoint('buy')?.definition).toEqual(before.endpoint('buy')?.definition);
    expect(live.endpoint('buy')).toMatchObject({ id: 'ep_1', method: 'GET', enabled: true });
    expect(live.values.values).toEqual({ g: { a: 1 } });
    expect(live.workflow('w')).toBeDefined();
    expect(effectiveDefinitions(after, 'next')).toBe(live);
    expect(after.liveHash).toBe(layerHash(after.live));
    expect(events.at(-1)).toMatchObject({ data: { hash: after.liveHash } });
  });

  it('answers counts per kind and each change', () => {
    const { answer } = decidePromote(staged, { dryRun: false });
    expect(answer).toMatchObject({
      ok: true,
      promoted: { endpoints: 2, collections: 0, workflows: 1, queries: 0, gameValues: 1, rateLimitRules: 0 },
      generation: 1,
    });
    expect(answer['changes']).toEqual([
      { kind: 'endpoint', id: 'ep_1', action: 'change' },
      { kind: 'endpoint', id: 'sell', action: 'add' },
      { kind: 'workflow', id: 'w', action: 'add' },
      { kind: 'game-values', id: '*', action: 'change' },
    ]);
  });

  it('a dry run answers the same and writes nothing', () => {
    const dry = decidePromote(staged, { dryRun: true });
    expect(dry.events).toEqual([]);
    expect(dry.answer['changes']).toEqual(decidePromote(staged, { dryRun: false }).answer['changes']);
    expect(dry.answer).toMatchObject({ dryRun: true, generation: 0 });
  });

  it('with nothing staged it is 200 with zeros and no event', () => {
    const { events, answer } = decidePromote(base, { dryRun: false });
    expect(events).toEqual([]);
    expect(answer).toMatchObject({ promoted: { endpoints: 0 }, changes: [], hash: base.liveHash, generation: 0 });
  });

  it('staged definitions that equal live still start a new generation', () => {
    const same = push(push(base, 'endpoint', [{ id: 'same', x: 1 }], 'next'), 'endpoint', [{ id: 'same' }], 'next');
    const { events, answer } = decidePromote(same, { dryRun: false });
    expect(answer['changes']).toEqual([]);
    expect(fold(same, events)).toMatchObject({ generation: 1, liveHash: base.liveHash });
  });
});

describe('diff of next against live', () => {
  it('names each change, the top-level members that differ, and where they differ', () => {
    expect(diffDefinitions(staged)).toMatchObject({ ok: true, staged: true, liveHash: staged.liveHash, nextHash: staged.nextHash });
    expect(diffDefinitions(staged)['changes']).toEqual([
      {
        kind: 'endpoint',
        id: 'ep_1',
        action: 'change',
        members: ['notes'],
        fields: [{ path: '/notes', label: 'notes', before: 'old', after: 'new' }],
      },
      {
        kind: 'endpoint',
        id: 'sell',
        action: 'add',
        members: ['id', 'slug'],
        fields: [
          { path: '/id', label: 'id', after: 'sell' },
          { path: '/slug', label: 'slug', after: 'sell' },
        ],
      },
      { kind: 'workflow', id: 'w', action: 'add', members: ['id'], fields: [{ path: '/id', label: 'id', after: 'w' }] },
      {
        kind: 'game-values',
        id: '*',
        action: 'change',
        members: ['items'],
        fields: [{ path: '/items/0', label: 'g', after: { id: 'g', entries: { a: 1 } } }],
      },
    ]);
  });

  it('is empty when nothing is staged', () => {
    expect(diffDefinitions(base)).toMatchObject({ staged: false, changes: [] });
  });
});

describe('discarding what is staged', () => {
  const discarded = (what: DiscardRequest, options = { dryRun: false }) => {
    const { events, answer } = accepted(decideDiscard(staged, what, options));
    return { after: fold(staged, events), answer, events };
  };

  it('shows rules as they were sent, and nothing that the server keeps beside them', () => {
    const [minute, day] = ['perMinute', 'perDay'].map((window) => ({ collection: 'c', field: 'gold', window, limit: 5 }));
    const next = put(put(EMPTY, 'rate-limit-rules', [minute, day] as Json, 'live', 7), 'rate-limit-rules', [day] as Json, 'next', 8);
    const fields = diffDefinitions(next).changes.flatMap((change) => change.fields);
    expect(fields).toEqual([{ path: '/0', label: 'c', before: minute }]);
  });

  it('leaves nothing staged, live as it was, and the data of next in its generation', () => {
    const { after, answer } = discarded({});
    expect(answer).toMatchObject({ ok: true, publishTarget: 'next' });
    expect(Object(answer).changes).toContainEqual({ kind: 'workflow', id: 'w', action: 'discard' });
    expect(effectiveDefinitions(after, 'next')).toBe(effectiveDefinitions(after, 'live'));
    expect([after.liveHash, after.nextHash, after.generation]).toEqual([staged.liveHash, layerHash(after.next), staged.generation]);
    expect(effectiveDefinitions(after, 'next').endpoint('sell')).toBeUndefined();
  });

  it('takes one kind, or one definition by id, slug or name', () => {
    expect(discarded({ kind: 'endpoint' }).after.next).toMatchObject({ endpoint: new Map() });
    const { after } = discarded({ kind: 'endpoint', id: 'buy' });
    expect([...after.next.endpoint.keys()]).toEqual(['sell']);
    expect(effectiveDefinitions(after, 'next').endpoint('buy')?.definition).toMatchObject({ notes: 'old' });
    expect(discarded({ kind: 'game-values', id: '*' }).after.next['game-values'].size).toBe(0);
  });

  it('does nothing if nothing matches, or in a dry run', () => {
    expect(discarded({ kind: 'endpoint', id: 'nobody' }).events).toEqual([]);
    const { events, answer } = discarded({ kind: 'workflow' }, { dryRun: true });
    expect([events, answer]).toEqual([[], expect.objectContaining({ changes: [{ kind: 'workflow', id: 'w', action: 'discard' }] })]);
  });

  it.each<DiscardRequest>([{ kind: 'tests' }, { id: 'buy' }])('%j is 400', (what) => {
    expect(refused(decideDiscard(staged, what, { dryRun: false }))).toMatchObject({ status: 400, code: 'INVALID_BODY' });
  });
});
