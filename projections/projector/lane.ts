import type { ProjectEvent } from '../../src/domain/events.ts';
import { hashOf } from '../../src/log/chain.ts';
import { takeDecoded, UnknownEvent } from '../../src/log/decode.ts';
import { LogUnavailable, type RecordedEvent } from '../../src/log/port.ts';
import { projectStream } from '../../src/log/streams.ts';
import { catalogOf } from '../catalog.ts';
import { CheckpointMoved, HistoryMismatch, hold, readStanding } from '../checkpoints.ts';
import { loadDefinitions } from '../models/definitions/project.ts';
import { STATE_TABLES } from '../registry.ts';
import { advancedTo, pausedViews, type Standing, shownBy, type ViewPlace, viewsInStep, withView } from '../standing.ts';
import type { ProjectionName, Session, Versions } from '../tables.ts';
import { transaction } from '../transaction.ts';
import { type Memory, writeInStep } from '../write.ts';
import { Beside, type Host } from './beside.ts';
import type { LaneContext } from './context.ts';
import { BATCH_EVENTS, batchLength, decoded } from './cut.ts';
import { EventQueue } from './event-queue.ts';
import { Sleeper } from './sleeper.ts';
import { LONGEST_PATIENCE_MS } from './views.ts';
import { Waiters } from './waiters.ts';

/** With this many events waiting, waiting for more gains nothing. */
const ENOUGH = 500;
const LINGER_MS = 50;
/** The time that the views of a batch may take, ms. */
const VIEWS_PATIENCE_MS = 1_000;
/** Views that take longer than this, and than the state tables, are slow. */
const SLOW_MS = 100;
/** With this many events waiting, the state tables have fallen behind. */
const MANY = 2_000;
/**
 * A lane with more characters of waiting events than this takes no more; nor does any lane while all together hold more than `ALL_QUEUED`.
 */
const QUEUED = 4 * 1024 * 1024;
const ALL_QUEUED = 16 * 1024 * 1024;
/** How long the checkpoint must not have moved before a passive lane takes over a project that is its own, and how often it looks. */
const RIVAL_MS = 200;
/**
 * How long the checkpoint must not have moved before this projector takes over another's project. The owner may only be slow, and one that
 * is gone loses its share after about this time anyway.
 */
const NOT_OURS_MS = 2_500;
const RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** How long the definitions of a project are kept in memory for its next batch. */
const REST_MS = 60_000;
/** Time limit of a batch at its first try. It doubles for each further try, because a large batch may really need longer. */
const PATIENCE_MS = 6_000;

/**
 * The worker of one project in the projector. It is *idle*, or *running*: opening (it reads the standing, and checks once that the log
 * holds the same history), writing batches, or catching views up. It is *passive* if another projector moved its checkpoint or owns the
 * project. Then it only looks on, and takes over when the checkpoint does not move although events wait. It *stops* for an event that it
 * cannot read, or for a second history. Everything else is tried again for ever, because state tables skip nothing.
 */
export class Lane {
  readonly projectId: string;
  /** Why the lane stopped. */
  failure: Error | null = null;
  readonly #context: LaneContext;
  readonly #sleeper = new Sleeper();
  readonly #waiters = new Waiters();
  readonly #beside: Beside;
  readonly #queue: EventQueue;
  #seen = -1;
  #standing: Standing | null = null;
  /** Whether the standing must be read again. */
  #isStale = false;
  #versions: Versions = new Map();
  #memory: Memory | null = null;
  #known = false;
  #checked = false;
  #passive = false;
  /** When a passive lane last saw the checkpoint move, or became passive (`performance.now()`, because the wall clock may be set back). */
  #movedAt = 0;
  #attempts = 0;
  /** Whether the views of the last batch took long. */
  #areSlow = false;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(projectId: string, context: LaneContext) {
    this.projectId = projectId;
    this.#context = context;
    this.#queue = new EventQueue(context.tally);
    const host: Host = {
      projectId,
      standing: () => (this.#passive || this.#isStale || this.failure !== null ? null : this.#standing),
      catalog: () => this.#memory?.catalog ?? null,
      isPressed: () => this.#isPressed,
      moved: (name, place) => this.#moved(name, place),
      lookAgain: () => this.#lookAgain(),
    };
    this.#beside = new Beside(host, context);
  }

  /** Revision of the state tables; −1 before the first event, or before the lane was opened. */
  get revision(): number {
    return this.#standing?.revision ?? -1;
  }

  /** Characters of event data held in memory. */
  get queued(): number {
    return this.#queue.characters;
  }

  /** Whether the project has events and no checkpoints yet. After a restart it would not be found. */
  get isNew(): boolean {
    return this.#seen >= 0 && !this.#known;
  }

  /** Views that are paused for this project. */
  get pausedViews(): number {
    return this.#standing === null ? 0 : pausedViews(this.#standing);
  }

  /** Boards of this project that are being filled. */
  get buildingBoards(): number {
    return this.#beside.building;
  }

  /** How many events of those in the state tables the slowest view lacks. */
  get viewLag(): number {
    if (this.#standing === null) return 0;
    const { views, revision } = this.#standing;
    return Math.max(0, ...[...views.values()].map((view) => revision - view.revision));
  }

  get hasPausedView(): boolean {
    return this.pausedViews > 0;
  }

  /** Takes consecutive events of the stream, as they were followed. Those already written are ignored. */
  offer(events: readonly RecordedEvent[]): void {
    const last = events.at(-1);
    if (last === undefined || this.#closed) return;
    // Done also by a lane that has stopped or is passive, because nobody tells it again when it goes on. It keeps no events: what it lacks
    // is in the log.
    this.#seen = Math.max(this.#seen, last.revision);
    if (this.failure === null && !this.#passive) this.#enqueue(events);
    this.#run();
  }

  /** What exceeds its share of memory is not kept. It is in the log, and nobody else waits until it is written. */
  #enqueue(events: readonly RecordedEvent[]): void {
    const isFull = this.queued > QUEUED || this.#context.tally.characters > ALL_QUEUED;
    if (!isFull) this.#queue.add(events, this.revision);
    if (this.#queue.length >= ENOUGH || this.#waiters.size > 0) this.#sleeper.wake();
  }

  /** Takes the project over. `head`: the last revision in the log, −1 for none. */
  open(head: number): void {
    this.#seen = Math.max(this.#seen, head);
    this.#run();
  }

  /** Leaves the project to another projector if that owns it now. */
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
    this.#lookAgain();
  }

  #lookAgain(): void {
    this.#isStale = true;
    this.#checked = this.failure === null;
    this.#run(true);
  }

  /**
   * Forgets the definitions after a while. A projector meets many projects of which few are busy, and definitions are large. The next batch
   * reads them again.
   */
  #rest(): void {
    if (this.#running === null && performance.now() - this.#movedAt > REST_MS) this.#memory = null;
  }

  /**
   * Whether all views reflect `revision`; waits for it for at most `timeoutMs`. False for a project with a paused view, once the others are
   * there.
   */
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
    await this.#beside.close();
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
    return this.#standing === null || this.#isStale || this.#seen > this.#standing.revision;
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
    const standing = this.#standing === null || this.#isStale || this.#passive ? await this.#look() : this.#standing;
    if (this.#passive) return;
    await this.#linger(standing);
    if (this.#closed) return;
    const events = await this.#take(standing.revision + 1);
    await this.#context.gate.run(this.projectId, () => this.#write(standing, events));
  }

  /** Reads the standing. A passive lane does so at intervals, and becomes active when nobody has moved the checkpoint for a while. */
  async #look(): Promise<Standing> {
    if (this.#passive && this.#standing !== null) await this.#sleeper.sleep(this.#waiters.size > 0 ? LINGER_MS : RIVAL_MS);
    this.#isStale = false;
    const standing = await this.#context.gate.run(this.projectId, () => this.#open());
    if (this.failure !== null) this.#context.logger.info({ project: this.projectId }, 'the projection goes on');
    this.failure = null;
    if (standing.revision !== this.#standing?.revision) this.#movedAt = performance.now();
    this.#adopt(standing);
    const patience = this.#context.owns(this.projectId) ? RIVAL_MS : NOT_OURS_MS;
    if (performance.now() - this.#movedAt >= patience) this.#passive = false;
    this.#announce();
    this.#beside.wake(true);
    return standing;
  }

  async #open(): Promise<Standing> {
    const standing = await readStanding(this.#context.pool, this.projectId).catch((error: unknown) => {
      // The project's checkpoints exist although the histories differ. So it will be found after a restart.
      if (error instanceof HistoryMismatch) this.#known = true;
      throw error;
    });
    this.#known = true;
    if (!this.#checked) await this.#checkHistory(standing);
    return standing;
  }

  /** Checks for a second history: the event at the checkpoint must be in the log, with the same hash. */
  async #checkHistory({ revision, hash }: Standing): Promise<void> {
    if (revision >= 0) {
      const [event] = await this.#context.log.read(projectStream(this.projectId), { from: revision, limit: 1, direction: 'forwards' });
      if (event === undefined) throw new HistoryMismatch(this.projectId, `the log has no revision ${revision}`);
      if (hashOf(event.metadata) !== hash) throw new HistoryMismatch(this.projectId, `revision ${revision} has another hash`);
    }
    this.#checked = true;
  }

  /**
   * Lets a small batch grow, unless somebody waits for it. It also waits for a view that has nearly caught up, so that the batch can
   * include it.
   */
  #linger(standing: Standing): Promise<void> {
    const waiting = this.#seen - standing.revision;
    const isUrgent = this.#waiters.size > 0 && !this.#beside.isNear;
    return waiting === 0 || waiting >= ENOUGH || isUrgent ? Promise.resolve() : this.#sleeper.sleep(LINGER_MS);
  }

  /** The next events in order: from the queue, or from the log where the queue has a gap. */
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

  /**
   * Writes everything in one transaction. The views that are in step come last and have little time; what they cannot do then is done
   * beside. They are left out when the state tables had a failure, or fall behind because of them.
   */
  async #writeEvents(standing: Standing, events: readonly ProjectEvent[]): Promise<void> {
    const memory = this.#memory ?? (await this.#remember(standing));
    const views = this.#attempts > 0 || this.#areTooSlow ? [] : viewsInStep(standing);
    const options = { patienceMs: VIEWS_PATIENCE_MS, atOnce: this.#context.atOnce };
    const written = await this.#transaction(standing, (session) =>
      writeInStep(session, { states: STATE_TABLES, views }, events, memory, options),
    );
    const { failure, stateMs, viewsMs } = written;
    this.#memory = written.memory;
    this.#areSlow = viewsMs > Math.max(stateMs, SLOW_MS);
    if (failure !== null) this.#context.logger.warn({ project: this.projectId, err: failure }, 'the views of a batch are written beside');
    const last = events.at(-1);
    // Other views may have caught up meanwhile.
    if (last !== undefined) this.#standing = advancedTo(this.#standing ?? standing, last, failure === null ? views : []);
    this.#announce();
    this.#context.counters.events += events.length;
    this.#context.counters.batches += 1;
    if (failure instanceof CheckpointMoved) this.#adopt(await readStanding(this.#context.pool, this.projectId));
    this.#beside.wake(written.memory.catalog !== memory.catalog);
  }

  /** Whether the views take so long that the state tables fall behind. */
  get #areTooSlow(): boolean {
    return this.#areSlow && this.#isPressed;
  }

  get #isPressed(): boolean {
    return this.#seen - this.revision > MANY;
  }

  async #remember(standing: Standing): Promise<Memory> {
    const definitions = await this.#transaction(standing, async (session) => {
      // A rebuild may have switched to other tables meanwhile, and dropped these.
      await hold(session, ['definitions'], standing.revision);
      return loadDefinitions(session);
    });
    return { definitions, catalog: catalogOf(definitions) };
  }

  #transaction<T>(standing: Standing, work: (session: Session) => Promise<T>): Promise<T> {
    const patienceMs = Math.min(PATIENCE_MS * 2 ** this.#attempts, LONGEST_PATIENCE_MS);
    return transaction(this.#context.pool, this.projectId, standing.versions, work, patienceMs);
  }

  #moved(name: ProjectionName, place: ViewPlace): void {
    if (this.#standing === null) return;
    this.#standing = withView(this.#standing, name, place);
    this.#announce();
    // A batch may be waiting for just this view.
    this.#sleeper.wake();
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
    // A view that was rebuilt need not wait any longer.
    if ([...standing.versions].some(([name, version]) => this.#versions.get(name) !== version)) this.#beside.hurry();
    this.#versions = standing.versions;
    this.#standing = standing;
    this.#queue.passOver(standing.revision);
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
    // What waits in memory can be read again. A project that fails must not use up the memory of the others.
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
