import type * as contract from '../../contract/answers.ts';
import { evolveRelease, NO_RELEASE } from '../../domain/definition/release/release.ts';
import { type Actor, type DomainEvent, projectEvent } from '../../domain/events.ts';
import type { ApprovalState, ReleaseState, ReleaseStep, ScheduledPromotion } from '../../domain/states.ts';
import type { AppContext } from '../context.ts';
import { labelOf } from '../people/people.ts';
import type { Project } from '../project/project.ts';

/** Who staged, asked and approved, as answers tell it. */

/** Everybody who acted on some approvals. */
export function actorsOf(approvals: readonly ApprovalState[]): readonly Actor[] {
  return approvals.flatMap(({ asked, decided: chosen, ended }) => [asked, chosen, ended].flatMap((step) => step?.by ?? []));
}

/** An approval, with the names of those who acted: `people.know` comes before. */
export function shownApproval(context: AppContext, project: Project, approval: ApprovalState): contract.Approval {
  const { decided: chosen, ended, asked, ...own } = approval;
  const step = (of: ReleaseStep) => shownStep(context, project, of);
  return {
    ...own,
    asked: step(asked),
    decided: chosen && step(chosen),
    ended: ended && { ...step(ended), why: ended.why },
  };
}

/** Who did something and when, by name. */
export function shownStep(context: AppContext, project: Project, { by, at }: ReleaseStep): contract.ReleaseStep {
  return { by: shownActor(context, project, by), at: new Date(at).toISOString() };
}

/** An actor with its name. */
export function shownActor({ people }: AppContext, { authority }: Project, actor: Actor): contract.ReleaseStep['by'] {
  const label = labelOf(actor, authority, people);
  return { ...actor, ...(label === undefined ? {} : { label }) };
}

/** A promotion at a chosen time, with the names of those who acted. */
export function shownSchedule(context: AppContext, project: Project, schedule: ScheduledPromotion): contract.PromotionSchedule {
  const { scheduled, ended, at, ...own } = schedule;
  return {
    ...own,
    at: new Date(at).toISOString(),
    scheduled: shownStep(context, project, scheduled),
    ended: ended && { ...ended, ...shownStep(context, project, ended) },
  };
}

/** The release as these events will leave it, for the answer of whoever makes them. */
export function releaseAfter(
  state: ReleaseState | null,
  events: readonly DomainEvent[],
  { cause, actor, now }: { readonly cause: string; readonly actor: Actor; readonly now: number },
): ReleaseState {
  const metadata = { commandId: '', cause, actor, schemaVersion: 1, recordedAt: now };
  return events.reduce((before, event) => evolveRelease(before, projectEvent(event, -1, '', metadata, '')) ?? before, state ?? NO_RELEASE);
}
