import { useQueries, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { approvalsQuery } from '../api/approvals.ts';
import { may, type ProjectOfPerson, sessionQuery } from '../api/session.ts';
import { type Waiting, waitingSaid } from '../words/approval.ts';
import { STAGED, useProject } from './view.ts';

/** Whether nothing goes live that another person has not agreed to, and what waits for one, or for who makes it live. */

/** Of one project, as long as the person may read what is staged there. */
function askedOf(project: ProjectOfPerson) {
  const view = { project: project.id, at: undefined, target: 'live' } as const;
  return { ...approvalsQuery(view), enabled: STAGED.every((scope) => may(project, scope, 'r')) };
}

function waiterIn(project: ProjectOfPerson, person: string) {
  const mayPublish = STAGED.every((scope) => may(project, scope, 'w'));
  return { person, mayApprove: may(project, 'approve', 'w'), mayPublish };
}

/** In the project that is looked at. `waiting`: what waits, in words; `null`: nothing. */
export function useSecondPersonRule(): { readonly isRequired: boolean; readonly waiting: Waiting | null } {
  const project = useProject();
  const { person } = useSuspenseQuery(sessionQuery).data;
  const { data } = useQuery(askedOf(project));
  return { isRequired: data?.required ?? false, waiting: waitingSaid(data?.open ?? [], waiterIn(project, person.id)) };
}

/** What waits in each of these projects, in words. */
export function useWaitingIn(projects: readonly ProjectOfPerson[]): readonly (Waiting | null)[] {
  const { person } = useSuspenseQuery(sessionQuery).data;
  const read = useQueries({ queries: projects.map(askedOf) });
  return projects.map((project, place) => waitingSaid(read[place]?.data?.open ?? [], waiterIn(project, person.id)));
}
