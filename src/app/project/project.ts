import { spaceOf } from '../../domain/access/context.ts';
import { EMPTY_DEFINITIONS } from '../../domain/definition/model/evolve.ts';
import type { ProjectEvent, Space } from '../../domain/events.ts';
import { NO_QUOTAS } from '../../domain/project/quotas.ts';
import type { AuthorityState, DefinitionsState, StateOf, SubjectKind } from '../../domain/states.ts';
import { AUTHORITY, DEFINITIONS, type Subject } from '../../domain/subjects.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { FreshRun } from '../../kernel/fresh-run.ts';
import type { Neighbours } from '../../kernel/neighbours.ts';
import type { RoundRobin } from '../../kernel/round-robin.ts';
import { type Scheduler, withDeadline } from '../../kernel/scheduler.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import { hashOf, NO_HASH } from '../../log/chain.ts';
import { decodeProjectEvent, LinkedDecoder, readProjectEvent, UnknownEvent } from '../../log/decode.ts';
import { checkpointHash, FOREIGN_HASH, lastSealed } from '../../log/foreign.ts';
import { type Log, LogUnavailable, type RecordedEvent } from '../../log/port.ts';
import { projectStream } from '../../log/streams.ts';
import type { DocumentKeys, StateReader } from '../ports/readers.ts';
import type { Command, Outcome } from './commit.ts';
import { ProjectQuotas } from './project-quotas.ts';
import { type SharedCache, type Version, WorkingSet } from './working-set.ts';
import { Writer, type WriterLimits, type WriterObserver } from './writer.ts';

/**
 * One project as this node has it open: its working set, its writer, and the tail of its stream.
 *
 * A loaded row is the state at the head, once later events are folded in, unless it is too old or too new:
 * - Too old: its checkpoint lies below the horizon that held when the load began. Changes in between may be forgotten here, so it is loaded
 * again. If every try finds it there, the read models went backwards, and the project is opened anew.
 * - Too new: its checkpoint lies above the head. The load waits until the tail has come that far.
 */

export interface ProjectOptions {
  readonly projectId: string;
  readonly log: Log;
  readonly reader: StateReader;
  readonly cache: SharedCache;
  readonly scheduler: Scheduler;
  readonly limits: WriterLimits;
  readonly observer: WriterObserver;
  /** The projects of the node. */
  readonly neighbours: Neighbours;
  /** The project stopped by itself. A later request opens it anew. */
  onStopped(reason: Refusal, isUnreadable: boolean): void;
}

/** The last revision of the stream, −1 for none, at the time when the log was asked. */
interface StreamEnd {
  readonly revision: number;
  readonly requestedAt: number;
}

type Pause = ReturnType<RoundRobin['pauses']>;

const PAGE = 1000;
const MAX_LOAD_ATTEMPTS = 5;
/** Number of subjects whose states are loaded at once when the window fills, and the shortest time between two such loads, ms. */
const HEAVIEST_PER_LOAD = 100;
const HEAVIEST_EVERY_MS = 100;

export class Project {
  readonly id: string;
  readonly set: WorkingSet;
  readonly writer: Writer;
  /** When this node last knew the head for certain, by the scheduler's monotonic clock, as all times here. */
  confirmedAt = Number.NEGATIVE_INFINITY;
  /** When the last request for it came. */
  lastUsedAt = 0;
  readonly quotas: ProjectQuotas;
  readonly #options: ProjectOptions;
  readonly #stream: string;
  /** Highest revision that the tail or a conflict has shown. */
  #knownEnd = -1;
  #stopped: Refusal | null = null;
  readonly #loading = new Map<Subject, Promise<void>>();
  readonly #keyReads = new SingleFlight<DocumentKeys>();
  readonly #keyReadBulkhead = new Bulkhead({ slots: 1, perKey: 1 });
  readonly #endReads: FreshRun<StreamEnd>;
  #catchingUp: Promise<void> | null = null;
  /** The pause that everyone who waits for the head shares. */
  #pausing: { readonly over: Promise<void>; end(): void } | null = null;
  /** When the heaviest subjects may be loaded next. Infinite while a load of them is under way. */
  #loadHeaviestFrom = Number.NEGATIVE_INFINITY;

  private constructor(options: ProjectOptions, horizon: number) {
    this.id = options.projectId;
    this.#options = options;
    this.#stream = projectStream(options.projectId);
    this.set = new WorkingSet(horizon, options.cache);
    this.#endReads = new FreshRun(() => this.#readEnd());
    this.quotas = new ProjectQuotas({
      projectId: this.id,
      stream: this.#stream,
      log: options.log,
      reader: options.reader,
      scheduler: options.scheduler,
      defaults: options.limits.quotas ?? NO_QUOTAS,
      head: () => this.set.head,
      staged: () => spaceOf({ nextData: 'isolated' }, this.definitions, 'next'),
      isClosed: () => this.#stopped !== null,
    });
    this.writer = new Writer({
      stream: this.#stream,
      log: options.log,
      set: this.set,
      scheduler: options.scheduler,
      limits: options.limits,
      observer: options.observer,
      isAlone: () => this.isAlone,
      load: (subjects) => this.load(subjects),
      refresh: () => this.refresh(),
      readGap: (to, found) => this.#readGap(to, found),
      idle: () => {
        this.#confirm(this.writer.sentAt);
        this.#refreshQuotas();
        this.#pausing?.end();
        if (this.#knownEnd > this.set.head) this.#catchUpSoon();
      },
      stop: (reason) => this.stop(reason),
    });
  }

  /**
   * Opens a project; `null` if the log has no such project, unless it is to be created. Throws a `Refusal` if log and read models disagree, and
   * 503 `BEHIND` while there are more events between them than this node may hold.
   */
  static async open(options: ProjectOptions, create = false): Promise<Project | null> {
    const checkpoint = await options.reader.checkpoint(options.projectId);
    const project = new Project(options, checkpoint?.revision ?? -1);
    try {
      if (checkpoint) await project.#checkHistory(checkpoint.revision, checkpoint.hash);
      const requestedAt = options.scheduler.monotonic();
      await project.#readGap(null, new Map());
      if (project.set.head < 0 && !create) return null;
      await project.load([AUTHORITY, DEFINITIONS]);
      await project.quotas.open(project.authority?.settings);
      project.set.opened();
      project.#confirm(requestedAt);
      return project;
    } catch (error) {
      // A single state left in the cache would keep the whole working set in memory. The next request opens the project again.
      project.set.close();
      throw error;
    }
  }

  /** Checks whether an operator changed the quotas: when the writer is idle, and when events of other nodes have come. */
  #refreshQuotas(): void {
    const settings = this.authority?.settings;
    // Opening quotas may read the log. If that fails, the next request opens the project anew.
    if (this.quotas.isOutdated(settings)) this.quotas.open(settings).catch(() => this.stop(refusal('STORAGE_UNAVAILABLE')));
  }

  /** A request for the project came. */
  used(): void {
    this.lastUsedAt = this.#options.scheduler.monotonic();
    this.#options.neighbours.used(this.id);
  }

  /** Whether no other project of this node is in use. */
  get isAlone(): boolean {
    return this.#options.neighbours.isAlone(this.id);
  }

  /** Whether the log is known to hold events that are not folded here. */
  get isBehind(): boolean {
    return this.#knownEnd > this.set.head;
  }

  get stopped(): Refusal | null {
    return this.#stopped;
  }

  get authority(): AuthorityState | null {
    return this.set.durable(AUTHORITY)?.state ?? null;
  }

  /** The definitions at the head. They are resident, so always in memory. */
  get definitions(): DefinitionsState {
    return this.set.durable(DEFINITIONS)?.state ?? EMPTY_DEFINITIONS;
  }

  execute<A>(command: Command<A>): Promise<Outcome<A>> {
    return this.writer.execute(command);
  }

  /** The durable state of a subject, loaded if it is not in memory. */
  read<K extends SubjectKind>(subject: Subject<K>): Awaitable<Version<StateOf[K]>> {
    const version = this.set.durable(subject);
    if (!version) return this.#readLoaded(subject);
    this.set.reads.hits += 1;
    return version;
  }

  async #readLoaded<K extends SubjectKind>(subject: Subject<K>): Promise<Version<StateOf[K]>> {
    // The subject is kept until it is handed out: the cache may be too small for all subjects being read, or even for this one.
    this.set.pin([subject]);
    try {
      await withDeadline(this.#options.scheduler, this.#deadline(), this.load([subject]), noAnswer);
      const loaded = this.set.durable(subject);
      if (loaded) return loaded;
    } finally {
      this.set.unpin([subject]);
    }
    throw this.#stopped ?? refusal('STORAGE_UNAVAILABLE');
  }

  /**
   * Keys from the tables. Documents that changed after the horizon are known here and may be missing in the answer. If the tables are ahead of
   * this node, it waits as in a load: a document that they no longer have may exist at this head. One collection of a project is read at a time,
   * once for all who ask meanwhile; a caller for whom the answer is too old sees that by its revision and asks again.
   */
  async documentKeys(space: Space, collection: string, most: number): Promise<DocumentKeys> {
    const until = this.#deadline();
    const reading = this.#keyReads.run(`${space}/${collection}/${most}`, null, () =>
      this.#keyReadBulkhead.run(collection, () => this.#options.reader.documentKeys(this.id, space, collection, most)),
    );
    const keys = await withDeadline(this.#options.scheduler, until, reading, noAnswer);
    if (keys.revision > this.set.head) await this.#reach(keys.revision, until);
    return keys;
  }

  /** Loads subjects into the working set. Concurrent loads of one subject share the work. */
  async load(subjects: readonly Subject[]): Promise<void> {
    this.set.reads.misses += subjects.length;
    // Each subject once: a second row would arrive after the first had used up the events on top of it.
    const mine = [...new Set(subjects)].filter((subject) => !this.set.durable(subject) && !this.#loading.has(subject));
    const others = subjects.map((subject) => this.#loading.get(subject)).filter((promise) => promise !== undefined);
    if (mine.length > 0) {
      const loading = this.#loadNow(mine).finally(() => {
        for (const subject of mine) this.#loading.delete(subject);
      });
      for (const subject of mine) this.#loading.set(subject, loading);
      others.push(loading);
    }
    await Promise.all(others);
  }

  async #loadNow(subjects: readonly Subject[]): Promise<void> {
    const floor = this.set.horizon;
    this.set.pin(subjects);
    try {
      await this.#loadFrom(subjects, floor);
    } finally {
      this.set.unpin(subjects);
    }
  }

  async #loadFrom(subjects: readonly Subject[], floor: number): Promise<void> {
    for (let attempt = 0; attempt < MAX_LOAD_ATTEMPTS; attempt += 1) {
      const { revision, states } = await this.#options.reader.load(this.id, subjects);
      if (revision > this.set.head) await this.reach(revision, this.#options.limits.deadlineMs);
      if (this.#stopped) throw this.#stopped;
      if (revision < floor) {
        await this.#options.scheduler.sleep(5);
        continue;
      }
      for (const [index, subject] of subjects.entries()) this.set.admit(subject, states[index] ?? null, revision, floor);
      return;
    }
    const reason = refusal('STORAGE_UNAVAILABLE', 'The read models of this project went backwards; it is being opened again');
    this.stop(reason);
    throw reason;
  }

  /** The state tables are known to be written up to `revision`. */
  projected(revision: number): void {
    this.set.moveHorizon(Math.min(revision, this.set.head));
  }

  /** Takes events of this project's stream from the node's tail, in order. Known events are skipped by revision. */
  onTail(events: readonly RecordedEvent[]): void {
    const last = events[events.length - 1];
    if (!last || last.revision <= this.set.head) return;
    this.#knownEnd = Math.max(this.#knownEnd, last.revision);
    if (this.writer.busy || this.#stopped) return;
    const first = events.find((event) => event.revision > this.set.head);
    if (first && first.revision === this.set.head + 1) {
      this.#foldForeign(events.filter((event) => event.revision >= first.revision));
      this.writer.foreignFolded();
      this.#loadHeaviestSoon();
      return;
    }
    this.#catchUpSoon();
  }

  /** The tail has no more events. What could not be folded when it came (an append was under way, or a read failed) is read now. */
  onCaughtUp(): void {
    // The last events may have filled the window too.
    this.#loadHeaviestSoon();
    if (this.isBehind && !this.writer.busy && !this.#stopped) this.#catchUpSoon();
  }

  /** Waits until the head has reached `revision`; reads the log instead of waiting for the tail. Throws 503 after `timeoutMs`. */
  reach(revision: number, timeoutMs: number): Promise<void> {
    return this.#reach(revision, this.#options.scheduler.monotonic() + timeoutMs);
  }

  async #reach(revision: number, until: number): Promise<void> {
    while (this.set.head < revision) {
      if (this.#stopped) throw this.#stopped;
      if (this.#options.scheduler.monotonic() > until) throw refusal('STORAGE_UNAVAILABLE', 'This node has not reached that position yet');
      this.#knownEnd = Math.max(this.#knownEnd, revision);
      if (!this.writer.busy) await this.#catchUp().catch(unlessRefused);
      if (this.set.head < revision) await this.#pause();
    }
  }

  /** Resolves when the append under way has ended, or after 5 ms. */
  #pause(): Promise<void> {
    if (this.#pausing !== null) return this.#pausing.over;
    const ending = new AbortController();
    const over = this.#options.scheduler.sleep(5, ending.signal).then(() => {
      this.#pausing = null;
    });
    this.#pausing = { over, end: () => ending.abort() };
    return over;
  }

  /**
   * Goes to `revision` if the log has come that far. A watermark beyond the log's end is invalid and is not waited for. Throws 503 when a request
   * that begins now must be answered.
   */
  async seek(revision: number): Promise<void> {
    const until = this.#deadline();
    const { revision: end, requestedAt } = await withDeadline(this.#options.scheduler, until, this.#endReads.run(), noAnswer);
    const target = Math.min(revision, end);
    if (target > this.set.head) await this.#reach(target, until);
    if (this.set.head >= end) this.#confirm(requestedAt);
  }

  /** Folds everything that was stored before the call, by whichever node. Those who call at once share one question to the log. */
  refresh(): Promise<void> {
    return this.seek(Number.MAX_SAFE_INTEGER);
  }

  /** When a request that begins now must be answered. */
  #deadline(): number {
    return this.#options.scheduler.monotonic() + this.#options.limits.deadlineMs;
  }

  async #readEnd(): Promise<StreamEnd> {
    const requestedAt = this.#options.scheduler.monotonic();
    const head = await this.#options.log.head(this.#stream);
    return { revision: head?.revision ?? -1, requestedAt };
  }

  /**
   * Events as the log has them now, forwards from a revision: data may have been redacted since they were folded. `pause` is called before each is
   * decoded; see {@link RoundRobin.pauses}.
   */
  async history(from: number, limit: number, pause: Pause = () => null): Promise<readonly ProjectEvent[]> {
    const events: ProjectEvent[] = [];
    for (const event of await this.#options.log.read(this.#stream, { from, limit, direction: 'forwards' })) {
      const turn = pause();
      if (turn !== null) await turn;
      events.push(readProjectEvent(event));
    }
    return events;
  }

  /** `isUnreadable`: an event of the log is the reason, so to open the project again is of no use before something is done. */
  stop(reason: Refusal, isUnreadable = false): void {
    if (this.#stopped) return;
    this.#stopped = reason;
    this.writer.stop(reason);
    this.#options.onStopped(reason, isUnreadable);
  }

  #catchUpSoon(): void {
    this.#catchUp().catch((error: unknown) => {
      if (error instanceof Refusal) this.stop(error);
      // The log cannot be reached. The next tail step or append tries again.
    });
  }

  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#readPages().finally(() => {
      this.#catchingUp = null;
    });
    return this.#catchingUp;
  }

  /** Reads from the head on, as long as no append of this node is under way: an append finds the gap itself. */
  async #readPages(): Promise<void> {
    let rest: readonly RecordedEvent[] = [];
    for (;;) {
      if (this.writer.busy) return;
      const { head } = this.set;
      const requestedAt = this.#options.scheduler.monotonic();
      const page = await this.#readPage(head + 1 + rest.length);
      if (this.writer.busy || this.set.head !== head) return;
      // An empty page says that this was the head when it was asked for. A full page says nothing about later events.
      if (page.length === 0) this.#confirm(requestedAt);
      if (page.length === 0) return;
      rest = this.#foldForeign([...rest, ...page]);
      this.writer.foreignFolded();
      this.#loadHeaviestSoon();
    }
  }

  /** Closes a gap for the writer, which appends nothing meanwhile. `null`: to the end of the log. */
  async #readGap(to: number | null, found: Map<string, number>): Promise<void> {
    const { limits, scheduler } = this.#options;
    const until = scheduler.monotonic() + limits.deadlineMs;
    let rest: readonly RecordedEvent[] = [];
    while (to === null || this.set.head < to) {
      const page = await this.#readPage(this.set.head + 1 + rest.length);
      if (page.length > 0) rest = this.#foldForeign([...rest, ...page], found);
      else if (to === null) return;
      else throw new LogUnavailable(`the log named ${to} as the last revision, but returns no events up to there`);
      if (to === null) await this.#makeRoom(until);
    }
  }

  /**
   * Used while the project is being opened. It waits for tables that are far behind, such as restored ones, so that their missing events do not
   * fill the memory. It allows twice the window, so a node that stopped with a full window can open the project again. It never waits past
   * `until`, because requests are waiting.
   */
  async #makeRoom(until: number): Promise<void> {
    const { limits, scheduler } = this.#options;
    for (let more = true; more && this.set.windowBytes > limits.windowBytes; ) more = await this.#loadHeaviest();
    while (this.set.windowBytes > 2 * limits.windowBytes) {
      if (scheduler.monotonic() > until) throw refusal('BEHIND');
      await scheduler.sleep(HEAVIEST_EVERY_MS);
      await this.#loadHeaviest();
    }
  }

  #loadHeaviestSoon(): void {
    const { limits, scheduler } = this.#options;
    if (this.set.windowBytes <= limits.windowBytes / 2 || scheduler.monotonic() < this.#loadHeaviestFrom) return;
    this.#loadHeaviestFrom = Number.POSITIVE_INFINITY;
    const done = () => {
      this.#loadHeaviestFrom = scheduler.monotonic() + HEAVIEST_EVERY_MS;
    };
    // The tables cannot be reached. The next step of the tail tries again.
    this.#loadHeaviest().then(done, done);
  }

  /**
   * Replaces the kept events of a subject by its state, for subjects with several events, if the state takes less room. Without it, a hot
   * document that is not in memory would fill the window while the state tables stand still. Answers whether states were loaded. If no subject
   * qualifies, it moves the horizon to the tables' checkpoint instead.
   */
  async #loadHeaviest(): Promise<boolean> {
    const { reader } = this.#options;
    const floor = this.set.horizon;
    const subjects = this.set.heaviestSubjects(HEAVIEST_PER_LOAD);
    if (subjects.length === 0) {
      const checkpoint = await reader.checkpoint(this.id);
      if (checkpoint) this.projected(checkpoint.revision);
      return false;
    }
    this.set.pin(subjects);
    try {
      const { revision, states } = await reader.load(this.id, subjects);
      this.projected(revision);
      if (this.#stopped || revision < floor || revision > this.set.head) return false;
      for (const [index, subject] of subjects.entries()) this.set.admitIfSmaller(subject, states[index] ?? null, revision, floor);
      return true;
    } finally {
      this.set.unpin(subjects);
    }
  }

  #confirm(at: number): void {
    this.confirmedAt = Math.max(this.confirmedAt, at);
  }

  #readPage(from: number): Promise<readonly RecordedEvent[]> {
    return this.#options.log.read(this.#stream, { from, limit: PAGE, direction: 'forwards' });
  }

  /**
   * Folds whole commits only, and answers the rest: a page may end inside a commit, and nobody may see half of one. An event that cannot be
   * folded, or does not link to the one before it, stops the project, because its state would be undefined.
   */
  #foldForeign(events: readonly RecordedEvent[], found?: Map<string, number>): readonly RecordedEvent[] {
    try {
      const chain = new LinkedDecoder(this.writer.hash);
      const decoded = events.map((event) => chain.decode(event));
      const whole = decoded.findLastIndex(({ metadata }) => metadata.left === undefined) + 1;
      for (const [index, event] of decoded.slice(0, whole).entries()) {
        this.set.fold(event, (events[index]?.data.length ?? 0) + 512);
        if (event.hash !== FOREIGN_HASH) this.writer.hash = event.hash;
        this.writer.recordedAt = Math.max(this.writer.recordedAt, event.metadata.recordedAt);
        // What was stored before the project was opened here holds nobody back.
        if (this.confirmedAt >= 0) this.writer.fence.note(event);
        found?.set(event.metadata.commandId, event.revision);
      }
      if (whole > 0) this.#refreshQuotas();
      return events.slice(whole);
    } catch (error) {
      const reason = unreadable(error);
      this.stop(reason, true);
      throw reason;
    }
  }

  async #checkHistory(revision: number, hash: string): Promise<void> {
    const [event] = await this.#options.log.read(this.#stream, { from: revision, limit: 1, direction: 'forwards' });
    if (!event || checkpointHash(event) !== hash) throw refusal('HISTORY_MISMATCH');
    const sealed = hash === FOREIGN_HASH ? await lastSealed(this.#options.log, this.#stream, revision) : event;
    this.writer.hash = (sealed && hashOf(sealed.metadata)) ?? NO_HASH;
    if (sealed) this.writer.recordedAt = decodeProjectEvent(sealed).metadata.recordedAt;
  }
}

/** The refusal of a request that waited for log or tables as long as a request may. */
export function noAnswer(): Refusal {
  return refusal('STORAGE_UNAVAILABLE', 'The storage does not answer; try again shortly');
}

/** Ignores failures of a log that cannot be reached: it is asked again. */
function unlessRefused(error: unknown): void {
  if (error instanceof Refusal) throw error;
}

function unreadable(error: unknown): Refusal {
  if (error instanceof UnknownEvent) return refusal('UNKNOWN_EVENT', `${error.message}; run a newer version on this node`);
  return refusal('INTERNAL_ERROR', `The log of this project cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
