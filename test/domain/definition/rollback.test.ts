import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layerHash } from '../../../src/domain/definition/model/evolve.ts';
import { decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import { decidePromote } from '../../../src/domain/definition/release/promote.ts';
import { decideRollback, type EarlierLive, type RollbackGoal, RollbackSearch } from '../../../src/domain/definition/release/rollback.ts';
import type { DomainEvent, ProjectEvent } from '../../../src/domain/events.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import { decidePutTests } from '../../../src/domain/test/decide.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, recorded, refused } from './given.ts';

/** A project whose log is at hand. */
class History {
  state: DefinitionsState = EMPTY;
  readonly events: ProjectEvent[] = [];

  add(events: readonly DomainEvent[]): this {
    for (const event of events) {
      const placed = recorded(event, 1000, this.events.length);
      this.events.push(placed);
    }
    this.state = fold(this.state, events);
    return this;
  }

  push(items: Json, target: 'live' | 'next' = 'live', kind: 'endpoint' | 'workflow' = 'endpoint'): this {
    return this.add(accepted(decideUpsertMany(this.state, kind, items, { target, replaceAll: target === 'live' })).events);
  }

  promote(): this {
    return this.add(accepted(decidePromote(this.state, { dryRun: false })).events);
  }

  earlier(goal?: RollbackGoal): EarlierLive | null {
    const search = new RollbackSearch(this.state, goal);
    this.events.toReversed().some((event) => search.take(event));
    return search.result();
  }

  rollback(): this {
    return this.add(accepted(decideRollback(this.state, this.earlier(), { dryRun: false })).events);
  }

  rollbackTo(to: number): this {
    return this.add(accepted(decideRollback(this.state, this.earlier({ revision: to }), { dryRun: false, to })).events);
  }

  /** Live as texts by id. */
  get live(): string {
    return layerHash({ ...this.state.live, tests: new Map() });
  }
}

const items = (...names: readonly string[]) => names.map((name) => ({ id: name.slice(0, 1), method: name }));

describe('rolling back', () => {
  it('makes live what it was before the last publish: changed, added and deleted definitions alike', () => {
    const history = new History().push(items('a1', 'b1'));
    const before = history.live;
    history.push(items('a2', 'c1'));
    const { events, answer } = accepted(decideRollback(history.state, history.earlier(), { dryRun: false }));
    expect(answer).toMatchObject({
      ok: true,
      to: 2,
      generation: 1,
      changes: [
        { kind: 'endpoint', id: 'a', action: 'change' },
        { kind: 'endpoint', id: 'c', action: 'delete' },
        { kind: 'endpoint', id: 'b', action: 'add' },
      ],
    });
    expect(events.at(-1)).toMatchObject({ type: 'definitions.rolledBack', data: { to: 2, generation: 1 } });
    history.add(events);
    expect(history.live).toBe(before);
    expect(history.state.liveHash).toBe(layerHash(history.state.live));
  });

  it('a dry run writes nothing, and says what would differ, field by field', () => {
    const history = new History().push(items('a1', 'b1')).push(items('a2', 'c1'));
    expect(accepted(decideRollback(history.state, history.earlier(), { dryRun: true }))).toMatchObject({
      events: [],
      answer: {
        dryRun: true,
        generation: 0,
        to: 2,
        changes: [
          { id: 'a', action: 'change', members: ['method'], fields: [{ path: '/method', before: 'a2', after: 'a1' }] },
          { id: 'c', action: 'delete', members: [], fields: [] },
          { id: 'b', action: 'add', members: expect.arrayContaining(['id', 'method']) },
        ],
      },
    });
  });

  it('skips workflows that were pushed again unchanged after another form had been staged', () => {
    const history = new History().push(items('w1'), 'live', 'workflow');
    const before = history.live;
    history.push(items('w2'), 'live', 'workflow').push(items('w3'), 'next', 'workflow');
    const { length } = history.events;
    history.push(items('w2'), 'live', 'workflow').push(items('w2'), 'live', 'workflow');
    expect(history.events).toHaveLength(length + 2);
    expect(history.rollback().live).toBe(before);
    expect(history.rollback().live).toBe(layerHash(EMPTY.live));
  });

  it('finds the publish to undo in one search, however many publishes without an effect lie before it', () => {
    const history = new History().push(items('w1'), 'live', 'workflow');
    const before = history.live;
    history.push(items('w2'), 'live', 'workflow').push(items('w3'), 'next', 'workflow');
    const { length } = history.events;
    for (let pushed = 0; pushed < 20; pushed += 1) history.push(items('w2'), 'live', 'workflow');
    expect(history.events).toHaveLength(length + 20);
    expect(accepted(decideRollback(history.state, history.earlier(), { dryRun: true })).answer).toMatchObject({
      to: 1,
      changes: [{ id: 'w' }],
    });
    expect(history.rollback().live).toBe(before);
  });

  it('undoes a promotion, leaves staged definitions unchanged, and starts a new generation', () => {
    const history = new History().push(items('a1'));
    const before = history.live;
    history.push(items('a2'), 'next').promote().push(items('a3'), 'next').rollback();
    expect(history.live).toBe(before);
    expect(history.state.next.endpoint.size).toBe(1);
    expect(history.state.generation).toBe(2);
  });

  it('goes back one publish each time, at last to nothing, and then refuses', () => {
    const history = new History().push(items('a1')).push(items('a2')).push(items('a3'));
    history.rollback().rollback();
    expect(history.state.live.endpoint.get('a')?.text).toContain('a1');
    history.rollback();
    expect(history.state.live.endpoint.size).toBe(0);
    expect(refused(decideRollback(history.state, history.earlier(), { dryRun: false }))).toMatchObject({
      status: 409,
      code: 'NOTHING_TO_ROLL_BACK',
    });
    history.push(items('b1')).rollback();
    expect(history.state.live.endpoint.size).toBe(0);
  });

  it('does not change saved tests', () => {
    const history = new History().push(items('a1')).push(items('a2'));
    history.add(accepted(decidePutTests(history.state, [{ id: 't', endpoint: 'a' }])).events).rollback();
    expect(history.state.live.endpoint.get('a')?.text).toContain('a1');
    expect(history.state.live.tests.size).toBe(1);
  });

  it('goes to the named publish: what live was right after it, in one step; the next rollback continues from there', () => {
    const history = new History().push(items('a1'));
    const [first] = [history.events.at(-1)?.revision ?? -1, history.push(items('a2', 'b1'))];
    const [middle, live] = [history.events.at(-1)?.revision ?? -1, history.live];
    history.push(items('a3')).push(items('c1'), 'next').promote().rollback();
    const undone = history.events.at(-1)?.revision ?? -1;
    history.push(items('d1'));
    expect(history.rollbackTo(middle).live).toBe(live);
    expect(history.events.at(-1)).toMatchObject({ type: 'definitions.rolledBack', data: { to: middle } });
    expect(history.rollbackTo(undone).state.live.endpoint.get('a')?.text).toContain('a3');
    expect(history.rollbackTo(first).state.live.endpoint.get('a')?.text).toContain('a1');
    expect(history.state.live.endpoint.size).toBe(1);
    const { length } = history.events;
    expect(history.rollbackTo(first).events).toHaveLength(length);
    expect(history.rollbackTo(-1).state.live.endpoint.size).toBe(0);
    expect(history.rollbackTo(middle).rollback().state.live.endpoint.get('a')?.text).toContain('a1');
  });

  it('refuses a revision at which nothing was published live', () => {
    const history = new History().push(items('a1')).push(items('a2'), 'next').push(items('a3'));
    const none = [0, 3, 99].filter((revision) => history.events[revision]?.type !== 'definitions.published');
    expect(none.length).toBeGreaterThan(1);
    for (const to of [
      ...none,
      history.events.findIndex((event) => event.type === 'definitions.published' && event.data.target === 'next'),
    ]) {
      const decision = decideRollback(history.state, history.earlier({ revision: to }), { dryRun: false, to });
      expect(refused(decision)).toMatchObject({ status: 404, code: 'PUBLISH_NOT_FOUND', message: expect.stringContaining(String(to)) });
    }
  });

  it('goes to any publish of a history', () => {
    const step = fc.oneof(
      fc.array(fc.constantFrom('a1', 'a2', 'b1', 'b2', 'c1'), { maxLength: 3 }).map((names) => ({ names, target: 'live' as const })),
      fc.array(fc.constantFrom('a1', 'a3', 'd1'), { minLength: 1, maxLength: 2 }).map((names) => ({ names, target: 'next' as const })),
      fc.constant('promote' as const),
      fc.nat(20),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const history = new History();
        const lives = [{ revision: -1, live: history.live }];
        for (const each of steps) {
          const { length } = history.events;
          if (each === 'promote') history.promote();
          else if (typeof each === 'number') history.rollbackTo(lives[each % lives.length]?.revision ?? -1);
          else history.push(items(...each.names), each.target);
          const last = history.events.length > length ? history.events.at(-1) : undefined;
          if (last === undefined || (last.type === 'definitions.published' && last.data.target === 'next')) continue;
          lives.push({ revision: last.revision, live: history.live });
        }
        for (const { revision, live } of lives) {
          const to = { dryRun: true, to: revision };
          expect(accepted(decideRollback(history.state, history.earlier({ revision }), to)).answer).toMatchObject({ hash: live });
        }
      }),
    );
  });

  it('works as a stack: publishes push, rollbacks pop', () => {
    const step = fc.oneof(
      fc.array(fc.constantFrom('a1', 'a2', 'b1', 'b2', 'c1'), { maxLength: 3 }).map((names) => ({ names, target: 'live' as const })),
      fc.array(fc.constantFrom('a1', 'a3', 'd1'), { minLength: 1, maxLength: 2 }).map((names) => ({ names, target: 'next' as const })),
      fc.constant('promote' as const),
      fc.constant('rollback' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const history = new History();
        const pile = [history.live];
        for (const each of steps) {
          const { length } = history.events;
          if (each === 'rollback') {
            const decision = decideRollback(history.state, history.earlier(), { dryRun: false });
            expect(decision instanceof Refusal).toBe(pile.length === 1);
            if (decision instanceof Refusal) continue;
            history.add(decision.events);
            pile.pop();
            expect(history.live).toBe(pile.at(-1));
            continue;
          }
          if (each === 'promote') history.promote();
          else history.push(items(...each.names), each.target);
          const last = history.events.length > length ? history.events.at(-1) : undefined;
          const changedLive =
            last?.type === 'definitions.promoted' || (last?.type === 'definitions.published' && last.data.target === 'live');
          if (changedLive && (last.type === 'definitions.published' || last.data.changes.length > 0)) pile.push(history.live);
        }
      }),
    );
  });
});
