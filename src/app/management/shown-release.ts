import type * as contract from '../../contract/answers.ts';
import type { Actor } from '../../domain/events.ts';
import type { ApprovalState, ReleaseStep } from '../../domain/states.ts';
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
