import type { EventMetadata } from '../domain/events.ts';
import { FORGETTABLE, PEOPLE_VERSIONS, type PeopleEvent, type PeopleType } from '../domain/people/events.ts';
import { decodeEvent, isObject } from '../kernel/json.ts';
import { hashOf, verifyLink } from './chain.ts';
import { isRedacted, SALT } from './commitment.ts';
import { BrokenChain, UnknownEvent } from './decode.ts';
import type { RecordedEvent } from './port.ts';

/**
 * An event of the stream `people`, which must link to the sealed one before it; `null`: another program wrote it. Throws
 * {@link BrokenChain}, and {@link UnknownEvent} for what a newer build wrote.
 */
export function readPeopleEvent(event: RecordedEvent, previousHash: string): PeopleEvent | null {
  if (hashOf(event.metadata) !== null && !verifyLink(previousHash, event)) throw new BrokenChain(event);
  return readPerson(event);
}

/** The same of one whose link was verified, or is not to be. */
export function readPerson(event: RecordedEvent): PeopleEvent | null {
  const hash = hashOf(event.metadata);
  if (hash === null) return null;
  const metadata = JSON.parse(event.metadata) as EventMetadata;
  if (!isKnown(event.type) || metadata.schemaVersion > PEOPLE_VERSIONS[event.type]) throw new UnknownEvent(event, metadata.schemaVersion);
  const { revision } = event;
  if (isRedacted(event.data)) {
    // Without the others somebody would be there again, or have a role again, that was taken.
    if (!FORGETTABLE.has(event.type)) throw new BrokenChain(event);
    return { type: 'redacted', revision, hash, metadata };
  }
  const data = decodeEvent(event.data);
  if (!isObject(data)) throw new Error(`Corrupt log: the data of ${event.stream}@${event.revision} is no object`);
  const { [SALT]: _, ...said } = data;
  // Types are asserted here and not checked: the event was checked when it was written.
  return { type: event.type, data: said, revision, hash, metadata } as unknown as PeopleEvent;
}

function isKnown(type: string): type is PeopleType {
  return Object.hasOwn(PEOPLE_VERSIONS, type);
}
