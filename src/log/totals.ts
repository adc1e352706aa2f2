import { TOTALS_VERSIONS, type TotalsEvent, type TotalsType } from '../domain/telemetry/totals.ts';
import { decodeEvent, isObject } from '../kernel/json.ts';
import { UnknownEvent } from './decode.ts';
import type { RecordedEvent } from './port.ts';

/** An event of a totals stream from the bytes in the log. Throws {@link UnknownEvent} for a type or version of a newer build. */
export function readTotalsEvent(event: RecordedEvent): TotalsEvent {
  const { schemaVersion }: { readonly schemaVersion: number } = JSON.parse(event.metadata);
  if (!isKnown(event.type) || !(schemaVersion <= TOTALS_VERSIONS[event.type])) throw new UnknownEvent(event, schemaVersion);
  const data = decodeEvent(event.data);
  if (!isObject(data)) throw new Error(`Corrupt log: the data of ${event.stream}@${event.revision} is no object`);
  // Types are asserted here and not checked: the event was checked when it was written.
  return { type: event.type, data, revision: event.revision } as unknown as TotalsEvent;
}

function isKnown(type: string): type is TotalsType {
  return Object.hasOwn(TOTALS_VERSIONS, type);
}
