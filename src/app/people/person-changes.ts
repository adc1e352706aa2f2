import type { PeopleEvent } from '../../domain/people/events.ts';
import type { PersonWhy } from '../../domain/people/people.ts';
import type { Role } from '../../domain/people/roles.ts';
import { readPerson } from '../../log/people.ts';
import type { Log } from '../../log/port.ts';
import { PEOPLE_STREAM } from '../../log/streams.ts';

/** Who let whom in, gave and took which role, signed out, and let out: the stream `people`, the newest first. */

export interface PersonChange {
  readonly revision: number;
  readonly at: number;
  /** Who did it: a person, or whoever has the machine. */
  readonly by: { readonly kind: string; readonly person?: string; readonly name?: string };
  readonly what: 'letIn' | 'role' | 'reset' | 'linked' | 'unlinked' | 'signedOut' | 'linkMade' | 'removed' | 'forgotten';
  readonly person: string;
  /** Left out: nobody knows it any more. */
  readonly name?: string;
  /** Of a role: `*` is every project. */
  readonly project?: string;
  /** `none`: it was taken. */
  readonly role?: Role | 'none';
  /** Of an account: who gives it out. */
  readonly issuer?: string;
  /** Of a person who was signed out: of how many sessions. */
  readonly sessions?: 'one' | 'all';
  /** Why, and for which ticket of the support desk, as far as it was said. */
  readonly reason?: string;
  readonly ticket?: string;
}

export interface PersonChanges {
  readonly changes: readonly PersonChange[];
  /** Before which revision the next page begins; `null`: that is all. */
  readonly before: number | null;
}

/** Whether somebody is told of a change. Without a project it is no role. */
export type Sees = (change: Pick<PersonChange, 'what' | 'person' | 'project'>) => boolean;

/** Events that a page looks at. */
const PAGE = 100;

/**
 * `sees`: whether whoever asks may know of a change. `person`: of this one alone, and by them.
 */
export async function personChanges(
  log: Pick<Log, 'read'>,
  names: { nameOf(id: string): string | undefined },
  { before, person, sees }: { readonly before: number | null; readonly person: string | null; readonly sees: Sees },
): Promise<PersonChanges> {
  if (before === 0) return { changes: [], before: null };
  const range = before === null ? {} : { from: before - 1 };
  const events = await log.read(PEOPLE_STREAM, { ...range, limit: PAGE, direction: 'backwards' });
  const known = events.map((recorded) => ({ revision: recorded.revision, event: readPerson(recorded) }));
  // Why something was done stands in its commit, so a page begins and ends between two.
  const cut = events.length < PAGE ? undefined : commandOf(known.at(-1));
  const whole = cut === undefined ? known : known.filter((each) => commandOf(each) !== cut);
  const whys = new Map(whole.flatMap(({ event }) => (event?.type === 'person.explained' ? [[event.metadata.commandId, event.data]] : [])));
  const changes = whole.flatMap(({ event }): readonly PersonChange[] => {
    const change = event === null ? null : changeOf(event, names, whys.get(event.metadata.commandId));
    if (change === null || !sees(change)) return [];
    return person === null || change.person === person || change.by.person === person ? [change] : [];
  });
  const last = whole.at(-1)?.revision ?? 0;
  return { changes, before: events.length < PAGE || last === 0 ? null : last };
}

function commandOf(of: { readonly event: PeopleEvent | null } | undefined): string | undefined {
  return of?.event?.metadata.commandId;
}

/** `null`: the role that somebody is let in with says so, or it says why something else was done. */
function changeOf(
  event: PeopleEvent,
  { nameOf }: { nameOf(id: string): string | undefined },
  { reason, ticket }: PersonWhy = {},
): PersonChange | null {
  if (event.type === 'person.added' || event.type === 'person.explained' || event.type === 'redacted') return null;
  const { revision, metadata } = event;
  const { kind, person: doer } = metadata.actor;
  const { person } = event.data;
  const by = { kind, ...(doer === undefined ? {} : { person: doer, ...named(nameOf(doer)) }) };
  const why = { ...(reason === undefined ? {} : { reason }), ...(ticket === undefined ? {} : { ticket }) };
  return { revision, at: metadata.recordedAt, by, person, ...named(nameOf(person)), ...saidBy(event), ...why };
}

function saidBy(
  event: Exclude<PeopleEvent, { readonly type: 'person.added' | 'person.explained' | 'redacted' }>,
): Omit<PersonChange, 'revision' | 'at' | 'by' | 'person'> {
  switch (event.type) {
    case 'person.roleGiven': {
      const { project, role } = event.data;
      return { what: event.metadata.cause === 'person.add' ? 'letIn' : 'role', project, role };
    }
    case 'person.roleTaken':
      return { what: 'role', project: event.data.project, role: 'none' };
    case 'person.linked':
      return { what: 'linked', issuer: event.data.issuer };
    case 'person.unlinked':
      return { what: 'unlinked', issuer: event.data.issuer };
    case 'person.reset':
      return { what: 'reset' };
    case 'person.signedOut':
      return { what: 'signedOut', sessions: event.data.sessions };
    case 'person.linkMade':
      return { what: 'linkMade' };
    case 'person.removed':
      return { what: 'removed' };
    case 'person.forgotten':
      return { what: 'forgotten' };
  }
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}
