import type pg from 'pg';
import { type AppendResult, type ExpectedRevision, LogUnavailable, type NewEvent, OutcomeUnknown, type RecordedEvent } from '../port.ts';
import { bigintArray, intArray, textArray, uuidArray } from './arrays.ts';
import { AS_TEXT, appendFailure, isRefused, unavailable } from './connection.ts';

/** An append that waits for its turn or for its answer. */
interface Waiting {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  /** Length of its texts. */
  readonly characters: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

export interface Appender {
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[], characters: number): Promise<AppendResult>;
  /** Waits for the call under way, and refuses what has not been sent. */
  close(): Promise<void>;
}

export interface AppenderOptions {
  readonly pool: pg.Pool;
  readonly timeoutMs: number;
  /** Gets what was stored before the appends are answered. `askedAt`: when the call was sent (`performance.now()`). */
  readonly onStored: (events: readonly RecordedEvent[], askedAt: number) => void;
}

/** Bounds of one call. A single append may be larger than `CHARACTERS`. */
const APPENDS = 1000;
const CHARACTERS = 4 * 1024 * 1024;

const CALL = {
  name: 'savepoint-log-append',
  text: 'SELECT * FROM savepoint.log_append($1, $2, $3, $4, $5, $6, $7, $8)',
  rowMode: 'array' as const,
  types: AS_TEXT,
};

/**
 * One call at a time carries everything that gathered while the call before it was under way. So calls are larger when the log is slow, and
 * no timer is needed. Parallel calls would only queue for the head lock.
 */
export function createAppender({ pool, timeoutMs, onStored }: AppenderOptions): Appender {
  let queue: Waiting[] = [];
  let running: Promise<void> | null = null;
  let closed = false;

  const run = async () => {
    while (queue.length > 0) {
      const { group, rest } = nextCall(queue);
      queue = rest;
      const reached = await settle(group);
      // There was no connection for this call. What waits behind it was not sent either and would only wait as long again, so it is
      // refused, too.
      if (!reached) refuseWaiting('the log cannot be reached');
    }
    // Done in the same turn as the test above: an append that comes a moment later must start a new run.
    running = null;
  };

  const refuseWaiting = (reason: string) => {
    for (const waiting of queue.splice(0)) waiting.reject(new LogUnavailable(reason));
  };

  /** Sends one call and answers everyone in it. `false`: there was no connection to send it on. */
  const settle = async (group: readonly Waiting[]): Promise<boolean> => {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      for (const waiting of group) waiting.reject(unavailable(error));
      return false;
    }
    const askedAt = performance.now();
    let answers: readonly Answer[];
    try {
      answers = (await inTime(client.query<Answer>({ ...CALL, values: parameters(group) }), timeoutMs)).rows;
    } catch (error) {
      // After a refused statement the connection is sound. After any other failure it is not used again.
      client.release(!isRefused(error));
      if (isRefused(error) && group.length > 1) return alone(group);
      const failure = appendFailure(error);
      for (const waiting of group) waiting.reject(failure);
      return true;
    }
    client.release();
    answer(group, answers, askedAt);
    return true;
  };

  /** Sends each append by itself: one that the server will never take must not make the others fail. */
  const alone = async (group: readonly Waiting[]): Promise<boolean> => {
    let reached = true;
    for (const waiting of group) reached = (await settle([waiting])) && reached;
    return reached;
  };

  const answer = (group: readonly Waiting[], answers: readonly Answer[], askedAt: number) => {
    const results = group.map((waiting, index) => ({ waiting, ...read(answers[index]) }));
    const stored = results.flatMap(({ waiting, result, repeated }) => (result.ok && !repeated ? record(waiting, result) : []));
    onStored(stored, askedAt);
    for (const { waiting, result } of results) waiting.resolve(result);
  };

  return {
    append(stream, expected, events, characters) {
      if (closed) return Promise.reject(new LogUnavailable('the log is closed'));
      return new Promise((resolve, reject) => {
        queue.push({ stream, expected, events, characters, resolve, reject });
        // It starts a microtask later, so that the appends of one turn share the first call.
        running ??= Promise.resolve().then(run);
      });
    },
    async close() {
      closed = true;
      refuseWaiting('the log is closed');
      await running;
    },
  };
}

/** Revision, position (`null`: a conflict), repeated, as the server prints them. */
type Answer = [revision: string, position: string | null, repeated: 't' | 'f' | null];

function read(row: Answer | undefined): { readonly result: AppendResult; readonly repeated: boolean } {
  if (!row) throw new Error('the log answered fewer appends than it was given');
  const [revision, position, repeated] = row;
  if (position === null) return { result: { ok: false, actual: revision === '-1' ? 'none' : Number(revision) }, repeated: false };
  return { result: { ok: true, revision: Number(revision), position: BigInt(position) }, repeated: repeated === 't' };
}

/** The events as the log now holds them. Positions and revisions are dense within an append. */
function record({ stream, events }: Waiting, last: { readonly revision: number; readonly position: bigint }): RecordedEvent[] {
  const before = last.revision - events.length;
  const start = last.position - BigInt(events.length);
  return events.map(({ id, type, data, metadata }, index) => ({
    id,
    type,
    data,
    metadata,
    stream,
    revision: before + index + 1,
    position: start + BigInt(index + 1),
  }));
}

/**
 * Takes what fits into one call, in order of arrival, grouped by stream as the function requires. Appends of one stream go together only if
 * each builds on the one before; then the function can decide each from what lay in the log before the call. Once an append of a stream has
 * to wait, all later ones of that stream wait, too.
 */
function nextCall(queue: readonly Waiting[]): { readonly group: readonly Waiting[]; readonly rest: Waiting[] } {
  const streams = new Map<string, { readonly appends: Waiting[]; next: number }>();
  const rest: Waiting[] = [];
  let count = 0;
  let characters = 0;
  for (const [index, waiting] of queue.entries()) {
    if (count > 0 && (count >= APPENDS || characters + waiting.characters > CHARACTERS)) {
      rest.push(...queue.slice(index));
      break;
    }
    const start = startOf(waiting.expected);
    const stream = streams.get(waiting.stream) ?? { appends: [], next: start };
    streams.set(waiting.stream, stream);
    const builds = stream.next !== BLOCKED && (start === ANY || start === stream.next);
    if (!builds) {
      stream.next = BLOCKED;
      rest.push(waiting);
      continue;
    }
    stream.appends.push(waiting);
    stream.next = start === ANY ? ANY : start + waiting.events.length;
    count++;
    characters += waiting.characters;
  }
  return { group: [...streams.values()].flatMap(({ appends }) => appends), rest };
}

/** What `log_append` calls "any revision". */
const ANY = -2;
/** Marks a stream of which an append has to wait for the next call. */
const BLOCKED = -3;

/** The last revision of the stream that the append expects; −1 for no stream, {@link ANY} for any. */
function startOf(expected: ExpectedRevision): number {
  if (expected === 'any') return ANY;
  return expected === 'none' ? -1 : expected;
}

function parameters(group: readonly Waiting[]): Buffer[] {
  const events = group.flatMap((waiting) => waiting.events);
  return [
    textArray(group.map((waiting) => waiting.stream)),
    bigintArray(group.map((waiting) => startOf(waiting.expected))),
    intArray(group.map((waiting) => waiting.events.length)),
    intArray(group.flatMap((waiting, index) => waiting.events.map(() => index + 1))),
    uuidArray(events.map((event) => event.id)),
    textArray(events.map((event) => event.type)),
    textArray(
      events.map((event) => event.data),
      'json',
    ),
    textArray(
      events.map((event) => event.metadata),
      'json',
    ),
  ];
}

/** Our own timer, beside the server's and the client's: a frozen server answers nothing at all. */
async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutcomeUnknown(`no answer from the log within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
