import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { PersonChange } from '../words/person-change.ts';
import { saidAs, type Why } from './acts.ts';
import { askConsole } from './http.ts';
import type { OpenSession } from './session.ts';

/** The people of the installation, and what may be done with them. */

export interface ListedPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** `null`: it is not for this person to know. */
  readonly hasPassword: boolean | null;
  readonly isLinked: boolean | null;
  readonly usedAt: string | null;
  /** `null`: never, as far as it is kept. */
  readonly signedInAt: string | null;
  /** Whether it is known that they have never. */
  readonly neverSignedIn: boolean;
  readonly addedAt: string;
  /** By project; `*`: every one. */
  readonly roles: Readonly<Record<string, string>>;
  /** Whether it may be reset, signed out and removed. */
  readonly isGoverned: boolean;
}

export interface NewPerson {
  readonly name: string;
  readonly email?: string;
  readonly project: string;
  readonly role: string;
}

const ADDRESS = '/api/people';

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async () => (await askConsole<{ readonly people: readonly ListedPerson[] }>('GET', ADDRESS)).people,
});

interface PeopleHistory {
  readonly changes: readonly PersonChange[];
  readonly before: number | null;
}

/** What changed among people, the newest first. */
export const peopleHistoryQuery = infiniteQueryOptions({
  queryKey: ['people', 'history'],
  queryFn: ({ pageParam }) => askConsole<PeopleHistory>('GET', `${ADDRESS}/history${pageParam === null ? '' : `?before=${pageParam}`}`),
  initialPageParam: null as number | null,
  getNextPageParam: ({ before }) => before,
});

export function sessionsOfQuery(id: string) {
  return queryOptions({
    queryKey: ['people', id, 'sessions'],
    queryFn: async () => (await askConsole<{ readonly sessions: readonly OpenSession[] }>('GET', `${ADDRESS}/${id}/sessions`)).sessions,
  });
}

/** Lets a person in. Answers the address of a link, which is shown once. */
export async function addPerson(person: NewPerson, why: Why): Promise<string> {
  return (await askConsole<{ readonly url: string }>('POST', ADDRESS, { ...person, ...saidAs('reason', why) })).url;
}

/** `none` takes the role. */
export async function setRole(id: string, { project, role }: { readonly project: string; readonly role: string }, why: Why): Promise<void> {
  await askConsole('PUT', `${ADDRESS}/${id}/roles/${encodeURIComponent(project)}`, { role, ...saidAs('reason', why) });
}

export async function removePerson(id: string, why: Why): Promise<void> {
  await askConsole('DELETE', `${ADDRESS}/${id}`, saidAs('reason', why));
}

/** Removes a person, and has the log forget who it was. Answers whether it could: some engines cannot change an event. */
export async function forgetPerson(id: string, why: Why): Promise<boolean> {
  return (await askConsole<{ readonly isGone: boolean }>('POST', `${ADDRESS}/${id}/forget`, saidAs('reason', why))).isGone;
}

/** Forgets the password, ends all sessions, and answers the address of a new link. */
export async function resetPerson(id: string, why: Why): Promise<string> {
  return (await askConsole<{ readonly url: string }>('POST', `${ADDRESS}/${id}/reset`, saidAs('reason', why))).url;
}

/** Ends one session of a person; `null`: all. */
export async function endSessionOf(id: string, session: string | null, why: Why): Promise<void> {
  await askConsole('DELETE', `${ADDRESS}/${id}/sessions${session === null ? '' : `/${session}`}`, saidAs('reason', why));
}
