import { queryOptions } from '@tanstack/react-query';
import { Refused } from '../words/refusal.ts';
import { askConsole, keepCsrf } from './http.ts';
import { keep, kept } from './kept.ts';
import { hideAll } from './reveal.ts';
import { forgetTold } from './told.ts';

/** Who is signed in, and what they may do in which project. */

export interface ProjectOfPerson {
  readonly id: string;
  readonly title: string;
  readonly role: string;
  /** Scope → letters of `rwx`. */
  readonly permissions: Readonly<Record<string, string>>;
}

export interface Session {
  readonly person: {
    readonly id: string;
    readonly name: string;
    /** The role in every project; `null`: none. */
    readonly everywhere: string | null;
    readonly hasPassword: boolean;
    /** Whether an account of the issuer signs the person in. */
    readonly isLinked: boolean;
  };
  readonly csrf: string;
  readonly projects: readonly ProjectOfPerson[];
  readonly version: string;
}

const ADDRESS = '/api/session';

function begun(session: Session): Session {
  keepCsrf(session.csrf);
  keepProjects(session.projects);
  return session;
}

const PROJECTS = 'savepoint.projects';

/** What a browser keeps of a project: its id, and what may be asked for. Neither its title nor the person's role. */
type KeptProject = Pick<ProjectOfPerson, 'id' | 'permissions'>;

/**
 * Keeps what the person may do, for {@link lastProjects}, while the session lasts. A storage of the tab alone would not do: a link that
 * opens a new one would wait for longer, by a way to the server and back.
 */
function keepProjects(projects: Session['projects']): void {
  keep(PROJECTS, JSON.stringify(projects.map(({ id, permissions }): KeptProject => ({ id, permissions }))));
}

/** The session is over. */
export function forgetProjects(): void {
  forgetTold();
  keep(PROJECTS, null);
}

/**
 * What the person who was here last might do. It is a guess at what may be asked for before it is known who is here: the server judges each
 * read.
 */
export function lastProjects(): readonly KeptProject[] {
  try {
    const projects: unknown = JSON.parse(kept(PROJECTS) ?? '[]');
    return Array.isArray(projects) ? projects : [];
  } catch {
    return [];
  }
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    try {
      return begun(await askConsole<Session>('GET', ADDRESS));
    } catch (error) {
      if (error instanceof Refused && error.refusal.code === 'SIGNED_OUT') forgetProjects();
      throw error;
    }
  },
  staleTime: 60_000,
  retry: false,
});

/** What somebody signs in with: what stands behind the `#` of a link, or name and password. */
export type Entry = { readonly link: string } | { readonly name: string; readonly password: string };

export async function signIn(entry: Entry): Promise<Session> {
  hideAll();
  return begun(await askConsole<Session>('POST', ADDRESS, entry));
}

/** How one may sign in here. */
export interface SignInWays {
  readonly passwords: boolean;
  /** What people call the issuer; `null`: there is none. */
  readonly issuer: string | null;
}

export const signInWaysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: () => askConsole<SignInWays>('GET', '/api/sign-in'),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Leads the browser to the issuer: to sign in, or to have the account there sign in whoever is signed in here. */
export async function goToIssuer(purpose: 'sign-in' | 'link'): Promise<void> {
  const { url } = await askConsole<{ readonly url: string }>('POST', '/api/sign-in/issuer', { purpose });
  window.location.assign(url);
}

/** Hands on what the issuer answered. Answers the session; `null`: the account is linked to whoever was signed in. */
export async function backFromIssuer(answer: string): Promise<Session | null> {
  const told = await askConsole<Session | { readonly linked: true }>('POST', '/api/sign-in/issuer/answer', { answer });
  return 'linked' in told ? null : begun(told);
}

export async function signOut(): Promise<void> {
  hideAll();
  forgetProjects();
  await askConsole('DELETE', ADDRESS);
}

/** One of a person's sessions, as the person may see it. */
export interface OpenSession {
  readonly id: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly until: string;
  readonly agent: string;
  /** `null`: the machine that the server runs on. */
  readonly address: string | null;
  readonly current: boolean;
}

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: async () => (await askConsole<{ readonly sessions: readonly OpenSession[] }>('GET', '/api/sessions')).sessions,
});

/** Ends one of the own sessions; `null`: all but this one. */
export async function endOwnSession(id: string | null): Promise<void> {
  await askConsole('DELETE', id === null ? '/api/sessions' : `/api/sessions/${id}`);
}

/** Sets the own password, and ends the other sessions. `current`: the one before; `null`: there is none. */
export async function setPassword(passwords: { readonly password: string; readonly current: string | null }): Promise<void> {
  await askConsole('PUT', '/api/password', passwords);
}

const codeAddress = (code: string) => `/api/command-line/${code}`;

/** Which command line shows a code. */
export function askedByCode(code: string): Promise<{ readonly machine: string; readonly address: string | null }> {
  return askConsole('GET', codeAddress(code));
}

/** Signs it in as the person who confirms. */
export async function confirmCode(code: string): Promise<void> {
  await askConsole('POST', codeAddress(code));
}

export async function refuseCode(code: string): Promise<void> {
  await askConsole('DELETE', codeAddress(code));
}

/** Whether a person may do this: a scope, and a letter of it. */
export function may(project: KeptProject, scope: string, letter: 'r' | 'w' | 'x'): boolean {
  return project.permissions[scope]?.includes(letter) ?? false;
}

/** Scopes of what can be staged: whoever reads or changes all that can be staged needs all of them. */
export const STAGED = ['endpoints', 'collections', 'workflows', 'queries', 'game_values', 'rate_limits'];
