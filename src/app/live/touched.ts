import { playerOfKey } from '../../domain/document/key.ts';
import type { ProjectEvent, Space } from '../../domain/events.ts';
import { AUTHORITY, collectionChangedBy, DEFINITIONS, type SubjectKey, subjectsOf } from '../../domain/subjects.ts';

/** What topics and their readers depend on, and what of that an event changes. */

/** All documents of one player in a collection, with the save slots. */
export function ownersSubject(space: Space, collection: string, player: string): SubjectKey {
  return `owner/${space}/${collection}/${player}`;
}

const LISTENED = /^(?:document|records|session)\//;

/** The subjects that an event changes, of those that somebody may listen to. */
export function touchedBy(event: ProjectEvent): readonly SubjectKey[] {
  const touched = subjectsOf(event).filter((subject) => subject === DEFINITIONS || subject === AUTHORITY || LISTENED.test(subject));
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
