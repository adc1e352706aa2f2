import type { Readable, Transform } from 'node:stream';
import type { EventStoreDBClient, Position } from '@eventstore/db-client';

/**
 * Parses what reads and subscriptions bring, from the bytes of the protocol (`ReadResp` of `streams.proto`).
 *
 * The client's generated code makes some thirty objects of an event and parses its metadata, which took more of a write than all the rest
 * of the log. Of an event that this process appended itself only the id, the position and the names are read; its texts stay bytes.
 */
export interface Message {
  /** `null` for a message without an event, or whose event is gone. */
  readonly event: WireEvent | null;
  /** How far a filtered subscription has come. */
  readonly passed: Position | null;
}

export interface WireEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

/** The client's calls that read. */
export type Reads = Pick<EventStoreDBClient, 'readAll' | 'readStream' | 'subscribeToAll'>;

/** The path of Read in the protocol. */
const READ = '/event_store.client.streams.Streams/Read';

interface Request {
  serializeBinary(): Uint8Array;
}

interface Service {
  makeServerStreamRequest(
    path: string,
    serialize: (request: Request) => Buffer,
    deserialize: (bytes: Buffer) => Message,
    ...rest: unknown[]
  ): unknown;
}

/** The same client. `onMessage` gets what its reads bring, in order; the reads themselves only end or fail. */
export function rawReads(client: EventStoreDBClient, onMessage: (message: Message) => void): Reads {
  const reads: EventStoreDBClient = Object.create(client);
  const create = client['GRPCStreamCreator'];
  reads['GRPCStreamCreator'] = (service, name, creator, cache) => {
    const opened = async (grpc: Parameters<typeof creator>[0]) => observed(onMessage, await creator(leanService(grpc)));
    return create(service, name, opened, cache);
  };
  return reads;
}

function leanService<T>(grpc: T): T {
  const read = (request: Request, ...rest: unknown[]) =>
    (grpc as unknown as Service).makeServerStreamRequest(READ, (one) => Buffer.from(one.serializeBinary()), readMessage, request, ...rest);
  return Object.create(grpc as object, { read: { value: read } });
}

/** A call whose messages go to `onMessage` and not to the stream of the client, which would read them as its own messages. */
function observed<T extends object>(onMessage: (message: Message) => void, call: T): T {
  const pipe = (stream: Transform) => {
    (call as unknown as Readable).on('data', onMessage).on('end', () => stream.end());
    return stream.resume();
  };
  return Object.assign(call, { pipe });
}

/** The names of protobuf's wire types, as in its specification. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** Reads the fields of one message, one after the other. */
class Fields {
  /** Number of the current field. */
  field = 0;
  readonly #bytes: Buffer;
  #at: number;
  /** Where the current length-delimited field begins; it ends at `#at`. */
  #start = 0;
  readonly #end: number;
  #kind = VARINT;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Length of the current length-delimited field, in bytes. */
  get length(): number {
    return this.#at - this.#start;
  }

  /** Moves to the next field and past its content, unless that is a number: then `number` must be called. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.#small();
    this.field = tag >>> 3;
    this.#kind = tag & 7;
    if (this.#kind === LENGTH_DELIMITED) {
      const length = this.#small();
      this.#start = this.#at;
      this.#at += length;
    } else if (this.#kind === FIXED64) this.#at += 8;
    else if (this.#kind === FIXED32) this.#at += 4;
    else if (this.#kind !== VARINT) throw new Error(`the log answered in a way that this build cannot read: kind ${this.#kind}`);
    if (this.#at > this.#end) throw new Error('the log answered with a message that is cut off');
    return true;
  }

  /** The value of the current field if it is a number. It must be read for every such field. */
  number(): bigint {
    if (this.#kind !== VARINT) throw new Error('the log answered with something else where a number belongs');
    let low = 0;
    let scale = 1;
    for (let count = 0; count < 7; count++) {
      const byte = this.#byte();
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return BigInt(low);
      scale *= 128;
    }
    let value = BigInt(low);
    for (let shift = 49n; ; shift += 7n) {
      const byte = this.#byte();
      value += BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  skip(): void {
    if (this.#kind === VARINT) while (this.#byte() >= 0x80);
  }

  /** The fields of the message in the current field. */
  inner(): Fields {
    return new Fields(this.#bytes, this.#start, this.#at);
  }

  text(): string {
    return this.#bytes.toString('utf8', this.#start, this.#at);
  }

  part(): Buffer {
    return this.#bytes.subarray(this.#start, this.#at);
  }

  #byte(): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (byte === undefined) throw new Error('the log answered with a message that is cut off');
    this.#at += 1;
    return byte;
  }

  /** A number that is a tag or a length, and so small. */
  #small(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
}

const NOTHING: Message = { event: null, passed: null };
const NO_BYTES = Buffer.alloc(0);

/** Throws for bytes that are no message of this protocol. */
export function readMessage(bytes: Buffer): Message {
  const fields = new Fields(bytes, 0, bytes.length);
  let message = NOTHING;
  while (fields.next()) {
    if (fields.field === 1) message = { event: resolvedEvent(fields.inner()), passed: null };
    else if (fields.field === 3) message = { event: null, passed: checkpoint(fields.inner()) };
    else fields.skip();
  }
  return message;
}

function checkpoint(fields: Fields): Position {
  let commit = 0n;
  let prepare = 0n;
  while (fields.next()) {
    if (fields.field === 1) commit = fields.number();
    else if (fields.field === 2) prepare = fields.number();
    else fields.skip();
  }
  return { commit, prepare };
}

/** The event, or the link to it if the event is gone. */
function resolvedEvent(fields: Fields): WireEvent | null {
  let event: WireEvent | null = null;
  while (fields.next()) {
    if (fields.field === 1) event = recordedEvent(fields.inner());
    else if (fields.field === 2) event ??= recordedEvent(fields.inner());
    else fields.skip();
  }
  return event;
}

function recordedEvent(fields: Fields): WireEvent {
  let id = '';
  let type = '';
  let stream = '';
  let revision = 0n;
  let position = 0n;
  let metadata: Buffer = NO_BYTES;
  let data: Buffer = NO_BYTES;
  while (fields.next()) {
    if (fields.field === 1) id = lastText(fields.inner(), 2);
    else if (fields.field === 2) stream = lastText(fields.inner(), 3);
    else if (fields.field === 3) revision = fields.number();
    else if (fields.field === 5) position = fields.number();
    else if (fields.field === 6) type = typeIn(fields) ?? type;
    else if (fields.field === 7) metadata = fields.part();
    else if (fields.field === 8) data = fields.part();
    else fields.skip();
  }
  if (id === '' || stream === '') throw new Error('the log gave an event without an id or a stream');
  return { id, type, stream, revision, position, metadata, data };
}

function lastText(fields: Fields, wanted: number): string {
  let text = '';
  while (fields.next()) {
    if (fields.field === wanted) text = fields.text();
    else fields.skip();
  }
  return text;
}

/** The type, if this is its entry. The map also holds the content type and the time of storing. */
function typeIn(entry: Fields): string | null {
  const fields = entry.inner();
  let isType = false;
  let value: string | null = null;
  while (fields.next()) {
    if (fields.field === 1) isType = fields.length === 4 && fields.text() === 'type';
    else if (fields.field === 2 && isType) value = fields.text();
    else fields.skip();
  }
  return value;
}
