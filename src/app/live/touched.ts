import { playerOfKey } from '../../domain/document/key.ts';
import type { ProjectEvent, Space } from '../../domain/events.ts';
import { isGuestId } from '../../domain/guest/token.ts';
import type { SubjectKind } from '../../domain/states.ts';
import { collectionChangedBy, guestSubject, kindOf, type SubjectKey, sessionSubject, subjectsOf } from '../../domain/subjects.ts';
import type { Caller } from '../caller.ts';

/** What topics and their readers depend on, and what of that an event changes. */

/** All documents of one player in a collection, with the save slots. */
export function ownersSubject(space: Space, collection: string, player: string): SubjectKey {
  return `owner/${space}/${collection}/${player}`;
}

/**
 * The subjects that a caller's proof depends on: its session, and the guests whose devices take part (the caller's own, and the guest that
 * a host asks for).
 */
export function proofSubjects({ session, onBehalfOf, platformId }: Caller): readonly SubjectKey[] {
  return [
    ...(session === undefined ? [] : [sessionSubject(session.family)]),
    ...[onBehalfOf, platformId].filter(isGuestId).map(guestSubject),
  ];
}

/** When a caller's proof runs out by itself, unix ms. */
export function proofExpiry({ session, passed }: Caller): number {
  return Math.min(session?.expiresAt ?? Number.POSITIVE_INFINITY, passed?.expiresAt ?? Number.POSITIVE_INFINITY);
}

const TOPIC_KINDS: ReadonlySet<SubjectKind> = new Set(['definitions', 'authority', 'document', 'records', 'session', 'guest']);

/** The subjects that an event changes, as far as a topic may depend on them. */
export function touchedSubjects(event: ProjectEvent): readonly SubjectKey[] {
  const touched: SubjectKey[] = subjectsOf(event).filter((subject) => TOPIC_KINDS.has(kindOf(subject)));
  const collection = collectionChangedBy(event);
  if (collection === null) return touched;
  touched.push(collection);
  if (event.type === 'document.written' || event.type === 'document.deleted') {
    const { space, collection: id, key } = event.data;
    touched.push(ownersSubject(space, id, playerOfKey(key)));
  } else if (event.type === 'record.appended') {
    touched.push(ownersSubject(event.data.space, event.data.collection, playerOfKey(event.data.recordId)));
  }
  return touched;
}
