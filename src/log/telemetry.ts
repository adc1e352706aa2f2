import { TELEMETRY_VERSIONS, type TelemetryEvent, type TelemetryMetadata, type TelemetryType } from '../domain/telemetry/events.ts';
import { decodeEvent, isObject, tryParseJson } from '../kernel/json.ts';
import { UnknownEvent } from './decode.ts';
import { FOREIGN } from './foreign.ts';
import type { RecordedEvent } from './port.ts';

/** Stands for an event of another program, which changes nothing. */
interface ForeignTelemetry {
  readonly type: typeof FOREIGN;
  /** The type that the other program gave it. */
  readonly theirType: string;
  readonly revision: number;
  readonly id: string;
}

/** What lies in a telemetry stream. */
export type TelemetryEntry = TelemetryEvent | ForeignTelemetry;

/** Whether this is an event of ours, and not what another program wrote to the stream. */
export function isOurs(entry: TelemetryEntry): entry is TelemetryEvent {
  return entry.type !== FOREIGN;
}

/** What other programs wrote of these. */
export function foreignOf(entries: readonly TelemetryEntry[]): readonly ForeignTelemetry[] {
  return entries.filter((entry) => entry.type === FOREIGN);
}

/**
 * The metadata of an event of a telemetry or totals stream; `null`: another program wrote it. These streams have no seals, so what says
 * that an event is ours is that it has what ours have.
 */
export function unsealedMetadata({ metadata }: RecordedEvent): TelemetryMetadata | null {
  const read = tryParseJson(metadata);
  if (!isObject(read) || typeof read['schemaVersion'] !== 'number' || typeof read['recordedAt'] !== 'number') return null;
  return read as unknown as TelemetryMetadata;
}

/**
 * An event of a telemetry stream from the bytes in the log, as one that changes nothing where another program wrote it. Throws {@link
 * UnknownEvent} for a type or version of a newer build.
 */
export function readTelemetryEvent(event: RecordedEvent): TelemetryEntry {
  const metadata = unsealedMetadata(event);
  if (metadata === null) return { type: FOREIGN, theirType: event.type, revision: event.revision, id: event.id };
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
