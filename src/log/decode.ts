import { mayBeForgotten } from '../contract/events/index.ts';
import {
  type DomainEvent,
  type EventMetadata,
  type EventType,
  type ProjectEvent,
  projectEvent,
  SCHEMA_VERSIONS,
} from '../domain/events.ts';
import { decodeEvent, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { hashOf, isFirstFormat, verifyLink } from './chain.ts';
import { isRedacted, PLAYER, REQUEST, SALT } from './commitment.ts';
import { FOREIGN, FOREIGN_HASH } from './foreign.ts';
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

/** A sealed event that was altered, or does not follow the sealed one before. The project stops: what lies behind it proves nothing. */
export class BrokenChain extends Error {
  override readonly name = 'BrokenChain';

  constructor({ stream, revision }: RecordedEvent) {
    super(`Corrupt log: ${stream}@${revision} does not match its hash, or its hash the event before it`);
  }
}

/** What to do with a log of the first format. */
export const FIRST_FORMAT_REFUSED =
  'The log has its first format, of before the first release, which this release does not read. Export each project with the build that wrote ' +
  'it (savepoint project export), and import it into an empty log (savepoint project import)';

/** The log was written before the first release, in a format that nothing reads any more. */
class FirstFormat extends Error {
  override readonly name = 'FirstFormat';

  constructor({ stream, revision }: RecordedEvent) {
    super(`${stream}@${revision}: ${FIRST_FORMAT_REFUSED}`);
  }
}

/** Why a project cannot go on past an event of its stream. */
export type Unreadable = UnknownEvent | BrokenChain | FirstFormat;

export function isUnreadable(error: unknown): error is Unreadable {
  return error instanceof UnknownEvent || error instanceof BrokenChain || error instanceof FirstFormat;
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

/** {@link readProjectEvent}, but an event that this process sealed lately is not read again. Whether it links is not looked at. */
export function decodeProjectEvent(event: RecordedEvent): ProjectEvent {
  return known(event, recent.get(event.id)) ?? readProjectEvent(event);
}

/**
 * Decodes consecutive events of a stream, each of which must link to the sealed one before it. `previous`: the hash that the first one
 * links to.
 */
export class LinkedDecoder {
  #previous: string;

  constructor(previous: string) {
    this.#previous = previous;
  }

  /** {@link decodeProjectEvent}. Throws {@link BrokenChain}. */
  decode(event: RecordedEvent): ProjectEvent {
    return this.#linked(event, known(event, recent.get(event.id)));
  }

  /** {@link decode} for the last reader of the event: afterwards this process forgets it. */
  take(event: RecordedEvent): ProjectEvent {
    const remembered = recent.get(event.id);
    if (remembered === undefined) return this.#linked(event, null);
    recentBytes -= remembered.bytes;
    recent.delete(event.id);
    return this.#linked(event, known(event, remembered));
  }

  /** What this process sealed itself links to what it was sealed after, so it is not hashed again. */
  #linked(event: RecordedEvent, remembered: ProjectEvent | null): ProjectEvent {
    const hash = hashOf(event.metadata);
    if (hash === null) return unsealedEvent(event);
    if (remembered === null && !verifyLink(this.#previous, event)) throw new BrokenChain(event);
    const decoded = remembered ?? readProjectEvent(event);
    this.#previous = hash;
    return decoded;
  }
}

/** The remembered event, if it is this one. The hash covers every byte, so an equal hash means an equal event. */
function known(event: RecordedEvent, remembered: RememberedEvent | undefined): ProjectEvent | null {
  if (remembered?.event.revision !== event.revision) return null;
  return event.metadata === remembered.metadata ? remembered.event : null;
}

/**
 * The event as the domain knows it, brought to the current schema version, from the bytes in the log alone. So it serves to prove what the
 * log says. An event without a seal is read as one that changes nothing (foreign.ts). Throws {@link UnknownEvent} for a type or a version
 * of a newer build, and a plain error for an event that is not JSON.
 */
export function readProjectEvent(event: RecordedEvent, upcasts: Upcasts = UPCASTS): ProjectEvent {
  const hash = hashOf(event.metadata);
  if (hash === null) return unsealedEvent(event);
  const metadata = JSON.parse(event.metadata) as EventMetadata;
  if (!isKnown(event.type) || metadata.schemaVersion > SCHEMA_VERSIONS[event.type]) throw new UnknownEvent(event, metadata.schemaVersion);
  if (isRedacted(event.data)) {
    if (!mayBeForgotten(event.type)) throw new BrokenChain(event);
    return projectEvent({ type: 'log.redacted', data: {} }, event.revision, event.id, metadata, hash);
  }
  const data = decodeEvent(event.data);
  if (!isObject(data)) throw new Error(`Corrupt log: the data of ${event.stream}@${event.revision} is no object`);
  const { said, player, requestId } = withoutCommitted(data);
  return decoded(event, event.type, upcasted(event, said, metadata.schemaVersion, upcasts), caused(metadata, player, requestId), hash);
}

/** The metadata with what stands in data because it may be personal. */
function caused(metadata: EventMetadata, player: string | undefined, requestId: string | undefined): EventMetadata {
  const { actor } = metadata;
  const named = player === undefined ? metadata : { ...metadata, actor: { ...actor, player } };
  return requestId === undefined ? named : { ...named, requestId };
}

/** Takes out what was put into the data when they were stored. These members are the last ones, so taking them out costs little. */
function withoutCommitted(data: JsonObject): {
  readonly said: JsonObject;
  readonly player: string | undefined;
  readonly requestId: string | undefined;
} {
  const said = data as Record<string, Json>;
  const player = said[PLAYER];
  const request = said[REQUEST];
  delete said[SALT];
  if (request !== undefined) delete said[REQUEST];
  delete said[PLAYER];
  return { said, player: textOf(player), requestId: textOf(request) };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Stands for an event of another program. What that wrote is not looked at. Throws {@link FirstFormat}. */
function unsealedEvent(event: RecordedEvent): ProjectEvent {
  if (isFirstFormat(event)) throw new FirstFormat(event);
  const { revision, id } = event;
  return projectEvent({ type: FOREIGN, data: {} }, revision, id, FOREIGN_METADATA, FOREIGN_HASH);
}

const FOREIGN_METADATA: EventMetadata = { commandId: '', cause: FOREIGN, actor: { kind: 'operator' }, schemaVersion: 1, recordedAt: 0 };

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
