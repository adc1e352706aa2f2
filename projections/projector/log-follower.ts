import type { Pool } from 'pg';
import { throttled } from '../../src/kernel/error-reporting.ts';
import { groupBy } from '../../src/kernel/group.ts';
import { pause } from '../../src/kernel/pause.ts';
import type { FollowOptions, FollowStep, Log, RecordedEvent } from '../../src/log/port.ts';
import { PROJECT_PREFIX, projectOf, projectStream } from '../../src/log/streams.ts';
import type { ProjectorLogger } from './context.ts';
import { readFollowed, storeFollowed } from './followed.ts';
import type { ProjectWorkers } from './project-workers.ts';
import { retry } from './retry.ts';

export interface LogFollowerOptions {
  readonly log: Log;
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
  readonly workers: ProjectWorkers;
}

/** The number of projects that are opened at the same time at the start. */
const OPENED_AT_ONCE = 4;
const REFRESH_MS = 1_000;
const STORE_POSITION_MS = 5_000;
const RETRY_MS = 500;

/**
 * Passes the events of the log to the workers, from its present end on. What lies between the stored position and that end is only searched
 * for projects, whose workers read it from their streams: it may be long, as after an import or a restored backup, and what is written
 * meanwhile must not wait behind it. It also opens every project that has checkpoints once, even if no events arrive for it.
 */
export class LogFollower {
  readonly #log: Log;
  readonly #pool: Pool;
  readonly #logger: ProjectorLogger;
  readonly #workers: ProjectWorkers;
  readonly #stopping = new AbortController();
  readonly #onError: (error: unknown) => void;
  #following: Promise<unknown> | null = null;
  /** The last event that a worker was given, or opened for. */
  #followed: RecordedEvent | null = null;
  /** Whether all projects before the followed events are known. */
  #hasSearched = false;
  /** When the position was last stored, and when the workers last refreshed (`performance.now()`). */
  #storedAt = Number.NEGATIVE_INFINITY;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  constructor({ log, pool, logger, workers }: LogFollowerOptions) {
    this.#log = log;
    this.#pool = pool;
    this.#logger = logger;
    this.#workers = workers;
    this.#onError = throttled((error: unknown) => logger.warn({ err: error }, 'the log cannot be followed; trying again'));
  }

  /** `projects`: all projects that have checkpoints. */
  start(projects: readonly string[]): void {
    const failed = (error: unknown) => {
      if (!this.#stopping.signal.aborted) this.#logger.error({ err: error }, 'following the log ended');
    };
    this.#following = Promise.all([this.#openAll(projects).catch(failed), this.#follow().catch(failed)]);
  }

  /** Stops passing events to the workers. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  /** Stores the last position, after the workers have ended. */
  async storeLast(): Promise<void> {
    if (this.#following !== null) await this.#storePosition().catch(() => undefined);
  }

  async #follow(): Promise<void> {
    const stored = await this.#retry(() => readFollowed(this.#pool, this.#log));
    const end = await this.#retry(() => this.#log.end());
    if (stored === undefined || end === undefined) return;
    await Promise.all([this.#search(stored, end), this.#followFrom(end)]);
  }

  /** Opens the projects with events after one position and up to another. */
  async #search(after: bigint | null, end: bigint | null): Promise<void> {
    if (end !== null && (after === null || after < end)) {
      let last: RecordedEvent | null = null;
      for await (const { events, position, caughtUp } of this.#log.follow(this.#followOptions(after))) {
        for (const { stream, revision } of events) this.#workers.of(projectOf(stream) ?? '').open(revision);
        last = events.at(-1) ?? last;
        if (caughtUp || position >= end) break;
      }
      this.#followed ??= last;
    }
    this.#hasSearched = !this.#stopping.signal.aborted;
  }

  async #followFrom(end: bigint | null): Promise<void> {
    for await (const step of this.#log.follow(this.#followOptions(end))) {
      for (const [stream, events] of groupBy(step.events, (event) => event.stream)) {
        this.#workers.of(projectOf(stream) ?? '').offer(events);
      }
      await this.#housekeeping(step);
    }
  }

  #followOptions(after: bigint | null): FollowOptions {
    return { prefix: PROJECT_PREFIX, after, signal: this.#stopping.signal, onError: this.#onError };
  }

  async #housekeeping({ events, caughtUp }: FollowStep): Promise<void> {
    this.#followed = events.at(-1) ?? this.#followed;
    if (!caughtUp) return;
    const now = performance.now();
    if (now - this.#refreshedAt >= REFRESH_MS) {
      this.#refreshedAt = now;
      this.#workers.refresh();
    }
    if (now - this.#storedAt < STORE_POSITION_MS || !this.#hasSearched) return;
    this.#storedAt = now;
    await this.#storePosition().catch((error: unknown) => this.#logger.warn({ err: error }, 'the position in the log could not be stored'));
  }

  /** Stores nothing while projects are searched for, or one has no checkpoints: it would not be found after a restart. */
  async #storePosition(): Promise<void> {
    if (this.#followed !== null && this.#hasSearched && !this.#workers.hasNew) await storeFollowed(this.#pool, this.#followed);
  }

  async #openAll(projects: readonly string[]): Promise<void> {
    const rest = [...projects];
    const openSome = async () => {
      for (let id = rest.shift(); id !== undefined && !this.#stopping.signal.aborted; id = rest.shift()) await this.#open(id);
    };
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openSome));
  }

  async #open(projectId: string): Promise<void> {
    const head = await this.#retry(async () => (await this.#log.head(projectStream(projectId)))?.revision ?? -1);
    if (head !== undefined) this.#workers.of(projectId).open(head);
  }

  /** Asks until there is an answer; `undefined` when the projector stops first. */
  #retry<T>(question: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#stopping;
    return retry(question, { stopping: signal, pause: () => pause(RETRY_MS, signal), onError: this.#onError });
  }
}
