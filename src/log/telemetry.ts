import { TELEMETRY_VERSIONS, type TelemetryEvent, type TelemetryMetadata, type TelemetryType } from '../domain/telemetry/events.ts';
import { decodeEvent, isObject } from '../kernel/json.ts';
import { UnknownEvent } from './decode.ts';
import type { RecordedEvent } from './port.ts';

/** An event of a telemetry stream from the bytes in the log. Throws {@link UnknownEvent} for a type or version of a newer build. */
export function readTelemetryEvent(event: RecordedEvent): TelemetryEvent {
  const metadata: TelemetryMetadata = JSON.parse(event.metadata);
  const { schemaVersion } = metadata;
  if (!isKnown(event.type) || !(schemaVersion <= TELEMETRY_VERSIONS[event.type])) throw new UnknownEvent(event, schemaVersion);
  const data = decodeEvent(event.data);
  if (!isObject(data)) throw new Error(`Corrupt log: the data of ${event.stream}@${event.revision} is no object`);
  // Types are asserted here and not checked: the event was checked when it was written.
  return { type: event.type, data, revision: event.revision, id: event.id, metadata } as unknown as TelemetryEvent;
}

function isKnown(type: string): type is TelemetryType {
  return Object.hasOwn(TELEMETRY_VERSIONS, type);
}
