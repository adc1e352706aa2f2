import type { EventMetadata } from '../domain/events.ts';
import { LOOKING_VERSIONS, type LookingEvent, type LookingType } from '../domain/looking/events.ts';
import { decodeEvent, isObject } from '../kernel/json.ts';
import { isRedacted, SALT } from './commitment.ts';
import { UnknownEvent } from './decode.ts';
import { isForeign } from './foreign.ts';
import type { RecordedEvent } from './port.ts';

/** An event of a stream `access-…`; `null`: another program wrote it. Throws {@link UnknownEvent} for what a newer build wrote. */
export function readLookingEvent(event: RecordedEvent): LookingEvent | null {
  if (isForeign(event)) return null;
  const metadata = JSON.parse(event.metadata) as EventMetadata;
  if (!isKnown(event.type) || metadata.schemaVersion > LOOKING_VERSIONS[event.type]) throw new UnknownEvent(event, metadata.schemaVersion);
  const { revision } = event;
  if (isRedacted(event.data)) return { type: 'redacted', revision, metadata };
  const data = decodeEvent(event.data);
  if (!isObject(data)) throw new Error(`Corrupt log: the data of ${event.stream}@${event.revision} is no object`);
  const { [SALT]: _, ...said } = data;
  // Types are asserted here and not checked: the event was checked when it was written.
  return { type: event.type, data: said, revision, metadata } as unknown as LookingEvent;
}

function isKnown(type: string): type is LookingType {
  return Object.hasOwn(LOOKING_VERSIONS, type);
}
