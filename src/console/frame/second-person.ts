import { useQueries, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { type Approval, approvalsQuery } from '../api/approvals.ts';
import { may, type ProjectOfPerson, STAGED, sessionQuery } from '../api/session.ts';
import { ownAsked, toApprove, type Waiting, waitingSaid } from '../words/approval.ts';
import { useProject } from './view.ts';

/** Whether nothing goes live that another person has not agreed to, and what waits for one, or for who makes it live. */

/** Of one project, as long as the person may read what is staged there. */
function askedOf(project: ProjectOfPerson, beside = 0) {
  const view = { project: project.id, at: undefined, target: 'live' } as const;
  return { ...approvalsQuery(view, beside), enabled: STAGED.every((scope) => may(project, scope, 'r')) };
}

function waiterIn(project: ProjectOfPerson, person: string) {
  const mayPublish = STAGED.every((scope) => may(project, scope, 'w'));
  return { person, mayApprove: may(project, 'approve', 'w'), mayPublish };
}

interface SecondPersonRule {
  readonly isRequired: boolean;
  /** Who waits for whom, in words; `null`: nobody. */
  readonly waiting: Waiting | null;
  /** What the person asked for, while it waits or somebody else did something with it; `null`: nothing. */
  readonly own: Approval | null;
  /** What others ask the person to approve. */
  readonly due: readonly Approval[];
}

/** In the project that is looked at. */
export function useSecondPersonRule(): SecondPersonRule {
  const project = useProject();
  const { person } = useSuspenseQuery(sessionQuery).data;
  const { data } = useQuery(askedOf(project));
  const waiter = waiterIn(project, person.id);
  return {
    isRequired: data?.required ?? false,
    waiting: waitingSaid(data?.open ?? [], waiter),
    own: ownAsked(data?.approvals ?? [], person.id),
    due: toApprove(data?.open ?? [], waiter),
  };
}

/** Who waits in each of these projects, in words. */
export function useWaitingIn(projects: readonly ProjectOfPerson[]): readonly (Waiting | null)[] {
  const { person } = useSuspenseQuery(sessionQuery).data;
  const queries = useQueryClient();
  const asking = projects.filter((project) => queries.getQueryData(askedOf(project).queryKey)?.required === true);
  const read = useQueries({ queries: projects.map((project) => askedOf(project, Math.max(0, asking.length - 1))) });
  return projects.map((project, place) => waitingSaid(read[place]?.data?.open ?? [], waiterIn(project, person.id)));
}
