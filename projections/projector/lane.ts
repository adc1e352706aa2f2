import type { Pool } from 'pg';
import type { Checkpoint } from '../../src/app/ports/readers.ts';
import type { ProjectEvent } from '../../src/domain/events.ts';
import { hashOf } from '../../src/log/chain.ts';
import { takeDecoded, UnknownEvent } from '../../src/log/decode.ts';
import { type Log, LogUnavailable, type RecordedEvent } from '../../src/log/port.ts';
import { projectStream } from '../../src/log/streams.ts';
import type { Projection } from '../batch.ts';
import { catalogOf } from '../catalog.ts';
import { CheckpointMoved, HistoryMismatch, hold, readStanding } from '../checkpoints.ts';
import { loadDefinitions } from '../models/definitions/project.ts';
import { STATE_TABLES } from '../registry.ts';
import { advancedTo, pausedViews, type Standing, shownBy, type ViewPlace, viewsBehind, viewsInStep, withView } from '../standing.ts';
import type { ProjectionName, Session } from '../tables.ts';
import { transaction } from '../transaction.ts';
import { type Memory, writeBatch } from '../write.ts';
import { BATCH_EVENTS, batchLength, decoded } from './cut.ts';
import { EventQueue } from './event-queue.ts';
import { Sleeper } from './sleeper.ts';
import { catchUpView, LONGEST_PATIENCE_MS, noteFailure, passes } from './views.ts';
import { Waiters } from './waiters.ts';

/** What all lanes of a projector share. */
export interface LaneContext {
  readonly log: Log;
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
  /** Runs a piece of database work when one of the few places for it is free. */
  readonly gate: <T>(work: () => Promise<T>) => Promise<T>;
  readonly onProgress: (projectId: string, checkpoint: Checkpoint) => void;
  readonly counters: ProjectorCounters;
  /** Whether this projector is the one that writes the project; see `share.ts`. */
  readonly owns: (projectId: string) => boolean;
}

/** A pino logger fits. */
export interface ProjectorLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Totals since the start, for metrics. */
export interface ProjectorCounters {
  events: number;
  batches: number;
  failures: number;
}

/** With this many events at hand, waiting for more gains nothing. */
const ENOUGH = 500;
const LINGER_MS = 50;
const RIVAL_MS = 200;
/** The same for a project that is another's: its owner may only be slow, and who is gone loses its share in about this time anyway. */
const NOT_OURS_MS = 2_500;
const RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** For so long the definitions of a project are kept for its next batch. */
const REST_MS = 60_000;
/** How long a batch may take at its first try; doubled for each further one, since a large one may really need longer. */
const PATIENCE_MS = 6_000;

/**
 * One project's place in the projector. It is *idle*, or *running*: opening (reading the standing, and checking once that the log
 * tells the same history), writing batches, or bringing views up that fell behind. A lane whose checkpoint another projector moved,
 * or whose project is another's, is *passive*: it looks on, and takes over when the checkpoint stands still with events waiting. A lane
 * *stops* for an event it cannot read or a second history; everything else is tried again, for ever: state tables skip nothing.
 */
export class Lane {
  readonly projectId: string;
  /** Why the lane stopped. */
  failure: Error | null = null;
  readonly #context: LaneContext;
  readonly #sleeper = new Sleeper();
  readonly #waiters = new Waiters();
  readonly #retryAt = new Map<ProjectionName, number>();
  /** Since when a view has come no further than this (`performance.now()`). */
  readonly #stuck = new Map<ProjectionName, { readonly revision: number; readonly since: number }>();
  readonly #queue = new EventQueue();
  #seen = -1;
  #standing: Standing | null = null;
  #memory: Memory | null = null;
  #known = false;
  #checked = false;
  #passive = false;
  /** When a passive lane last saw the checkpoint move, or began to look (`performance.now()`: the wall clock may be set back). */
  #movedAt = 0;
  #attempts = 0;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(projectId: string, context: LaneContext) {
    this.projectId = projectId;
    this.#context = context;
  }

  /** Revision of the state tables; −1 before the first event, or before the lane was opened. */
  get revision(): number {
    return this.#standing?.revision ?? -1;
  }

  /** Characters of event data held in memory. */
  get queued(): number {
    return this.#queue.characters;
  }

  /** Whether it has events and no checkpoints yet: a restart would not find the project by them. */
  get isNew(): boolean {
    return this.#seen >= 0 && !this.#known;
  }

  /** Views that are paused for this project. */
  get pausedViews(): number {
    return this.#standing === null ? 0 : pausedViews(this.#standing);
  }

  get hasPausedView(): boolean {
    return this.pausedViews > 0;
  }

  /** Consecutive events of the stream, as they were followed; what was written already is passed over. */
  offer(events: readonly RecordedEvent[]): void {
    const last = events.at(-1);
    if (last === undefined || this.#closed) return;
    // Also by a lane that has stopped or looks on: nobody tells it again when it goes on. It keeps none: what it lacks lies in the log.
    this.#seen = Math.max(this.#seen, last.revision);
    if (this.failure === null && !this.#passive) this.#enqueue(events);
    this.#run();
  }

  #enqueue(events: readonly RecordedEvent[]): void {
    this.#queue.add(events, this.revision);
    if (this.#queue.length >= ENOUGH || this.#waiters.size > 0) this.#sleeper.wake();
  }

  /** Takes the project over: `head` is the last revision in the log, −1 for none. */
  open(head: number): void {
    this.#seen = Math.max(this.#seen, head);
    this.#run();
  }

  /** Leaves the project to the projector that owns it now, if that is another one. */
  yield(): void {
    if (this.#context.owns(this.projectId)) return;
    this.#lookOn();
    this.#movedAt = performance.now();
  }

  /** Looks again at what only an operator can change: paused views, and a history that did not match. */
  refresh(): void {
    this.#rest();
    if (this.failure !== null && !(this.failure instanceof HistoryMismatch)) return;
    if (this.failure === null && !this.hasPausedView) return;
    this.#forget();
    this.#checked = this.failure === null;
    this.#run(true);
  }

  /** Of the many projects that a projector has met few are busy, and their definitions are large: the next batch reads them again. */
  #rest(): void {
    if (this.#running === null && performance.now() - this.#movedAt > REST_MS) this.#memory = null;
  }

  /** Whether all views reflect `revision`, waiting for it `timeoutMs` at most. A paused view answers no, once the others are there. */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.#viewsAt() >= revision) return Promise.resolve(!this.hasPausedView);
    if (this.failure !== null || this.#closed) return Promise.resolve(false);
    const reached = this.#waiters.wait(revision, timeoutMs);
    this.#sleeper.wake();
    return reached;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sleeper.wake();
    this.#waiters.giveUp();
    await this.#running;
  }

  #run(again = false): void {
    if (this.#running !== null || this.#closed) return;
    this.#movedAt = performance.now();
    this.yield();
    this.#running = this.#work(again).finally(() => {
      this.#running = null;
      if (this.#hasWork()) this.#run();
    });
  }

  #hasWork(): boolean {
    if (this.#closed || this.failure !== null) return false;
    return this.#standing === null || this.#seen > this.#standing.revision || this.#lagging().length > 0;
  }

  async #work(again: boolean): Promise<void> {
    let first = again;
    while (first || this.#hasWork()) {
      first = false;
      try {
        await this.#step();
        this.#attempts = 0;
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  async #step(): Promise<void> {
    const standing = this.#standing === null || this.#passive ? await this.#look() : this.#standing;
    if (this.#passive) return;
    await this.#linger(standing);
    if (this.#closed) return;
    const events = await this.#take(standing.revision + 1);
    await this.#context.gate(async () => {
      await this.#write(standing, events);
      await this.#catchUpViews();
    });
  }

  /** Reads the standing. A passive lane does so at intervals, and becomes active when nobody has moved the checkpoint for a while. */
  async #look(): Promise<Standing> {
    if (this.#passive && this.#standing !== null) await this.#sleeper.sleep(this.#waiters.size > 0 ? LINGER_MS : RIVAL_MS);
    const standing = await this.#context.gate(() => this.#open());
    if (this.failure !== null) this.#context.logger.info({ project: this.projectId }, 'the projection goes on');
    this.failure = null;
    if (standing.revision !== this.#standing?.revision) this.#movedAt = performance.now();
    this.#adopt(standing);
    const patience = this.#context.owns(this.projectId) ? RIVAL_MS : NOT_OURS_MS;
    if (performance.now() - this.#movedAt >= patience) this.#passive = false;
    this.#announce();
    return standing;
  }

  async #open(): Promise<Standing> {
    const standing = await readStanding(this.#context.pool, this.projectId).catch((error: unknown) => {
      // Its checkpoints are there, though they tell two histories: a restart finds the project by them.
      if (error instanceof HistoryMismatch) this.#known = true;
      throw error;
    });
    this.#known = true;
    if (!this.#checked) await this.#checkHistory(standing);
    return standing;
  }

  /** Two histories: the event at the checkpoint must be in the log, with the same hash. */
  async #checkHistory({ revision, hash }: Standing): Promise<void> {
    if (revision >= 0) {
      const [event] = await this.#context.log.read(projectStream(this.projectId), { from: revision, limit: 1, direction: 'forwards' });
      if (event === undefined) throw new HistoryMismatch(this.projectId, `the log has no revision ${revision}`);
      if (hashOf(event.metadata) !== hash) throw new HistoryMismatch(this.projectId, `revision ${revision} has another hash`);
    }
    this.#checked = true;
  }

  /** Lets a small batch grow, unless somebody waits. Views that wait for their next try wait here, too. */
  async #linger(standing: Standing): Promise<void> {
    const waiting = this.#seen - standing.revision;
    if (waiting > 0) return waiting >= ENOUGH || this.#waiters.size > 0 ? undefined : this.#sleeper.sleep(LINGER_MS);
    const next = Math.min(...this.#lagging().map(({ name }) => this.#retryAt.get(name) ?? 0));
    if (Number.isFinite(next)) await this.#sleeper.sleep(next - performance.now());
  }

  /** The next events in order: out of the queue, or out of the log where the queue has a gap. */
  async #take(next: number): Promise<readonly RecordedEvent[]> {
    this.#queue.passOver(next - 1);
    if (this.#seen < next) return [];
    const batch = this.#queue.take(next);
    if (batch.length > 0) return batch;
    const page = await this.#context.log.read(projectStream(this.projectId), { from: next, limit: BATCH_EVENTS, direction: 'forwards' });
    if (page.length === 0) throw new LogUnavailable(`the log of project ${this.projectId} does not answer from revision ${next}`);
    return page.slice(0, batchLength(page));
  }

  #lookOn(): void {
    this.#passive = true;
    this.#queue.clear();
  }

  async #write(standing: Standing, recorded: readonly RecordedEvent[]): Promise<void> {
    const { events, unknown } = decoded(recorded, takeDecoded);
    if (events.length > 0) await this.#writeEvents(standing, events);
    if (unknown !== null) throw unknown;
  }

  /** Everything in one transaction; when that fails, the state tables alone, and the views catch up one by one. */
  async #writeEvents(standing: Standing, events: readonly ProjectEvent[]): Promise<void> {
    const memory = this.#memory ?? (await this.#remember(standing));
    const inStep = viewsInStep(standing);
    const write = (projections: readonly Projection[]) =>
      this.#transaction(standing, (session) => writeBatch(session, projections, events, memory));
    let moved: readonly Projection[] = inStep;
    try {
      this.#memory = await write([...STATE_TABLES, ...inStep]);
    } catch (error) {
      if (error instanceof CheckpointMoved || inStep.length === 0) throw error;
      this.#context.logger.warn({ project: this.projectId, err: error }, 'a batch failed; its views are isolated');
      this.#memory = await write(STATE_TABLES);
      moved = [];
    }
    const last = events.at(-1);
    if (last !== undefined) this.#standing = advancedTo(standing, last, moved);
    this.#announce();
    this.#context.counters.events += events.length;
    this.#context.counters.batches += 1;
  }

  async #remember(standing: Standing): Promise<Memory> {
    const definitions = await this.#transaction(standing, async (session) => {
      // A rebuild may have switched to other tables since, and dropped these.
      await hold(session, ['definitions'], standing.revision);
      return loadDefinitions(session);
    });
    return { definitions, catalog: catalogOf(definitions) };
  }

  #transaction<T>(standing: Standing, work: (session: Session) => Promise<T>): Promise<T> {
    const patienceMs = Math.min(PATIENCE_MS * 2 ** this.#attempts, LONGEST_PATIENCE_MS);
    return transaction(this.#context.pool, this.projectId, standing.versions, work, patienceMs);
  }

  #lagging(): readonly Projection[] {
    return this.#standing === null ? [] : viewsBehind(this.#standing);
  }

  async #catchUpViews(): Promise<void> {
    for (const view of this.#lagging()) {
      if ((this.#retryAt.get(view.name) ?? 0) > performance.now()) continue;
      const standing = this.#standing;
      if (standing === null) return;
      this.#memory ??= await this.#remember(standing);
      const since = this.#stuckSince(view.name, standing);
      try {
        await catchUpView(view, this.projectId, standing, this.#memory, this.#context, LONGEST_PATIENCE_MS);
        this.#setView(view.name, { revision: standing.revision, failures: 0, paused: false });
      } catch (error) {
        if (error instanceof CheckpointMoved) throw error;
        await this.#viewFailed(view, standing, error, performance.now() - since);
      }
    }
  }

  #stuckSince(name: ProjectionName, standing: Standing): number {
    const revision = standing.views.get(name)?.revision ?? -1;
    const known = this.#stuck.get(name);
    if (known?.revision === revision) return known.since;
    const since = performance.now();
    this.#stuck.set(name, { revision, since });
    return since;
  }

  async #viewFailed(view: Projection, standing: Standing, error: unknown, failingMs: number): Promise<void> {
    const { pool, logger, counters } = this.#context;
    counters.failures += 1;
    const paused = !passes(error, failingMs) && (await noteFailure(pool, this.projectId, view, standing, error, Date.now()));
    const fields = { project: this.projectId, view: view.name, err: error };
    if (paused) logger.error(fields, 'a view is paused for this project; cure the cause, then savepoint rebuild <view>');
    else logger.warn(fields, 'a view could not be written and will be tried again');
    this.#retryAt.set(view.name, performance.now() + RETRY_MS);
    const place = standing.views.get(view.name);
    if (place) this.#setView(view.name, { ...place, paused });
    // What the view did manage to write before it failed is in its checkpoint.
    if (!view.derived) this.#adopt(await readStanding(pool, this.projectId));
    this.#announce();
  }

  #setView(name: ProjectionName, place: ViewPlace): void {
    if (this.#standing) this.#standing = withView(this.#standing, name, place);
    this.#announce();
  }

  #viewsAt(): number {
    return this.#standing === null ? -1 : shownBy(this.#standing);
  }

  #announce(): void {
    if (this.#standing === null) return;
    const { revision, hash } = this.#standing;
    this.#context.onProgress(this.projectId, { revision, hash });
    this.#waiters.reached(this.#viewsAt(), !this.hasPausedView);
  }

  #adopt(standing: Standing): void {
    if (standing.revision !== this.#standing?.revision) this.#memory = null;
    this.#standing = standing;
    this.#queue.passOver(standing.revision);
  }

  #forget(): void {
    this.#standing = null;
    this.#memory = null;
  }

  async #failed(error: unknown): Promise<void> {
    this.#memory = null;
    if (error instanceof CheckpointMoved) {
      this.#standing = null;
      this.#lookOn();
      return;
    }
    if (error instanceof UnknownEvent || error instanceof HistoryMismatch) return this.#stop(error);
    this.#context.counters.failures += 1;
    this.#attempts += 1;
    this.#standing = null;
    // What waits in memory can be read again; a project in trouble must not hold the memory of the others.
    this.#queue.clear();
    this.#context.logger.error(
      { project: this.projectId, err: error, attempt: this.#attempts },
      'a batch could not be written and will be tried again',
    );
    if (!this.#closed) await this.#sleeper.sleep(Math.min(RETRY_MS * 2 ** (this.#attempts - 1), LONGEST_RETRY_MS));
  }

  #stop(error: Error): void {
    if (this.failure?.message !== error.message) {
      this.#context.logger.error({ project: this.projectId, err: error }, 'the projection of this project stopped');
    }
    this.failure = error;
    this.#queue.clear();
    this.#waiters.giveUp();
  }
}
