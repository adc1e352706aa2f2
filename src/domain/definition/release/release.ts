import type { Actor, DefinitionChange, DomainEvent, ProjectEvent } from '../../events.ts';
import type { ApprovalState, ReleaseAction, ReleaseState, ReleaseStep, ScheduledPromotion } from '../../states.ts';

/**
 * What stands between `next` and live, folded: who staged what, and the approvals. Every publish is among the events, so that a change of
 * what was asked about, or of live, voids an approval by itself.
 */

export const NO_RELEASE: ReleaseState = { stagedBy: {}, approvals: { promote: null, rollback: null }, bypass: null };

/** Whether somebody waits for a person, or the publish that a person approved. */
export function isOpen(approval: ApprovalState | null): approval is ApprovalState {
  return approval?.phase === 'asked' || approval?.phase === 'approved';
}

export function evolveRelease(before: ReleaseState | null, event: ProjectEvent): ReleaseState | null {
  const state = before ?? NO_RELEASE;
  const step = stepOf(event);
  switch (event.type) {
    case 'definitions.published':
      return event.data.target === 'next' ? staged(state, event.data.changes, step) : pushed(state, event.data.changes, step);
    case 'definitions.promoted':
      return released({ ...state, stagedBy: {} }, 'promote', step, event.data.unseen);
    case 'definitions.rolledBack':
      return released(state, 'rollback', step);
    case 'approval.requested': {
      const { approval: id, to = null, ...asked } = event.data;
      return withApproval(state, { id, to, ...asked, phase: 'asked', asked: step, decided: null, ended: null });
    }
    case 'approval.given':
      return changed(state, event.data.approval, (approval) => ({ ...approval, phase: 'approved', decided: step }));
    case 'approval.declined':
      return changed(state, event.data.approval, (approval) => ({ ...approval, phase: 'declined', decided: step }));
    case 'approval.withdrawn':
      return changed(state, event.data.approval, (approval) => ({ ...approval, phase: 'withdrawn', ended: { ...step, why: 'withdrawn' } }));
    case 'approval.bypassed': {
      const { approval: id, to = null, reason: _, ...bypassed } = event.data;
      return { ...state, bypass: { id, to, ...bypassed, phase: 'bypassed', asked: step, decided: null, ended: null } };
    }
    case 'promotion.scheduled': {
      const { promotion: id, ...schedule } = event.data;
      return { ...state, schedule: { id, ...schedule, phase: 'waiting', scheduled: step, ended: null } };
    }
    case 'promotion.unscheduled': {
      const { promotion, ...said } = event.data;
      return unscheduled(state, 'withdrawn', { ...step, why: 'withdrawn', ...said }, promotion);
    }
    case 'promotion.missed': {
      const { promotion, code, reason } = event.data;
      return unscheduled(state, 'missed', { ...step, why: 'missed', code, reason }, promotion);
    }
    default:
      return before;
  }
}

function stepOf({ metadata: { actor, recordedAt } }: ProjectEvent): ReleaseStep {
  return { by: whoIs(actor), at: recordedAt };
}

/** An actor without the player for whom it acted: in one form, so that two of them are equal where their texts are. */
function whoIs({ kind, keyId, person }: Actor): Actor {
  return { kind, ...(keyId === undefined ? {} : { keyId }), ...(person === undefined ? {} : { person }) };
}

/** Whether two actors are the same key or person. */
function isSame(one: Actor, other: Actor): boolean {
  return one.kind === other.kind && one.keyId === other.keyId && one.person === other.person;
}

function staged(state: ReleaseState, changes: readonly DefinitionChange[], step: ReleaseStep): ReleaseState {
  const stagedBy = { ...state.stagedBy };
  for (const { kind, id, hash } of changes) {
    const name = `${kind}/${id}`;
    const others = (stagedBy[name] ?? []).filter(({ by }) => !isSame(by, step.by));
    if (hash === null) delete stagedBy[name];
    else stagedBy[name] = [...others, step];
  }
  const why = changes.every(({ hash }) => hash === null) ? 'discarded' : 'staged';
  return voided({ ...state, stagedBy }, 'promote', { ...step, why });
}

/** Saved tests are for both targets: they are no part of live. */
function pushed(state: ReleaseState, changes: readonly DefinitionChange[], step: ReleaseStep): ReleaseState {
  return changes.some(isOfGame) ? moved(state, step) : state;
}

export function isOfGame({ kind }: Pick<DefinitionChange, 'kind'>): boolean {
  return kind !== 'tests';
}

/** Live is another: whatever was asked about was to the one before. */
function moved(state: ReleaseState, step: ReleaseStep): ReleaseState {
  return voided(voided(state, 'promote', { ...step, why: 'live' }), 'rollback', { ...step, why: 'live' });
}

/** What was approved, or went past it, is live. A promotion by hand is what was scheduled, too. */
function released(before: ReleaseState, action: ReleaseAction, step: ReleaseStep, unseen?: readonly string[]): ReleaseState {
  const used = { ...step, why: 'used' } as const;
  const state = action === 'promote' ? unscheduled(before, 'used', { ...used, ...(unseen === undefined ? {} : { unseen }) }) : before;
  const { bypass } = state;
  if (bypass?.ended === null) return moved({ ...state, bypass: { ...bypass, ended: used } }, step);
  const approval = state.approvals[action];
  if (approval?.phase !== 'approved') return moved(state, step);
  return moved(withApproval(state, { ...approval, phase: 'used', ended: used }), step);
}

function voided(state: ReleaseState, action: ReleaseAction, ended: NonNullable<ApprovalState['ended']>): ReleaseState {
  const approval = state.approvals[action];
  const after = action === 'promote' ? unscheduled(state, 'void', ended) : state;
  return isOpen(approval) ? withApproval(after, { ...approval, phase: 'void', ended }) : after;
}

/** `id`: of the one that ends; left out: whichever waits. */
function unscheduled(
  state: ReleaseState,
  phase: ScheduledPromotion['phase'],
  ended: NonNullable<ScheduledPromotion['ended']>,
  id?: string,
): ReleaseState {
  const { schedule } = state;
  if (schedule?.phase !== 'waiting' || (id !== undefined && id !== schedule.id)) return state;
  return { ...state, schedule: { ...schedule, phase, ended } };
}

function changed(state: ReleaseState, id: string, change: (approval: ApprovalState) => ApprovalState): ReleaseState {
  const approval = approvalIn(state, id);
  return approval === undefined ? state : withApproval(state, change(approval));
}

function withApproval(state: ReleaseState, approval: ApprovalState): ReleaseState {
  return { ...state, approvals: { ...state.approvals, [approval.action]: approval } };
}

/** The newest approval of its action, by id. */
export function approvalIn({ approvals }: ReleaseState, id: string): ApprovalState | undefined {
  return Object.values(approvals).find((each) => each?.id === id) ?? undefined;
}

/** What an event changed of the approvals: those that it made, or that are other than they were. */
export function changedApprovals(before: ReleaseState, after: ReleaseState): readonly ApprovalState[] {
  const was = new Set<ApprovalState | null>([before.approvals.promote, before.approvals.rollback, before.bypass]);
  const now = [after.approvals.promote, after.approvals.rollback, after.bypass];
  return now.filter((approval) => approval !== null && !was.has(approval)) as readonly ApprovalState[];
}

/** Whether an event changes definitions, approvals or what is scheduled. */
export function isOfRelease({ type }: Pick<DomainEvent, 'type'>): boolean {
  return type.startsWith('approval.') || type.startsWith('promotion.') || type.startsWith('definitions.');
}
