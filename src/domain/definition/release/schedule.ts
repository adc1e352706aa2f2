import { type Refusal, refusal } from '../../../kernel/errors.ts';
import type { DomainEvent } from '../../events.ts';
import { keptWhy, type SaidWhy } from '../../said.ts';
import type { DefinitionsState, ReleaseState, ScheduledPromotion } from '../../states.ts';
import { differenceHash, releasedBy } from './approval.ts';

/**
 * A promotion at a chosen time, of exactly what is staged when it is scheduled: any change of that, or of live, voids it, which the fold of
 * the publishes says (`release.ts`). Whether it may go live is decided when its time comes, by the rules of every promotion.
 */

const LEAST_AHEAD_MS = 60_000;
const MOST_AHEAD_MS = 90 * 86_400_000;
/** How late it may still go live: nodes may have been away, and players expect nothing new long after. */
const MOST_LATE_MS = 3_600_000;

interface Schedule {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly said: SaidWhy;
}

/** Schedules what a promotion now would make live. 400 for a bad time; 409 PROMOTION_PHASE for a second one, or one of nothing. */
export function schedulePromotion(
  state: ReleaseState | null,
  definitions: Pick<DefinitionsState, 'live'>,
  promotion: readonly DomainEvent[],
  { id, at, said }: Schedule,
  now: number,
): DomainEvent | Refusal {
  const ahead = at - now;
  if (!(ahead >= LEAST_AHEAD_MS && ahead <= MOST_AHEAD_MS))
    return refusal('VALIDATION_FAILED', `\`at\` has to be between a minute and 90 days ahead; here it is ${new Date(now).toISOString()}`);
  const waiting = state?.schedule;
  if (waiting?.phase === 'waiting')
    return refusal('PROMOTION_PHASE', `One is scheduled for ${new Date(waiting.at).toISOString()} already: cancel it first`);
  const releasing = releasedBy(promotion, definitions);
  if (releasing === null || releasing.changes.length === 0)
    return refusal('PROMOTION_PHASE', 'Nothing is scheduled: what is staged changes nothing that is live');
  const { changes, base } = releasing;
  return { type: 'promotion.scheduled', data: { promotion: id, at, difference: differenceHash(changes), base, ...keptWhy(said) } };
}

/** Takes back the one that waits. `meant`: its id; `null`: whichever waits. 409 PROMOTION_PHASE where another one waits, or none. */
export function unschedulePromotion(state: ReleaseState | null, meant: string | null, said: SaidWhy): DomainEvent | Refusal {
  const schedule = state?.schedule;
  if (schedule?.phase !== 'waiting') return refusal('PROMOTION_PHASE', 'No promotion is scheduled');
  if (meant !== null && meant !== schedule.id)
    return refusal(
      'PROMOTION_PHASE',
      `Another promotion waits by now (${schedule.id}, for ${new Date(schedule.at).toISOString()}), and nothing was taken back`,
    );
  const { message: reason, ...ticket } = keptWhy(said);
  return { type: 'promotion.unscheduled', data: { promotion: schedule.id, ...(reason === undefined ? {} : { reason }), ...ticket } };
}

/** The one whose time has come, if it still waits. */
export function duePromotion(state: ReleaseState | null, now: number): ScheduledPromotion | null {
  const schedule = state?.schedule;
  return schedule?.phase === 'waiting' && schedule.at <= now ? schedule : null;
}

/** Refuses to make live what is not exactly what was scheduled, or what another node has dealt with. */
export function asScheduled(
  state: ReleaseState | null,
  definitions: Pick<DefinitionsState, 'live'>,
  promotion: readonly DomainEvent[],
  { id, at, difference, base }: ScheduledPromotion,
  now: number,
): Refusal | null {
  if (duePromotion(state, now)?.id !== id) return refusal('PROMOTION_PHASE', 'It is not due, or was dealt with');
  if (isTooLate({ at }, now)) return tooLate();
  const releasing = releasedBy(promotion, definitions);
  const isSame = releasing?.base === base && differenceHash(releasing.changes) === difference;
  return isSame ? null : refusal('PROMOTION_PHASE', 'What is staged, or live, is not what it was when this was scheduled');
}

/** No node dealt with it in time. */
export function isTooLate({ at }: Pick<ScheduledPromotion, 'at'>, now: number): boolean {
  return now - at > MOST_LATE_MS;
}

export function tooLate(): Refusal {
  return refusal('PROMOTION_PHASE', 'No node could promote it within an hour of its time');
}

/** Keeps why one did not go live; nothing where it waits no more. */
export function missPromotion(
  state: ReleaseState | null,
  { id }: ScheduledPromotion,
  { code, message }: Pick<Refusal, 'code' | 'message'>,
): readonly DomainEvent[] {
  const schedule = state?.schedule;
  if (schedule?.id !== id || schedule.phase !== 'waiting') return [];
  return [{ type: 'promotion.missed', data: { promotion: id, code, reason: message.slice(0, 500) } }];
}
