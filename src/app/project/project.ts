import { spaceOf } from '../../domain/access/context.ts';
import { EMPTY_DEFINITIONS } from '../../domain/definition/model/evolve.ts';
import type { ProjectEvent, Space } from '../../domain/events.ts';
import { NO_QUOTAS } from '../../domain/project/quotas.ts';
import type { AuthorityState, DefinitionsState, StateOf, SubjectKind } from '../../domain/states.ts';
import { AUTHORITY, DEFINITIONS, type Subject } from '../../domain/subjects.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { FreshRun } from '../../kernel/fresh-run.ts';
import type { Neighbours } from '../../kernel/neighbours.ts';
import type { RoundRobin } from '../../kernel/round-robin.ts';
import { type Scheduler, withDeadline } from '../../kernel/scheduler.ts';
import { hashOf, NO_HASH } from '../../log/chain.ts';
import { decodeProjectEvent, LinkedDecoder, readProjectEvent, UnknownEvent } from '../../log/decode.ts';
import { checkpointHash, FOREIGN_HASH, lastSealed } from '../../log/foreign.ts';
import { readStored } from '../../log/large-events.ts';
import { type Log, LogUnavailable, type RecordedEvent } from '../../log/port.ts';
import { projectStream } from '../../log/streams.ts';
import type { DocumentKeys, StateReader } from '../ports/state-reader.ts';
import type { Command, Outcome } from './commit.ts';
import { noAnswer } from './no-answer.ts';
import { ProjectQuotas } from './project-quotas.ts';
import { RowLoader } from './row-loader.ts';
import type { SharedCache } from './shared-cache.ts';
import { type UnreadEvent, unreadEvent } from './unread-event.ts';
import type { Version } from './version.ts';
import { WorkingSet } from './working-set.ts';
import { Writer, type WriterLimits, type WriterObserver } from './writer.ts';

/** One project as this node has it open: its working set, its writer, and the tail of its stream. */

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
  readonly #rows: RowLoader;
  readonly #endReads: FreshRun<StreamEnd>;
  #catchingUp: Promise<void> | null = null;
  /** The pause that everyone who waits for the head shares. */
  #pausing: { readonly over: Promise<void>; end(): void } | null = null;

  private constructor(options: ProjectOptions, horizon: number) {
    this.id = options.projectId;
    this.#options = options;
    this.#stream = projectStream(options.projectId);
    this.set = new WorkingSet(horizon, options.cache);
    this.#endReads = new FreshRun(() => this.#readEnd());
    this.#rows = new RowLoader({
      projectId: this.id,
      reader: options.reader,
      set: this.set,
      scheduler: options.scheduler,
      limits: options.limits,
      reach: (revision, until) => this.#reach(revision, until),
      stopped: () => this.#stopped,
      stop: (reason) => this.stop(reason),
    });
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
      load: (subjects) => this.#rows.load(subjects),
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
   * Opens a project; `null` if the log has no such project, unless it is to be created. Throws a `Refusal` if log and read models disagree,
   * and 503 `BEHIND` while there are more events between them than this node may hold.
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
    if (!version) return this.#rows.read(subject);
    this.set.reads.hits += 1;
    return version;
  }

  /** Loads subjects into the working set. */
  load(subjects: readonly Subject[]): Promise<void> {
    return this.#rows.load(subjects);
  }

  /** See {@link RowLoader.documentKeys}. */
  documentKeys(space: Space, collection: string, most: number): Promise<DocumentKeys> {
    return this.#rows.documentKeys(space, collection, most);
  }

  /** The state tables are known to be written up to `revision`. */
  projected(revision: number): void {
    this.#rows.projected(revision);
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
      this.#rows.loadHeaviestSoon();
      return;
    }
    this.#catchUpSoon();
  }

  /** The tail has no more events. What could not be folded when it came (an append was under way, or a read failed) is read now. */
  onCaughtUp(): void {
    // The last events may have filled the window too.
    this.#rows.loadHeaviestSoon();
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
   * Goes to `revision` if the log has come that far. A watermark beyond the log's end is invalid and is not waited for. Throws 503 when a
   * request that begins now must be answered.
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
   * Events as the log has them now, forwards from a revision: data may have been redacted since they were folded. `pause` is called before
   * each is decoded; see {@link RoundRobin.pauses}.
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

  /** {@link history}, of which each event is decoded only where it is read. */
  async unread(from: number, limit: number): Promise<readonly UnreadEvent[]> {
    return (await readStored(this.#options.log, this.#stream, from, limit)).map(unreadEvent);
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
      this.#rows.loadHeaviestSoon();
    }
  }

  /** Closes a gap for the writer, which appends nothing meanwhile. `null`: to the end of the log. */
  async #readGap(to: number | null, found: Map<string, number>): Promise<void> {
    const until = this.#deadline();
    let rest: readonly RecordedEvent[] = [];
    while (to === null || this.set.head < to) {
      const page = await this.#readPage(this.set.head + 1 + rest.length);
      if (page.length > 0) rest = this.#foldForeign([...rest, ...page], found);
      else if (to === null) return;
      else throw new LogUnavailable(`the log named ${to} as the last revision, but returns no events up to there`);
      if (to === null) await this.#rows.makeRoom(until);
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

/** Ignores failures of a log that cannot be reached: it is asked again. */
function unlessRefused(error: unknown): void {
  if (error instanceof Refusal) throw error;
}

function unreadable(error: unknown): Refusal {
  if (error instanceof UnknownEvent) return refusal('UNKNOWN_EVENT', `${error.message}; run a newer version on this node`);
  return refusal('INTERNAL_ERROR', `The log of this project cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
