import type { ProjectEvent } from '../../src/domain/events.ts';
import { errorMessage } from '../../src/kernel/error-reporting.ts';
import { isUnreadable, LinkedDecoder } from '../../src/log/decode.ts';
import { checkpointHash, linkAfter } from '../../src/log/foreign.ts';
import { LogUnavailable, type RecordedEvent } from '../../src/log/port.ts';
import { projectStream } from '../../src/log/streams.ts';
import { catalogOf } from '../catalog.ts';
import { advancedTo, type CheckpointSet, pausedViews, shownBy, type ViewCheckpoint, viewsInStep, withView } from '../checkpoint-set.ts';
import { CheckpointMoved, HistoryMismatch, lockCheckpoints, readCheckpoints } from '../checkpoints.ts';
import { noteForeign } from '../foreign-events.ts';
import { loadDefinitions } from '../models/definitions/projection.ts';
import { STATE_TABLES } from '../registry.ts';
import type { ProjectionName, Transaction, Versions } from '../tables.ts';
import { transaction } from '../transaction.ts';
import { type Memory, writeInStep } from '../write.ts';
import { BackgroundViews, type Host } from './background-views.ts';
import { BATCH_EVENTS, batchLength, decoded } from './batch-slicing.ts';
import type { WorkerContext } from './context.ts';
import { EventQueue } from './event-queue.ts';
import { Sleeper } from './sleeper.ts';
import { hasFallenBehind } from './turns.ts';
import { isTransient, MAX_TIMEOUT_MS } from './views.ts';
import { Waiters } from './waiters.ts';

/** With this many waiting events a batch is full and does not wait for more. */
const FULL_BATCH = 500;
const BATCH_WAIT_MS = 50;
/** The longest time that a batch waits for views that have nearly caught up. */
const JOIN_MS = 300;
/** The time limit of the views in a batch, ms. */
const VIEWS_TIMEOUT_MS = 1_000;
/** Views are slow that take longer than this and longer than the state tables. */
const SLOW_MS = 100;
/** The number of slow batches in a row after which the views count as slow. A single batch may only have waited for the page of a fill. */
const SLOW_BATCHES = 3;
/** A worker whose waiting events have more characters than this accepts no more, nor does any while those of all have more in all. */
const MAX_QUEUED = 4 * 1024 * 1024;
const MAX_QUEUED_IN_ALL = 16 * 1024 * 1024;
/** A passive worker takes over a project of its own shard when the checkpoint has not moved for this long. It polls as often. */
const TAKE_OVER_MS = 200;
/**
 * A worker takes over a project of another shard when the checkpoint has not moved for this long. The owner may only be slow, and an owner
 * that is gone loses its shard after about the same time.
 */
const FOREIGN_TAKE_OVER_MS = 2_500;
const RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** How long the definitions of a project are kept in memory for its next batch. */
const FORGET_MS = 60_000;
/** Time limit of a batch at the first try. It doubles with each try, because a large batch may need longer. */
const TIMEOUT_MS = 6_000;

/**
 * The worker of one project in the projector. It is *idle* or *running*: opening (it reads the checkpoints, and checks once that the log
 * holds the same history), writing batches, or catching views up. It is *passive* if another projector moved its checkpoint or owns the
 * project: it then only polls, and takes over when the checkpoint does not move although events wait, or it owns the project. It *stops* at
 * an event that it cannot read, or at a second history. Everything else is tried again for ever, because state tables skip no event.
 */
export class ProjectWorker {
  readonly projectId: string;
  /** Why the worker stopped. */
  failure: Error | null = null;
  readonly #context: WorkerContext;
  readonly #sleeper = new Sleeper();
  readonly #waiters = new Waiters();
  readonly #background: BackgroundViews;
  readonly #queue: EventQueue;
  #offeredTo = -1;
  #checkpoints: CheckpointSet | null = null;
  /** Whether the checkpoints must be read again. */
  #isStale = false;
  #versions: Versions = new Map();
  #memory: Memory | null = null;
  #hasCheckpoints = false;
  #isHistoryChecked = false;
  #passive = false;
  /** When a passive worker last saw the checkpoint move, or became passive. `performance.now()`, because the wall clock may be set back. */
  #movedAt = 0;
  #attempts = 0;
  /** The number of batches in a row in which the views were slow. */
  #slowBatches = 0;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(projectId: string, context: WorkerContext) {
    this.projectId = projectId;
    this.#context = context;
    this.#queue = new EventQueue(context.tally);
    const host: Host = {
      projectId,
      checkpoints: () => (this.#passive || this.#isStale || this.failure !== null ? null : this.#checkpoints),
      catalog: () => this.#memory?.catalog ?? null,
      isBehind: () => this.#isBehind,
      viewAdvanced: (name, checkpoint) => this.#viewAdvanced(name, checkpoint),
      recheck: () => this.#recheck(),
    };
    this.#background = new BackgroundViews(host, context);
  }

  /** Revision of the state tables; −1 before the first event, or before the worker was opened. */
  get revision(): number {
    return this.#checkpoints?.revision ?? -1;
  }

  /** The revision up to which state tables and views show everything, without paused views; −1 while nothing is known. */
  get shown(): number {
    return this.#checkpoints === null ? -1 : shownBy(this.#checkpoints);
  }

  /** Characters of event data held in memory. */
  get queued(): number {
    return this.#queue.characters;
  }

  /** Whether the project has events but no checkpoints yet. After a restart it would not be found. */
  get isNew(): boolean {
    return this.#offeredTo >= 0 && !this.#hasCheckpoints;
  }

  /** Views that are paused for this project. */
  get pausedViews(): number {
    return this.#checkpoints === null ? 0 : pausedViews(this.#checkpoints);
  }

  /** Boards of this project that are being filled. */
  get buildingBoards(): number {
    return this.#background.building;
  }

  /** The number of events in the state tables that the slowest view lacks. */
  get viewLag(): number {
    if (this.#checkpoints === null) return 0;
    const { views, revision } = this.#checkpoints;
    return Math.max(0, ...[...views.values()].map((view) => revision - view.revision));
  }

  get hasPausedView(): boolean {
    return this.pausedViews > 0;
  }

  /** Takes consecutive events of the stream from the log follower. Ignores events that are already written. */
  offer(events: readonly RecordedEvent[]): void {
    const last = events.at(-1);
    if (last === undefined || this.#closed) return;
    this.#context.neighbours.used(this.projectId);
    // A stopped or passive worker notes the revision, too, because nobody repeats it when the worker resumes. It keeps no events, because
    // it can read them from the log.
    this.#offeredTo = Math.max(this.#offeredTo, last.revision);
    if (this.failure === null && !this.#passive) this.#enqueue(events);
    this.#run();
  }

  /** Events beyond the memory limits are dropped here and read from the log later, so that no other worker waits for this one. */
  #enqueue(events: readonly RecordedEvent[]): void {
    const isFull = this.queued > MAX_QUEUED || this.#context.tally.characters > MAX_QUEUED_IN_ALL;
    if (!isFull) this.#queue.add(events, this.revision);
    if (this.#queue.length >= FULL_BATCH || this.#waiters.size > 0) this.#sleeper.wake();
  }

  /** Takes the project over. `head`: the last revision in the log, −1 for none. */
  open(head: number): void {
    this.#offeredTo = Math.max(this.#offeredTo, head);
    this.#run();
  }

  /** Leaves the project to another projector if that one owns it now. */
  yield(): void {
    if (this.#context.owns(this.projectId)) return;
    this.#becomePassive();
    this.#movedAt = performance.now();
  }

  /** The division of projects has changed: leaves the project to another, or takes over what it did, also where no event comes. */
  divided(): void {
    this.yield();
    if (this.#hasWork()) this.#run();
  }

  /** Checks again what only an operator can change: paused views, and a history that did not match. */
  refresh(): void {
    this.#forgetIdle();
    if (this.failure !== null && !(this.failure instanceof HistoryMismatch)) return;
    if (this.failure === null && !this.hasPausedView) return;
    this.#recheck();
  }

  #recheck(): void {
    this.#isStale = true;
    this.#isHistoryChecked = this.failure === null;
    this.#run(true);
  }

  /**
   * Forgets the definitions after a while: a projector meets many projects of which few are busy, and definitions are large. The next batch
   * reads them again.
   */
  #forgetIdle(): void {
    if (this.#running === null && performance.now() - this.#movedAt > FORGET_MS) this.#memory = null;
  }

  /**
   * Whether all views reflect `revision`; waits up to `timeoutMs` for it. False for a project with a paused view, once the others have
   * arrived there.
   */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.shown >= revision) return Promise.resolve(!this.hasPausedView);
    if (this.failure !== null || this.#closed) return Promise.resolve(false);
    const reached = this.#waiters.wait(revision, timeoutMs);
    this.#sleeper.wake();
    if (this.#passive) this.#run();
    return reached;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sleeper.wake();
    this.#waiters.giveUp();
    await this.#background.close();
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
    // Polls, because another projector moves the views and does not notify a passive worker. One that owns the project takes it over:
    // views may be behind and lists half filled, though no event comes.
    if (this.#passive && (this.#waiters.size > 0 || this.#context.owns(this.projectId))) return true;
    return this.#checkpoints === null || this.#isStale || this.#offeredTo > this.#checkpoints.revision;
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
    const checkpoints = this.#checkpoints === null || this.#isStale || this.#passive ? await this.#refreshCheckpoints() : this.#checkpoints;
    if (this.#passive) return;
    await this.#waitForMore(checkpoints);
    if (this.#closed) return;
    const events = await this.#nextEvents(checkpoints.revision + 1);
    // The present checkpoints, because views may have caught up meanwhile. Otherwise a view would join only while the project rests.
    await this.#context.gate.run(this.projectId, () => this.#write(this.#checkpoints ?? checkpoints, events));
  }

  /** Reads the checkpoints. A passive worker polls them, and becomes active when nobody has moved them for a while. */
  async #refreshCheckpoints(): Promise<CheckpointSet> {
    if (this.#passive && this.#checkpoints !== null) await this.#sleeper.sleep(this.#waiters.size > 0 ? BATCH_WAIT_MS : TAKE_OVER_MS);
    this.#isStale = false;
    const checkpoints = await this.#context.gate.run(this.projectId, () => this.#open());
    if (this.failure !== null) this.#context.logger.info({ project: this.projectId }, 'the projection resumed');
    this.failure = null;
    if (checkpoints.revision !== this.#checkpoints?.revision) this.#movedAt = performance.now();
    this.#adopt(checkpoints);
    const waitMs = this.#context.owns(this.projectId) ? TAKE_OVER_MS : FOREIGN_TAKE_OVER_MS;
    if (performance.now() - this.#movedAt >= waitMs) this.#passive = false;
    this.#announce();
    this.#background.wake(true);
    return checkpoints;
  }

  async #open(): Promise<CheckpointSet> {
    const checkpoints = await readCheckpoints(this.#context.pool, this.projectId).catch((error: unknown) => {
      // The project has checkpoints, even if the histories differ, so it will be found after a restart.
      if (error instanceof HistoryMismatch) this.#hasCheckpoints = true;
      throw error;
    });
    this.#hasCheckpoints = true;
    if (!this.#isHistoryChecked) await this.#checkHistory(checkpoints);
    return checkpoints;
  }

  /** Checks for a second history: the event at the checkpoint must be in the log, with the same hash. */
  async #checkHistory({ revision, hash }: CheckpointSet): Promise<void> {
    if (revision >= 0) {
      const [event] = await this.#context.log.read(projectStream(this.projectId), { from: revision, limit: 1, direction: 'forwards' });
      if (event === undefined) throw new HistoryMismatch(this.projectId, `the log has no revision ${revision}`);
      if (checkpointHash(event) !== hash) throw new HistoryMismatch(this.projectId, `revision ${revision} has another hash`);
    }
    this.#isHistoryChecked = true;
  }

  /**
   * Waits for a small batch to grow, unless somebody waits for it. Waits also for views that have nearly caught up, so that the batch can
   * include them: while events keep coming, they would miss each batch by the next one.
   */
  async #waitForMore(checkpoints: CheckpointSet): Promise<void> {
    const waiting = this.#offeredTo - checkpoints.revision;
    if (waiting === 0) return;
    const until = performance.now() + JOIN_MS;
    const mayJoin = () => !this.#closed && !this.#isBehind && this.#background.isNear && performance.now() < until;
    if (!mayJoin() && waiting < FULL_BATCH && this.#waiters.size === 0) return this.#sleeper.sleep(BATCH_WAIT_MS);
    while (mayJoin()) await this.#sleeper.sleep(until - performance.now());
  }

  /** The next events in order: from the queue, or from the log where the queue has a gap. */
  async #nextEvents(next: number): Promise<readonly RecordedEvent[]> {
    this.#queue.passOver(next - 1);
    if (this.#offeredTo < next) return [];
    const batch = this.#queue.take(next);
    if (batch.length > 0) return batch;
    const page = await this.#context.log.read(projectStream(this.projectId), { from: next, limit: BATCH_EVENTS, direction: 'forwards' });
    if (page.length === 0) throw new LogUnavailable(`the log of project ${this.projectId} does not answer from revision ${next}`);
    return page.slice(0, batchLength(page));
  }

  #becomePassive(): void {
    this.#passive = true;
    this.#queue.clear();
  }

  async #write(checkpoints: CheckpointSet, recorded: readonly RecordedEvent[]): Promise<void> {
    const chain = new LinkedDecoder(await linkAfter(this.#context.log, projectStream(this.projectId), checkpoints));
    const { events, unknown } = decoded(recorded, (event) => chain.take(event));
    await this.#tellForeign(recorded.slice(0, events.length));
    if (events.length > 0) await this.#writeEvents(checkpoints, events);
    if (unknown !== null) throw unknown;
  }

  /** Nobody else meets every event of every project. They are noted for `doctor` before the checkpoint passes them. */
  async #tellForeign(recorded: readonly RecordedEvent[]): Promise<void> {
    const foreign = await noteForeign(this.#context.pool, this.projectId, recorded);
    this.#context.counters.foreign += foreign.length;
    const [first] = foreign;
    if (first === undefined) return;
    const fields = { project: this.projectId, revision: first.revision, type: first.type, events: foreign.length };
    this.#context.logger.error(fields, 'another program wrote to the stream of this project; what it wrote is passed over');
  }

  /**
   * Writes everything in one transaction. The views in step come last and have a short time limit; what they do not finish is done in the
   * background. They are left out after a failure of the state tables, or when the state tables fall behind because of them.
   */
  async #writeEvents(checkpoints: CheckpointSet, events: readonly ProjectEvent[]): Promise<void> {
    const memory = this.#memory ?? (await this.#remember(checkpoints));
    const views = this.#attempts > 0 || this.#areViewsTooSlow ? [] : viewsInStep(checkpoints);
    const options = { timeoutMs: VIEWS_TIMEOUT_MS, atOnce: this.#context.atOnce };
    const written = await this.#transaction(checkpoints, (tx) => writeInStep(tx, { states: STATE_TABLES, views }, events, memory, options));
    const { failure, stateMs, viewsMs } = written;
    this.#memory = written.memory;
    this.#slowBatches = viewsMs > Math.max(stateMs, SLOW_MS) ? this.#slowBatches + 1 : 0;
    if (failure !== null) {
      const why = isTransient(failure, 0) ? { reason: errorMessage(failure) } : { err: failure };
      this.#context.logger.warn({ project: this.projectId, ...why }, 'the views of a batch are written in the background');
    }
    const last = events.at(-1);
    // Advances the present checkpoints, because other views may have caught up meanwhile.
    if (last !== undefined) this.#checkpoints = advancedTo(this.#checkpoints ?? checkpoints, last, failure === null ? views : []);
    this.#announce();
    this.#context.counters.events += events.length;
    this.#context.counters.batches += 1;
    if (failure instanceof CheckpointMoved) this.#adopt(await readCheckpoints(this.#context.pool, this.projectId));
    this.#background.wake(written.memory.catalog !== memory.catalog);
  }

  /** Whether the views take so long that the state tables fall behind. */
  get #areViewsTooSlow(): boolean {
    return this.#slowBatches >= SLOW_BATCHES && this.#isBehind;
  }

  get #isBehind(): boolean {
    return hasFallenBehind(this.#offeredTo, this.revision);
  }

  async #remember(checkpoints: CheckpointSet): Promise<Memory> {
    const definitions = await this.#transaction(checkpoints, async (tx) => {
      // Locks the checkpoint, because a rebuild may have switched and dropped these tables.
      await lockCheckpoints(tx, ['definitions'], checkpoints.revision);
      return loadDefinitions(tx);
    });
    return { definitions, catalog: catalogOf(definitions) };
  }

  #transaction<T>(checkpoints: CheckpointSet, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const timeoutMs = Math.min(TIMEOUT_MS * 2 ** this.#attempts, MAX_TIMEOUT_MS);
    return transaction(this.#context.pool, this.projectId, checkpoints.versions, work, timeoutMs);
  }

  #viewAdvanced(name: ProjectionName, checkpoint: ViewCheckpoint): void {
    if (this.#checkpoints === null) return;
    this.#checkpoints = withView(this.#checkpoints, name, checkpoint);
    this.#announce();
    // A batch may be waiting for this view.
    this.#sleeper.wake();
  }

  #announce(): void {
    if (this.#checkpoints === null) return;
    const { revision, hash } = this.#checkpoints;
    this.#context.onProgress(this.projectId, { revision, hash });
    this.#waiters.reached(this.shown, !this.hasPausedView);
  }

  #adopt(checkpoints: CheckpointSet): void {
    if (checkpoints.revision !== this.#checkpoints?.revision) this.#memory = null;
    // A rebuilt view need not pause any longer.
    if ([...checkpoints.versions].some(([name, version]) => this.#versions.get(name) !== version)) this.#background.retryNow();
    this.#versions = checkpoints.versions;
    this.#checkpoints = checkpoints;
    this.#queue.passOver(checkpoints.revision);
  }

  async #failed(error: unknown): Promise<void> {
    this.#memory = null;
    if (error instanceof CheckpointMoved) {
      this.#checkpoints = null;
      this.#becomePassive();
      return;
    }
    if (isUnreadable(error) || error instanceof HistoryMismatch) return this.#stop(error);
    this.#context.counters.failures += 1;
    this.#attempts += 1;
    this.#checkpoints = null;
    // The queue can be read from the log again. A failing project must not use up the memory of the others.
    this.#queue.clear();
    this.#context.logger.error(
      { project: this.projectId, err: error, attempt: this.#attempts },
      'a batch could not be written and will be tried again',
    );
    if (!this.#closed) await this.#sleeper.sleep(Math.min(RETRY_MS * 2 ** (this.#attempts - 1), MAX_RETRY_MS));
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
