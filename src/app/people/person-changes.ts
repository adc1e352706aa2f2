import type { PeopleEvent } from '../../domain/people/events.ts';
import type { Role } from '../../domain/people/roles.ts';
import { readPerson } from '../../log/people.ts';
import type { Log } from '../../log/port.ts';
import { PEOPLE_STREAM } from '../../log/streams.ts';

/** Who let whom in, gave and took which role, and let out: the stream `people`, the newest first. */

export interface PersonChange {
  readonly revision: number;
  readonly at: number;
  /** Who did it: a person, or whoever has the machine. */
  readonly by: { readonly kind: string; readonly person?: string; readonly name?: string };
  readonly what: 'letIn' | 'role' | 'reset' | 'linked' | 'unlinked' | 'removed' | 'forgotten';
  readonly person: string;
  /** Left out: nobody knows it any more. */
  readonly name?: string;
  /** Of a role: `*` is every project. */
  readonly project?: string;
  /** `none`: it was taken. */
  readonly role?: Role | 'none';
  /** Of an account: who gives it out. */
  readonly issuer?: string;
}

export interface PersonChanges {
  readonly changes: readonly PersonChange[];
  /** Before which revision the next page begins; `null`: that is all. */
  readonly before: number | null;
}

/** Events that a page looks at. */
const PAGE = 100;

/**
 * `sees`: whether whoever asks may know which roles are given in a project; `null`: what else happens with people. `person`: of this one
 * alone, and by them.
 */
export async function personChanges(
  log: Pick<Log, 'read'>,
  names: { nameOf(id: string): string | undefined },
  {
    before,
    person,
    sees,
  }: { readonly before: number | null; readonly person: string | null; readonly sees: (project: string | null) => boolean },
): Promise<PersonChanges> {
  if (before === 0) return { changes: [], before: null };
  const range = before === null ? {} : { from: before - 1 };
  const events = await log.read(PEOPLE_STREAM, { ...range, limit: PAGE, direction: 'backwards' });
  const changes = events.flatMap((recorded): readonly PersonChange[] => {
    const event = readPerson(recorded);
    const change = event === null ? null : changeOf(event, names);
    if (change === null || !sees(change.project ?? null)) return [];
    return person === null || change.person === person || change.by.person === person ? [change] : [];
  });
  const last = events.at(-1)?.revision ?? 0;
  return { changes, before: events.length < PAGE || last === 0 ? null : last };
}

/** `null`: the role that somebody is let in with says so. */
function changeOf(event: PeopleEvent, { nameOf }: { nameOf(id: string): string | undefined }): PersonChange | null {
  if (event.type === 'person.added' || event.type === 'redacted') return null;
  const { revision, metadata } = event;
  const { kind, person: doer } = metadata.actor;
  const { person } = event.data;
  const by = { kind, ...(doer === undefined ? {} : { person: doer, ...named(nameOf(doer)) }) };
  return { revision, at: metadata.recordedAt, by, person, ...named(nameOf(person)), ...saidBy(event) };
}

function saidBy(
  event: Exclude<PeopleEvent, { readonly type: 'person.added' | 'redacted' }>,
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
    case 'person.removed':
      return { what: 'removed' };
    case 'person.forgotten':
      return { what: 'forgotten' };
  }
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}
