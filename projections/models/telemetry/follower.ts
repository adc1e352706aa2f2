import type { Pool } from 'pg';
import { throttled } from '../../../src/kernel/error-reporting.ts';
import { pause } from '../../../src/kernel/pause.ts';
import { createNotifier } from '../../../src/log/notifier.ts';
import type { Log } from '../../../src/log/port.ts';
import { TELEMETRY_PREFIX, telemetryProjectOf, telemetryStream } from '../../../src/log/streams.ts';
import type { ProjectorLogger } from '../../projector/context.ts';
import { retry } from '../../projector/retry.ts';
import type { Transaction } from '../../tables.ts';
import { transaction } from '../../transaction.ts';
import { Backlog, type ProjectBacklog } from './backlog.ts';
import { type WrittenBatch, writeBatch } from './batch.ts';
import { beginTelemetry, checkHistory, TELEMETRY_VERSIONS, tryLockCheckpoint } from './checkpoint.ts';

/**
 * The projector of telemetry, apart from the one of game data. It writes one batch of one project at a time through one connection. While
 * more is waiting, it pauses for longer than the batch took. So a flood of telemetry delays telemetry and nothing else.
 *
 * The subscription only says that a stream has grown. The events are read from the stream in pages, so that few are in memory. Any number
 * of these may run on one database: the one that has locked a project's checkpoint writes, and the others try again later.
 */

export interface TelemetryFollowerOptions {
  readonly log: Log;
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
}

export interface TelemetryFollower {
  readonly counters: Readonly<{ events: number; batches: number; failures: number; foreign: number }>;
  /** The number of events in the log that the tables do not show, as far as this process knows. */
  lag(): number;
  /** Projects whose telemetry stopped, with the reason (an unknown event, two histories). */
  stopped(): ReadonlyMap<string, Error>;
  start(): void;
  /**
   * Writes the events that the log holds now, for at most `withinMs`, and ends after the current batch. The rest is written after the next
   * start, or by another follower.
   */
  stop(withinMs?: number): Promise<void>;
}

/** With fewer waiting events than this, a batch waits for more. */
const SMALL_BATCH = 500;
const BATCH_WAIT_MS = 40;
const RETRY_MS = 1_000;
/** The pause after a batch while more is waiting, as a multiple of the batch's time. The database serves game data first. */
const PAUSE_FACTOR = 2;
const MAX_PAUSE_MS = 400;
const FINISH_POLL_MS = 10;
const IDLE_MS = 5_000;

export function createTelemetryFollower(options: TelemetryFollowerOptions): TelemetryFollower {
  return new Follower(options);
}

class Follower implements TelemetryFollower {
  readonly counters = { events: 0, batches: 0, failures: 0, foreign: 0 };
  readonly #log: Log;
  readonly #pool: Pool;
  readonly #logger: ProjectorLogger;
  readonly #backlog = new Backlog();
  readonly #stopping = new AbortController();
  readonly #newEvents = createNotifier();
  readonly #onError: (error: unknown) => void;
  readonly #onForeign: (found: object) => void;
  /** How far the subscription has read the log. */
  #subscription = { position: 0n, steps: 0, caughtUp: false };
  #isWriting = false;
  /** Set while the follower stops: it then makes no pauses. */
  #isFinishing = false;
  #running: Promise<unknown> | null = null;

  constructor({ log, pool, logger }: TelemetryFollowerOptions) {
    this.#log = log;
    this.#pool = pool;
    this.#logger = logger;
    this.#onForeign = throttled((found: object) =>
      logger.error(found, 'another program wrote to the telemetry of this project; what it wrote is passed over'),
    );
    this.#onError = throttled((error: unknown) => logger.warn({ err: error }, 'telemetry cannot be followed; trying again'));
  }

  lag(): number {
    return this.#backlog.events;
  }

  stopped(): ReadonlyMap<string, Error> {
    return this.#backlog.stopped;
  }

  start(): void {
    const ended = (error: unknown) => {
      if (!this.#stopping.signal.aborted) this.#logger.error({ err: error }, 'following telemetry ended');
    };
    this.#running = Promise.all([this.#follow().catch(ended), this.#work().catch(ended)]);
  }

  async stop(withinMs = 0): Promise<void> {
    this.#isFinishing = true;
    if (this.#running !== null && withinMs > 0) await this.#waitUntilShown(withinMs);
    this.#stopping.abort();
    await this.#running;
  }

  /** Waits. Ends early when the follower stops. */
  #pause(ms: number): Promise<void> {
    return pause(ms, this.#stopping.signal);
  }

  #retry<T>(request: () => Promise<T>): Promise<T | undefined> {
    return retry(request, { stopping: this.#stopping.signal, pause: () => this.#pause(RETRY_MS), onError: this.#onError });
  }

  async #follow(): Promise<void> {
    const after = await this.#retry(() => this.#log.end());
    if (after === undefined) return;
    const checking = this.#retry(() => this.#checkAllStreams());
    const following = { prefix: TELEMETRY_PREFIX, after, signal: this.#stopping.signal, onError: this.#onError };
    for await (const { events, position, caughtUp } of this.#log.follow(following)) {
      for (const { stream, revision } of events) this.#backlog.setHead(telemetryProjectOf(stream) ?? '', revision);
      this.#subscription = { position, steps: this.#subscription.steps + 1, caughtUp };
      if (events.length > 0) this.#newEvents.notify();
    }
    await checking;
  }

  /** Finds streams that grew while nobody followed. */
  async #checkAllStreams(): Promise<void> {
    const { rows } = await this.#pool.query<{ project: string }>('SELECT project FROM savepoint.projects');
    for (const { project } of rows) {
      if (this.#stopping.signal.aborted) return;
      const head = await this.#log.head(telemetryStream(project));
      if (head) this.#backlog.setHead(project, head.revision);
    }
    this.#newEvents.notify();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const { notifications } = this.#newEvents;
      const next = this.#backlog.next(performance.now());
      if (next === null) await this.#newEvents.wait(notifications, IDLE_MS, signal);
      else if (next.waitMs > 0) await this.#newEvents.wait(notifications, next.waitMs, signal);
      else await this.#writeOne(next.project);
    }
  }

  /** Writes one batch of one project, with the pauses around it. */
  async #writeOne(project: ProjectBacklog): Promise<void> {
    this.#isWriting = true;
    this.#backlog.moveToEnd(project);
    if (project.events < SMALL_BATCH && !this.#isFinishing) await this.#pause(BATCH_WAIT_MS);
    const startedAt = performance.now();
    await this.#write(project).catch((error: unknown) => this.#failed(project, error));
    if (project.events > 0 && !this.#isFinishing) {
      await this.#pause(Math.min(PAUSE_FACTOR * (performance.now() - startedAt), MAX_PAUSE_MS));
    }
    this.#isWriting = false;
  }

  async #write(project: ProjectBacklog): Promise<void> {
    const { projectId, timeoutMs, head } = project;
    if (!project.hasCheckpoint) await beginTelemetry(this.#pool, projectId);
    const written = await transaction(this.#pool, projectId, TELEMETRY_VERSIONS, (tx) => this.#batch(tx, project), timeoutMs);
    if (written === null) return project.contended(performance.now());
    project.written(written, head);
    this.counters.events += written.events;
    this.counters.batches += written.events > 0 ? 1 : 0;
    this.counters.foreign += written.foreign;
    if (written.foreign > 0) this.#onForeign({ project: projectId, events: written.foreign, upTo: written.shown });
  }

  /** Returns `null` when another process holds the project. */
  async #batch(tx: Transaction, project: ProjectBacklog): Promise<WrittenBatch | null> {
    const at = await tryLockCheckpoint(tx);
    if (at === null) return null;
    // Checks the history at the first batch, and whenever another process has moved the checkpoint.
    if (!project.hasCheckpoint || at.revision !== project.shown) await checkHistory(this.#log, project.projectId, at);
    return writeBatch(tx, this.#log, at);
  }

  #failed(project: ProjectBacklog, error: unknown): void {
    this.counters.failures += 1;
    const fields = { project: project.projectId, err: error };
    const outcome = project.failed(error, performance.now());
    if (outcome === 'retried') this.#logger.warn(fields, 'telemetry could not be written and will be tried again');
    if (outcome === 'stopped') {
      this.#logger.error(fields, 'telemetry of this project stopped; remove the cause, then run `savepoint rebuild telemetry`');
    }
  }

  /** Waits until everything is shown, except for projects that others hold or that failed. */
  async #waitUntilShown(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    const { steps } = this.#subscription;
    const end = await Promise.race([this.#log.end().catch(() => null), this.#pause(withinMs)]);
    const isRead = () =>
      end == null || this.#subscription.position >= end || (this.#subscription.steps > steps + 1 && this.#subscription.caughtUp);
    const isShown = () => !this.#isWriting && (this.#backlog.next(performance.now())?.waitMs ?? 1) > 0;
    while (performance.now() < deadline && !this.#stopping.signal.aborted && !(isRead() && isShown())) await this.#pause(FINISH_POLL_MS);
    const events = this.lag();
    if (events > 0) this.#logger.warn({ events }, 'stopped before all telemetry was written; the rest follows after the next start');
  }
}
