import type { z } from 'zod';
import { versionsOf } from '../../contract/events/index.ts';
import { PEOPLE_EVENTS } from '../../contract/events/people.ts';
import type { EventMetadata } from '../events.ts';

/** Every event of the stream `people`, with its data. */

export type PeopleType = keyof typeof PEOPLE_EVENTS;
type PeopleData = { readonly [T in PeopleType]: z.output<(typeof PEOPLE_EVENTS)[T]['data']> };

/** An event as a decider makes it. */
export type PeopleFact = { [T in PeopleType]: { readonly type: T; readonly data: PeopleData[T] } }[PeopleType];

/** Types of events that say who somebody is, or tell of them in free words: their data may be forgotten. */
export const FORGETTABLE: ReadonlySet<string> = new Set<PeopleType>(['person.added', 'person.linked', 'person.explained']);

/** An event of the stream, decoded. `redacted`: the data of one that is {@link FORGETTABLE} were replaced by their commitment. */
export type PeopleEvent = (PeopleFact | { readonly type: 'redacted' }) & {
  readonly revision: number;
  readonly hash: string;
  readonly metadata: EventMetadata;
};

/** Schema versions that this build writes, and the highest it can read. */
export const PEOPLE_VERSIONS: Readonly<Record<PeopleType, number>> = versionsOf(PEOPLE_EVENTS);
