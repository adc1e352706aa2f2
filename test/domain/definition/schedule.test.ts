import { describe, expect, it } from 'vitest';
import { decidePromote } from '../../../src/domain/definition/release/promote.ts';
import { evolveRelease } from '../../../src/domain/definition/release/release.ts';
import {
  asScheduled,
  duePromotion,
  isTooLate,
  missPromotion,
  schedulePromotion,
  unschedulePromotion,
} from '../../../src/domain/definition/release/schedule.ts';
import type { DefinitionChange, DomainEvent } from '../../../src/domain/events.ts';
import type { ReleaseState, ScheduledPromotion } from '../../../src/domain/states.ts';
import { EMPTY, push, recorded, refused, sha } from './given.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 20, 12);
const AT = NOW + DAY;

const live = push(EMPTY, 'endpoint', [{ id: 'buy', notes: 'old' }]);
const next = push(live, 'endpoint', [{ id: 'buy', notes: 'new' }], 'next');
const promotion = decidePromote(next, { dryRun: false }).events;

/** The release after these events. */
function given(...events: readonly DomainEvent[]): ReleaseState | null {
  return events.reduce<ReleaseState | null>((state, event, index) => evolveRelease(state, recorded(event, NOW + index, index)), null);
}

const schedule = (state: ReleaseState | null = null, at = AT, id = 'p1') =>
  schedulePromotion(state, next, promotion, { id, at, said: { message: 'Summer', ticket: 'T-77' } }, NOW);
const scheduled = schedule() as DomainEvent;
const waiting = given(scheduled);
const due = waiting?.schedule as ScheduledPromotion;
const published = (target: 'live' | 'next', kind: DefinitionChange['kind'] = 'endpoint', hash: string | null = sha('x')): DomainEvent => ({
  type: 'definitions.published',
  data: { target, changes: [{ kind, id: 'x', hash }], hash: sha('all') },
});

describe('scheduling a promotion', () => {
  it('names the time and exactly what is staged', () => {
    expect(scheduled).toMatchObject({ type: 'promotion.scheduled', data: { promotion: 'p1', at: AT, message: 'Summer', ticket: 'T-77' } });
    expect(due).toMatchObject({ phase: 'waiting', at: AT, message: 'Summer', ticket: 'T-77', ended: null });
  });

  it('takes a time between a minute and 90 days ahead', () => {
    for (const at of [NOW - DAY, NOW, NOW + MINUTE - 1, NOW + 90 * DAY + 1, Number.NaN])
      expect(refused(schedule(null, at)).code).toBe('VALIDATION_FAILED');
    for (const at of [NOW + MINUTE, NOW + 90 * DAY]) expect(schedule(null, at)).toMatchObject({ type: 'promotion.scheduled' });
  });

  it('is refused while one waits, and where nothing would change', () => {
    expect(refused(schedule(waiting)).message).toContain('already');
    const nothing = decidePromote(live, { dryRun: false }).events;
    expect(refused(schedulePromotion(null, live, nothing, { id: 'p1', at: AT, said: {} }, NOW)).code).toBe('PROMOTION_PHASE');
  });

  it('is taken back once', () => {
    const back = unschedulePromotion(waiting, 'p1', { message: 'Not yet', ticket: 'T-78' }) as DomainEvent;
    const after = given(scheduled, back);
    expect(after?.schedule).toMatchObject({ phase: 'withdrawn', ended: { why: 'withdrawn', reason: 'Not yet', ticket: 'T-78' } });
    expect(refused(unschedulePromotion(after, null, {})).code).toBe('PROMOTION_PHASE');
    expect(schedule(after, AT, 'p2')).toMatchObject({ data: { promotion: 'p2' } });
  });

  it('that is meant is taken back, and not another one that waits by now', () => {
    const other = refused(unschedulePromotion(waiting, 'p0', {}));
    expect([other.code, other.message]).toEqual(['PROMOTION_PHASE', expect.stringContaining('Another promotion waits by now (p1, for ')]);
    expect(unschedulePromotion(waiting, null, {})).toMatchObject({ type: 'promotion.unscheduled', data: { promotion: 'p1' } });
  });
});

describe('what ends it', () => {
  it.each([
    ['something staged', published('next'), 'staged'],
    ['something discarded', published('next', 'endpoint', null), 'discarded'],
    ['a push to live', published('live'), 'live'],
  ] as const)('%s voids it', (_, event, why) => {
    const state = given(scheduled, event);
    expect(state?.schedule).toMatchObject({ phase: 'void', ended: { why } });
    expect(duePromotion(state, AT)).toBeNull();
  });

  it('saved tests do not: they are no part of live', () => {
    expect(given(scheduled, published('live', 'tests'))?.schedule?.phase).toBe('waiting');
  });

  it('a promotion, at its time or by hand, is the end of it', () => {
    expect(given(scheduled, ...promotion)?.schedule).toMatchObject({ phase: 'used', ended: { why: 'used' } });
  });

  it('a missed one keeps why, and what is over is not missed', () => {
    const why = { code: 'FORBIDDEN', message: 'x'.repeat(900) };
    const [missed] = missPromotion(waiting, due, why);
    expect(given(scheduled, missed as DomainEvent)?.schedule).toMatchObject({
      phase: 'missed',
      ended: { why: 'missed', code: 'FORBIDDEN', reason: 'x'.repeat(500) },
    });
    expect(missPromotion(given(scheduled, ...promotion), due, why)).toEqual([]);
    expect(
      missPromotion(
        given(scheduled, unschedulePromotion(waiting, null, {}) as DomainEvent, schedule(null, AT, 'p2') as DomainEvent),
        due,
        why,
      ),
    ).toEqual([]);
  });
});

describe('at its time', () => {
  it('it is due from then on', () => {
    expect(duePromotion(waiting, AT - 1)).toBeNull();
    expect(duePromotion(waiting, AT)).toEqual(due);
  });

  it('exactly what was scheduled goes live', () => {
    expect(asScheduled(waiting, next, promotion, due, AT)).toBeNull();
    const other = push(live, 'endpoint', [{ id: 'buy', notes: 'other' }], 'next');
    expect(asScheduled(waiting, other, decidePromote(other, { dryRun: false }).events, due, AT)?.code).toBe('PROMOTION_PHASE');
  });

  it('what another node dealt with is left alone', () => {
    expect(asScheduled(given(scheduled, ...promotion), next, promotion, due, AT)?.code).toBe('PROMOTION_PHASE');
  });

  it('an hour late is too late', () => {
    expect(isTooLate(due, AT + 60 * MINUTE)).toBe(false);
    expect(asScheduled(waiting, next, promotion, due, AT + 60 * MINUTE + 1)?.message).toContain('within an hour');
  });
});
