import type { EventData } from '@eventstore/db-client';
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';

/**
 * The events of an append, printed in the protocol's format (`BatchAppendReq` of `streams.proto`). The client would make six objects of
 * each event and print them twice, the first time only to learn their length. So the client is given a placeholder, which our
 * bytes replace. The fields of a message may come in any order, so the events follow the rest of the message.
 */
export interface PrintedEvent {
  readonly id: string;
  readonly type: string;
  readonly metadata: string;
  readonly data: string;
  /** Plain clients parse the data if it is JSON. */
  readonly contentType: 'application/json' | 'application/octet-stream';
}

export interface Printed {
  /** What the client is to send. No server would take it as it is, because its id is not a UUID. */
  readonly placeholder: EventData;
  /** Call this once the append is answered or given up. */
  forget(): void;
}

const printed = new Map<string, Buffer>();
let count = 0;

/** Prints the events and keeps the bytes until `forget` is called. */
export function printEvents(events: readonly PrintedEvent[]): Printed {
  count += 1;
  const id = `append ${count}`;
  printed.set(id, bytesOf(events));
  return {
    placeholder: { id, type: 'stand-in', contentType: 'application/octet-stream', data: NO_BYTES, metadata: undefined },
    forget: () => void printed.delete(id),
  };
}

const NO_BYTES = new Uint8Array();

/** The path of BatchAppend in the protocol. */
const BATCH_APPEND = '/event_store.client.streams.Streams/BatchAppend';

interface Service {
  makeBidiStreamRequest(
    path: string,
    serialize: (request: BatchAppendReq) => Buffer,
    deserialize: (bytes: Buffer) => unknown,
    ...rest: unknown[]
  ): unknown;
}

/** The client's service, which sends the events of {@link printEvents} instead of their placeholders. */
export function printingService<T>(grpc: T): T {
  const answer = (bytes: Buffer) => streamsPb.BatchAppendResp.deserializeBinary(bytes);
  const batchAppend = (...rest: unknown[]) =>
    (grpc as unknown as Service).makeBidiStreamRequest(BATCH_APPEND, requestBytes, answer, ...rest);
  return Object.create(grpc as object, { batchAppend: { value: batchAppend } });
}

function requestBytes(request: BatchAppendReq): Buffer {
  const events = printed.get(request.getProposedMessagesList()[0]?.getId()?.getString() ?? '');
  if (events === undefined) return Buffer.from(request.serializeBinary());
  request.clearProposedMessagesList();
  return Buffer.concat([request.serializeBinary(), events]);
}

/** A tag of protobuf: the number of the field, and the wire type "a length, then so many bytes". */
const tag = (field: number) => (field << 3) | 2;
const PROPOSED_MESSAGE = tag(3);
const [ID, PROPERTY, METADATA, DATA] = [tag(1), tag(2), tag(3), tag(4)];
const [KEY, VALUE] = [tag(1), tag(2)];
const ID_TEXT = tag(2);

interface Sizes {
  readonly id: number;
  readonly type: number;
  readonly metadata: number;
  readonly data: number;
  /** Length of the whole message. */
  readonly all: number;
}

function bytesOf(events: readonly PrintedEvent[]): Buffer {
  const sizes = events.map(sizesOf);
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, { all }) => sum + fieldSize(all), 0));
  let at = 0;
  const head = (field: number, length: number) => {
    bytes[at++] = field;
    for (let rest = length; ; rest >>>= 7) {
      if (rest < 0x80) {
        bytes[at++] = rest;
        return;
      }
      bytes[at++] = (rest & 0x7f) | 0x80;
    }
  };
  const text = (field: number, value: string, length: number) => {
    head(field, length);
    at += bytes.write(value, at);
  };
  const property = (key: string, value: string, length: number) => {
    head(PROPERTY, fieldSize(key.length) + fieldSize(length));
    text(KEY, key, key.length);
    text(VALUE, value, length);
  };
  events.forEach((event, index) => {
    const { id, type, metadata, data, contentType } = event;
    const size = sizes[index] ?? sizesOf(event);
    head(PROPOSED_MESSAGE, size.all);
    head(ID, fieldSize(size.id));
    text(ID_TEXT, id, size.id);
    property('type', type, size.type);
    property('content-type', contentType, contentType.length);
    text(METADATA, metadata, size.metadata);
    text(DATA, data, size.data);
  });
  return bytes;
}

function sizesOf(event: PrintedEvent): Sizes {
  const [id, type, metadata, data] = [event.id, event.type, event.metadata, event.data].map((text) => Buffer.byteLength(text)) as [
    number,
    number,
    number,
    number,
  ];
  const properties = propertySize('type', type) + propertySize('content-type', event.contentType.length);
  const all = fieldSize(fieldSize(id)) + properties + fieldSize(metadata) + fieldSize(data);
  return { id, type, metadata, data, all };
}

const propertySize = (key: string, value: number) => fieldSize(fieldSize(key.length) + fieldSize(value));

/** Length of a field with its tag and its length prefix. */
function fieldSize(length: number): number {
  let size = 2 + length;
  for (let rest = length; rest >= 0x80; rest >>>= 7) size += 1;
  return size;
}
