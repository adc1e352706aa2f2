import { queryOptions } from '@tanstack/react-query';
import { askConsole, keepCsrf } from './http.ts';

/** Who is signed in, and what they may do in which project. */

export interface ProjectOfPerson {
  readonly id: string;
  readonly title: string;
  readonly role: string;
  /** Scope → letters of `rwx`. */
  readonly permissions: Readonly<Record<string, string>>;
}

export interface Session {
  readonly person: { readonly id: string; readonly name: string };
  readonly csrf: string;
  readonly projects: readonly ProjectOfPerson[];
  readonly version: string;
}

const ADDRESS = '/api/session';

function begun(session: Session): Session {
  keepCsrf(session.csrf);
  return session;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => begun(await askConsole<Session>('GET', ADDRESS)),
  staleTime: 60_000,
  retry: false,
});

/** Signs in with what stands behind the `#` of a link. */
export async function signIn(link: string): Promise<Session> {
  return begun(await askConsole<Session>('POST', ADDRESS, { link }));
}

export async function signOut(): Promise<void> {
  await askConsole('DELETE', ADDRESS);
}

/** Whether a person may do this: a scope, and a letter of it. */
export function may(project: ProjectOfPerson, scope: string, letter: 'r' | 'w' | 'x'): boolean {
  return project.permissions[scope]?.includes(letter) ?? false;
}
