import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useSearch } from '@tanstack/react-router';
import { may, type ProjectOfPerson, STAGED, sessionQuery } from '../api/session.ts';
import type { View } from '../api/view.ts';

/** What the address says that pages of a project look at, and what the person may do there. */

const route = getRouteApi('/signed-in/p/$project');

export function useView(): View {
  const { project } = route.useParams();
  const { at, target = 'live' } = route.useSearch();
  return { project, at, target };
}

const NOTHING: ProjectOfPerson = { id: '', title: '', role: '', permissions: {} };

export function useProject(): ProjectOfPerson {
  const { project } = route.useParams();
  const { data } = useSuspenseQuery(sessionQuery);
  return data.projects.find(({ id }) => id === project) ?? { ...NOTHING, id: project };
}

/** Whether the person may do this in the project that is looked at. */
export function useMay(): (scope: string, letter: 'r' | 'w' | 'x') => boolean {
  const project = useProject();
  return (scope, letter) => may(project, scope, letter);
}

/** Who reads all that can be staged sees what is, and what was published. */
export function useMayReadStaged(): boolean {
  const mayDo = useMay();
  return STAGED.every((scope) => mayDo(scope, 'r'));
}

/** Who changes all that can be staged makes it live, too. */
export function useMayPublish(): boolean {
  const mayDo = useMay();
  return STAGED.every((scope) => mayDo(scope, 'w'));
}

/** Whether the person reads the log of calls. */
export function useMayReadCalls(): boolean {
  const readsSettings = useMay()('settings', 'r');
  return useMayReadStaged() && readsSettings;
}

/** Whether the person tries endpoints, which read whatever the game does. */
export function useMayTry(): boolean {
  const mayDo = useMay();
  return ['endpoints', 'queries', 'collections'].every((scope) => mayDo(scope, 'x'));
}

/** Whether the person reads documents, as they are or as they were. */
export function useMayReadDocuments(): boolean {
  const mayDo = useMay();
  return mayDo('collections', 'x') || mayDo('history', 'r');
}

/** Whether the person makes, changes and deletes documents here: not in the past, which nobody changes. */
export function useMayCorrect(): boolean {
  const { at } = useView();
  const mayDo = useMay();
  return at === undefined && mayDo('correction', 'w') && mayDo('collections', 'x');
}

/** Whether the past is looked at; on pages of no project it never is. */
export function useIsPast(): boolean {
  return useSearch({ strict: false, select: ({ at }) => at !== undefined });
}
