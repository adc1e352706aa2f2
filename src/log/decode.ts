import {
  type DomainEvent,
  type EventMetadata,
  type EventType,
  type ProjectEvent,
  projectEvent,
  SCHEMA_VERSIONS,
} from '../domain/events.ts';
import { decodeEvent, isObject, type JsonObject } from '../kernel/json.ts';
import { hashOf } from './chain.ts';
import type { NewEvent, RecordedEvent } from './port.ts';
import { UPCASTS, type Upcasts } from './upcasts.ts';

/**
 * An event that this build cannot read. The project stops on this node, because a node must not decide on a state that it does not know.
 */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';
  readonly type: string;
  readonly schemaVersion: number;

  constructor(event: RecordedEvent, schemaVersion: number) {
    super(`${event.stream}@${event.revision} is a ${event.type} of schema version ${schemaVersion}, which this build does not know`);
    this.type = event.type;
    this.schemaVersion = schemaVersion;
  }
}

interface RememberedEvent {
  readonly event: ProjectEvent;
  /** The text as it was stored. It ends with the hash over the whole event. */
  readonly metadata: string;
  readonly bytes: number;
}

/** Approximate memory of an event besides the text of its data. */
const OVERHEAD_BYTES = 512;

/**
 * Events that this process has decoded or made itself lately, by id. What the writer has just sealed comes back by the tail, to be
 * projected. Bounded by the bytes of their texts; the oldest go first.
 */
const recent = new Map<string, RememberedEvent>();
const RECENT_BYTES = 4 * 1024 * 1024;
let recentBytes = 0;

/** Spares decoding an event that this process sealed. `stored` is the event as it lies in the log. */
export function rememberDecoded(event: ProjectEvent, { metadata, data }: NewEvent): void {
  const bytes = data.length + OVERHEAD_BYTES;
  recentBytes += bytes - (recent.get(event.id)?.bytes ?? 0);
  recent.set(event.id, { event, metadata, bytes });
  // Not on every call: to find its first entry, a map walks over all that were deleted before it.
  if (recentBytes > RECENT_BYTES) forgetOldest();
}

/** Forgets many at a time: a map walks over its deleted entries to find the first one left. */
function forgetOldest(): void {
  for (const [id, oldest] of recent) {
    if (recentBytes <= RECENT_BYTES / 2) return;
    recent.delete(id);
    recentBytes -= oldest.bytes;
  }
}

/** {@link readProjectEvent}, but an event that this process sealed lately is not read again. */
export function decodeProjectEvent(event: RecordedEvent): ProjectEvent {
  return known(event, recent.get(event.id)) ?? readProjectEvent(event);
}

/** {@link decodeProjectEvent} for the last reader of the event: afterwards this process forgets it. */
export function takeDecoded(event: RecordedEvent): ProjectEvent {
  const remembered = recent.get(event.id);
  if (remembered === undefined) return readProjectEvent(event);
  recentBytes -= remembered.bytes;
  recent.delete(event.id);
  return known(event, remembered) ?? readProjectEvent(event);
}

/** The remembered event, if it is this one. The hash covers every byte, so an equal hash means an equal event. */
function known(event: RecordedEvent, remembered: RememberedEvent | undefined): ProjectEvent | null {
  if (remembered?.event.revision !== event.revision) return null;
  return event.metadata === remembered.metadata ? remembered.event : null;
}

/**
 * The event as the domain knows it, brought to the current schema version, from the bytes in the log alone. So it serves to prove what the
 * log says. Throws {@link UnknownEvent} for a type or a version of a newer build, and a plain error for an event that is not sealed or not
 * JSON.
 */
export function readProjectEvent(event: RecordedEvent, upcasts: Upcasts = UPCASTS): ProjectEvent {
  const hash = hashOf(event.metadata);
  if (hash === null) throw new Error(`Corrupt log: ${event.stream}@${event.revision} carries no hash`);
  const metadata = JSON.parse(event.metadata) as EventMetadata;
  if (!isKnown(event.type) || metadata.schemaVersion > SCHEMA_VERSIONS[event.type]) throw new UnknownEvent(event, metadata.schemaVersion);
  const data = decodeEvent(event.data);
  if (!isObject(data)) throw new Error(`Corrupt log: the data of ${event.stream}@${event.revision} is no object`);
  return decoded(event, event.type, upcasted(event, data, metadata.schemaVersion, upcasts), metadata, hash);
}

/** Types are asserted here and not checked: the event was checked when it was written, and its hash says that it has not changed. */
function decoded(event: RecordedEvent, type: EventType, data: JsonObject, metadata: EventMetadata, hash: string): ProjectEvent {
  return projectEvent({ type, data } as unknown as DomainEvent, event.revision, event.id, metadata, hash);
}

function isKnown(type: string): type is EventType {
  return Object.hasOwn(SCHEMA_VERSIONS, type);
}

function upcasted(event: RecordedEvent, data: JsonObject, from: number, upcasts: Upcasts): JsonObject {
  const steps = upcasts[event.type];
  if (steps === undefined) return data;
  let current = data;
  for (let version = from; steps[version] !== undefined; version += 1) current = steps[version]?.(current) ?? current;
  return current;
}
