import { ANY, type AppendResult as Answer, type AppendToStreamOptions, type EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type AppendResult, AppendTooLarge, type ExpectedRevision, LogUnavailable, type NewEvent, OutcomeUnknown } from '../port.ts';
import type { Connection } from './connection.ts';
import { appendFailure, failureOf, StreamDeleted } from './failures.ts';
import type { Hub } from './hub.ts';
import type { Reader } from './read.ts';
import { countedBytes, revisionOf, toEventData, toStored } from './text.ts';
import { type PrintedEvent, printEvents } from './wire-append.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** gRPC's code for a server that cannot be reached. The client recovers from this failure by itself, and from no other. */
const UNAVAILABLE = 14;

/**
 * The client sends an append's deadline as a time of day, and the server drops an append whose deadline has passed by its own clock. The
 * real time limit is measured here. So the deadline that is sent is far ahead: it must not have passed even where the two clocks differ.
 */
export const CLOCKS_DIFFER_MS = 60 * 60_000;

export interface AppenderOptions {
  readonly connection: Connection;
  readonly hub: Pick<Hub, 'appending' | 'refused'>;
  readonly reader: Reader;
  readonly timeoutMs: number;
  readonly maxAppendBytes: number;
}

export type Append = (stream: string, expected: ExpectedRevision, events: readonly NewEvent[]) => Promise<AppendResult>;

export function createAppender({ connection, hub, reader, timeoutMs, maxAppendBytes }: AppenderOptions): Append {
  return async (stream, expected, events) => {
    check(stream, expected, events);
    const stored = events.map(toStored);
    const bytes = stored.reduce((sum, one) => sum + countedBytes(one), 0);
    if (bytes > maxAppendBytes) throw new AppendTooLarge(`${bytes} bytes in one append; the log takes ${maxAppendBytes}`);
    hub.appending(events);
    const client = connection.client();
    const options = { expectedRevision: expectedOf(expected), deadline: timeoutMs + CLOCKS_DIFFER_MS, requiresLeader: true };
    try {
      const answer = await answered(connection, client, timeoutMs, () => send(client, stream, stored, options));
      return await accepted(reader, stream, expected, events.length, answer);
    } catch (error) {
      const conflict = refused(connection, client, stream, error);
      hub.refused(events);
      return conflict;
    }
  };
}

/** The events are printed here. Only for a server that knows just the older append does the client print them. */
async function send(
  client: EventStoreDBClient,
  stream: string,
  events: readonly PrintedEvent[],
  options: AppendToStreamOptions,
): Promise<Answer> {
  const isBatched = await client['supports'](streamsGrpc.StreamsService.batchAppend);
  if (!isBatched || events.length === 0) return client.appendToStream(stream, events.map(toEventData), options);
  const { placeholder, forget } = printEvents(events);
  try {
    return await client.appendToStream(stream, [placeholder], options);
  } finally {
    forget();
  }
}

/** Refuses what the server would refuse anyway, but with a message that can be understood. */
function check(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): void {
  if (stream === '') throw new TypeError('a stream needs a name');
  if (typeof expected === 'number' && !(Number.isSafeInteger(expected) && expected >= 0)) throw new TypeError(`no revision: ${expected}`);
  for (const event of events) {
    if (!UUID.test(event.id)) throw new TypeError(`not a lower-case UUID: ${event.id}`);
    if (event.type === '') throw new TypeError('an event needs a type');
  }
}

function expectedOf(expected: ExpectedRevision): bigint | typeof ANY | typeof NO_STREAM {
  if (expected === 'any') return ANY;
  return expected === 'none' ? NO_STREAM : BigInt(expected);
}

/** The client's call for appends knows no time limit, so each append runs against a timer of its own. */
export async function answered<T>(
  connection: Connection,
  client: EventStoreDBClient,
  timeoutMs: number,
  send: () => Promise<T>,
): Promise<T> {
  const since = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new OutcomeUnknown(`the log gave no answer for ${timeoutMs} ms`));
      connection.unanswered(client, since);
    }, timeoutMs);
  });
  try {
    return await Promise.race([send(), expiry]);
  } finally {
    clearTimeout(timer);
  }
}

async function accepted(reader: Reader, stream: string, expected: ExpectedRevision, count: number, answer: Answer): Promise<AppendResult> {
  const before = expected === 'any' ? null : expected === 'none' ? -1 : expected;
  if (count === 0) return empty(reader, stream, before, answer);
  const revision = revisionOf(answer.nextExpectedRevision);
  // After a soft delete an append that expects `none` succeeds, and the numbering goes on where it was.
  if (before !== null && revision !== before + count) throw new StreamDeleted(stream);
  return { ok: true, revision, position: answer.position?.commit ?? (await positionOf(reader, stream, revision)) };
}

/**
 * The answer to an append without events. The client answers such an append with revision 0 and perhaps no position, so both are looked up
 * here.
 */
async function empty(reader: Reader, stream: string, before: number | null, answer: Answer): Promise<AppendResult> {
  const revision = before ?? (await reader.head(stream))?.revision ?? -1;
  return { ok: true, revision, position: answer.position?.commit ?? (await reader.end()) ?? 0n };
}

async function positionOf(reader: Reader, stream: string, revision: number): Promise<bigint> {
  const [event] = await reader.stream(stream, { from: revision, limit: 1, direction: 'forwards' });
  if (event) return event.position;
  throw new OutcomeUnknown(`${stream}@${revision} was acknowledged and cannot be read yet`);
}

function refused(connection: Connection, client: EventStoreDBClient, stream: string, error: unknown): AppendResult {
  if (error instanceof OutcomeUnknown || error instanceof StreamDeleted) throw error;
  // The append itself was acknowledged. Only what belongs to its answer could not be read.
  if (error instanceof LogUnavailable) throw new OutcomeUnknown(error.message, { cause: error });
  const { type, code, actual } = failureOf(error);
  if (type === 'wrong-expected-version' && actual !== undefined) {
    return { ok: false, actual: actual === 'no_stream' ? 'none' : revisionOf(actual) };
  }
  if (type === undefined && code !== undefined && code !== UNAVAILABLE) connection.broken(client);
  throw appendFailure(error, stream);
}
