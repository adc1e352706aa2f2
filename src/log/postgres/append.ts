import type pg from 'pg';
import { type AppendResult, type ExpectedRevision, LogUnavailable, type NewEvent, OutcomeUnknown, type RecordedEvent } from '../port.ts';
import { type Answer, nextCall, type PendingAppend, parameters, recorded, resultOf } from './append-call.ts';
import { AS_TEXT, appendFailure, isRefused, unavailable } from './connection.ts';

export interface Appender {
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[], characters: number): Promise<AppendResult>;
  /** Waits for the call under way, and refuses what has not been sent. */
  close(): Promise<void>;
}

export interface AppenderOptions {
  readonly pool: pg.Pool;
  readonly timeoutMs: number;
  /** Gets what was stored before the appends are answered. `requestedAt`: when the call was sent (`performance.now()`). */
  readonly onStored: (events: readonly RecordedEvent[], requestedAt: number) => void;
}

const CALL = {
  name: 'savepoint-log-append',
  text: 'SELECT * FROM savepoint.log_append($1, $2, $3, $4, $5, $6, $7, $8)',
  rowMode: 'array' as const,
  types: AS_TEXT,
};

export function createAppender(options: AppenderOptions): Appender {
  return new BatchAppender(options);
}

/**
 * One call at a time carries everything that gathered while the call before it was under way. So calls are larger when the log is slow, and
 * no timer is needed. Parallel calls would only queue for the head lock.
 */
class BatchAppender implements Appender {
  readonly #options: AppenderOptions;
  #queue: PendingAppend[] = [];
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[], characters: number): Promise<AppendResult> {
    if (this.#isClosed) return Promise.reject(new LogUnavailable('the log is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ stream, expected, events, characters, resolve, reject });
      // It starts a microtask later, so that the appends of one turn share the first call.
      this.#running ??= Promise.resolve().then(() => this.#run());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuseWaiting('the log is closed');
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const { group, rest } = nextCall(this.#queue);
      this.#queue = rest;
      const reached = await this.#settle(group);
      // There was no connection for this call. What waits behind it was not sent either and would only wait as long again, so it is
      // refused, too.
      if (!reached) this.#refuseWaiting('the log cannot be reached');
    }
    // Done in the same turn as the test above: an append that comes a moment later must start a new run.
    this.#running = null;
  }

  #refuseWaiting(reason: string): void {
    for (const waiting of this.#queue.splice(0)) waiting.reject(new LogUnavailable(reason));
  }

  /** Sends one call and answers everyone in it. `false`: there was no connection to send it on. */
  async #settle(group: readonly PendingAppend[]): Promise<boolean> {
    const { pool, timeoutMs } = this.#options;
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      for (const waiting of group) waiting.reject(unavailable(error));
      return false;
    }
    const requestedAt = performance.now();
    let answers: readonly Answer[];
    try {
      answers = (await withTimeout(client.query<Answer>({ ...CALL, values: parameters(group) }), timeoutMs)).rows;
    } catch (error) {
      // After a refused statement the connection is sound. After any other failure it is not used again.
      client.release(!isRefused(error));
      if (isRefused(error) && group.length > 1) return this.#settleSingly(group);
      const failure = appendFailure(error);
      for (const waiting of group) waiting.reject(failure);
      return true;
    }
    client.release();
    this.#answer(group, answers, requestedAt);
    return true;
  }

  /** Sends each append by itself: one that the server will never take must not make the others fail. */
  async #settleSingly(group: readonly PendingAppend[]): Promise<boolean> {
    let reached = true;
    for (const waiting of group) reached = (await this.#settle([waiting])) && reached;
    return reached;
  }

  #answer(group: readonly PendingAppend[], answers: readonly Answer[], requestedAt: number): void {
    const results = group.map((waiting, index) => ({ waiting, ...resultOf(answers[index]) }));
    const stored = results.flatMap(({ waiting, result, repeated }) => (result.ok && !repeated ? recorded(waiting, result) : []));
    this.#options.onStored(stored, requestedAt);
    for (const { waiting, result } of results) waiting.resolve(result);
  }
}

/** Our own timer, beside the server's and the client's: a frozen server answers nothing at all. */
async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
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
