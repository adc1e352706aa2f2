import { EMPTY_DEFINITIONS } from '../../domain/definition/evolve.ts';
import type { ProjectEvent, Space } from '../../domain/events.ts';
import { NO_QUOTAS } from '../../domain/project/quotas.ts';
import { type AuthorityState, asAuthority, asDefinitions, type DefinitionsState } from '../../domain/states.ts';
import { AUTHORITY, DEFINITIONS, type SubjectKey } from '../../domain/subjects.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import { hashOf } from '../../log/chain.ts';
import { decodeProjectEvent, UnknownEvent } from '../../log/decode.ts';
import { type Log, LogUnavailable, type RecordedEvent } from '../../log/port.ts';
import { projectStream } from '../../log/streams.ts';
import type { DocumentKeys, StateReader } from '../ports/readers.ts';
import type { Command, Outcome } from './commit.ts';
import { ProjectQuotas } from './project-quotas.ts';
import { readCounts, type SharedCache, type Version, WorkingSet } from './working-set.ts';
import { Writer, type WriterLimits, type WriterObserver } from './writer.ts';

/**
 * One project as this node has it open: its working set, its writer, and the tail of its stream.
 *
 * A loaded row is the state at the head only if it is neither too old nor too new:
 * - its checkpoint lies below the horizon of the moment the load left: what changed between may already be forgotten here, so it is
 *   loaded again; if it still lies below, the read models went backwards and the project is opened anew;
 * - its checkpoint lies above the head: this node waits until its tail has come that far.
 */

export interface ProjectOptions {
  readonly projectId: string;
  readonly log: Log;
  readonly reader: StateReader;
  readonly cache: SharedCache;
  readonly scheduler: Scheduler;
  readonly limits: WriterLimits;
  readonly observer: WriterObserver;
  /** The project stopped by itself; the next request opens it anew. */
  onStopped(reason: Refusal): void;
}

const PAGE = 1000;
const LOAD_TRIES = 5;
/** Subjects that are taken in at once when the window fills, each of any size; and how often that is looked at, ms. */
const RELIEVED = 100;
const RELIEVE_MS = 100;

export class Project {
  readonly id: string;
  readonly set: WorkingSet;
  readonly writer: Writer;
  /** When this node last knew the head for certain; like every time here by the scheduler's monotonic clock. */
  confirmedAt = Number.NEGATIVE_INFINITY;
  lastUsedAt = 0;
  readonly quotas: ProjectQuotas;
  readonly #options: ProjectOptions;
  readonly #stream: string;
  /** Highest revision that the tail or a conflict has shown. */
  #seen = -1;
  #stopped: Refusal | null = null;
  readonly #loading = new Map<SubjectKey, Promise<void>>();
  readonly #keysAsked = new SingleFlight<DocumentKeys>();
  readonly #oneByOne = new Bulkhead({ places: 1, each: 1 });
  #catchingUp: Promise<void> | null = null;
  /** From when on the window may be relieved; not while it is. */
  #relieveFrom = Number.NEGATIVE_INFINITY;

  private constructor(options: ProjectOptions, horizon: number) {
    this.id = options.projectId;
    this.#options = options;
    this.#stream = projectStream(options.projectId);
    this.set = new WorkingSet(horizon, options.cache);
    this.quotas = new ProjectQuotas({
      ...{ projectId: this.id, stream: this.#stream, log: options.log, reader: options.reader, scheduler: options.scheduler },
      ofAll: options.limits.quotas ?? NO_QUOTAS,
      head: () => this.set.head,
      isClosed: () => this.#stopped !== null,
    });
    this.writer = new Writer({
      stream: this.#stream,
      log: options.log,
      set: this.set,
      scheduler: options.scheduler,
      limits: options.limits,
      observer: options.observer,
      load: (subjects) => this.load(subjects),
      readGap: (to, found) => this.#readGap(to, found),
      idle: () => {
        this.#confirm(this.writer.sentAt);
        this.#lookAtQuotas();
        if (this.#seen > this.set.head) this.#catchUpSoon();
      },
      stop: (reason) => this.stop(reason),
    });
  }

  /**
   * Opens a project: `null` when the log has no such project, unless it is to be created. Throws a `Refusal` when log and read models
   * tell two histories, and 503 `BEHIND` while what lies between them is more than this node may hold.
   */
  static async open(options: ProjectOptions, create = false): Promise<Project | null> {
    const checkpoint = await options.reader.checkpoint(options.projectId);
    const project = new Project(options, checkpoint?.revision ?? -1);
    try {
      if (checkpoint) await project.#checkHistory(checkpoint.revision, checkpoint.hash);
      const asked = options.scheduler.monotonic();
      await project.#readGap(null, new Map());
      if (project.set.head < 0 && !create) return null;
      await project.load([AUTHORITY, DEFINITIONS]);
      await project.quotas.open(project.authority?.settings);
      project.set.opened();
      project.#confirm(asked);
      return project;
    } catch (error) {
      // One state of it in the cache would hold on to all that it had taken up, and the next request tries again.
      project.set.close();
      throw error;
    }
  }

  /** An operator may have changed them: looked at when the writer rests, and when events of other nodes have come. */
  #lookAtQuotas(): void {
    const settings = this.authority?.settings;
    // What it may take is a few reads of the log: where those fail, the next request opens the project anew.
    if (this.quotas.isOutdated(settings)) this.quotas.open(settings).catch(() => this.stop(refusal('STORAGE_UNAVAILABLE')));
  }

  /** Whether the log is known to hold more than is folded here. */
  get behind(): boolean {
    return this.#seen > this.set.head;
  }

  get stopped(): Refusal | null {
    return this.#stopped;
  }

  get authority(): AuthorityState | null {
    return asAuthority(this.set.durable(AUTHORITY)?.state ?? null);
  }

  /** The definitions at the head; resident, so always there. */
  get definitions(): DefinitionsState {
    return asDefinitions(this.set.durable(DEFINITIONS)?.state ?? null) ?? EMPTY_DEFINITIONS;
  }

  execute<A>(command: Command<A>): Promise<Outcome<A>> {
    return this.writer.execute(command);
  }

  /** The durable state of a subject, loaded when it is not held. */
  async read(subject: SubjectKey): Promise<Version> {
    const held = this.set.durable(subject);
    if (held) {
      readCounts.hits += 1;
      return held;
    }
    // Kept until it is handed out: what many read at once may be more than the cache takes, and one state alone, too.
    this.set.keep([subject]);
    try {
      await this.load([subject]);
      const loaded = this.set.durable(subject);
      if (loaded) return loaded;
    } finally {
      this.set.letGo([subject]);
    }
    throw this.#stopped ?? refusal('STORAGE_UNAVAILABLE');
  }

  /**
   * Of the tables: what changed after the horizon is known here, and may not be among them. Tables that are further than this node are
   * waited for as in a load: what they no longer have may be there as of the head, and nobody would look for it. One collection of a
   * project at a time, and once for all who ask meanwhile: what that came too early for, they find out by its revision and ask again.
   */
  async documentKeys(space: Space, collection: string, most: number): Promise<DocumentKeys> {
    const keys = await this.#keysAsked.run(`${space}/${collection}/${most}`, null, () =>
      this.#oneByOne.run(collection, () => this.#options.reader.documentKeys(this.id, space, collection, most)),
    );
    if (keys.revision > this.set.head) await this.reach(keys.revision, this.#options.limits.deadlineMs);
    return keys;
  }

  /** Brings subjects into the working set; concurrent loads of one subject share the work. */
  async load(subjects: readonly SubjectKey[]): Promise<void> {
    readCounts.misses += subjects.length;
    // Each once: a second row would be taken in after the first had used up the events that lie on top of it.
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

  async #loadNow(subjects: readonly SubjectKey[]): Promise<void> {
    const floor = this.set.horizon;
    this.set.keep(subjects);
    try {
      await this.#loadFrom(subjects, floor);
    } finally {
      this.set.letGo(subjects);
    }
  }

  async #loadFrom(subjects: readonly SubjectKey[], floor: number): Promise<void> {
    for (let tries = 0; tries < LOAD_TRIES; tries += 1) {
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

  /** Events of this project's stream as the node's tail brings them, in order; own ones and known ones are skipped by revision. */
  onTail(events: readonly RecordedEvent[]): void {
    const last = events[events.length - 1];
    if (!last || last.revision <= this.set.head) return;
    this.#seen = Math.max(this.#seen, last.revision);
    if (this.writer.busy || this.#stopped) return;
    const first = events.find((event) => event.revision > this.set.head);
    if (first && first.revision === this.set.head + 1) {
      this.#foldForeign(events.filter((event) => event.revision >= first.revision));
      this.writer.foreignFolded();
      this.#relieveSoon();
      return;
    }
    this.#catchUpSoon();
  }

  /** The tail has nothing more: what could not be folded when it came (an append under way, a read that failed) is read now. */
  onCaughtUp(): void {
    // What came last may have filled the window, too.
    this.#relieveSoon();
    if (this.behind && !this.writer.busy && !this.#stopped) this.#catchUpSoon();
  }

  /** Resolves when the head has reached `revision`; reads the log for it rather than wait for the tail. Throws 503 after `timeoutMs`. */
  async reach(revision: number, timeoutMs: number): Promise<void> {
    const until = this.#options.scheduler.monotonic() + timeoutMs;
    while (this.set.head < revision) {
      if (this.#stopped) throw this.#stopped;
      if (this.#options.scheduler.monotonic() > until) throw refusal('STORAGE_UNAVAILABLE', 'This node has not reached that position yet');
      this.#seen = Math.max(this.#seen, revision);
      if (!this.writer.busy) await this.#catchUp().catch(unlessRefused);
      if (this.set.head < revision) await this.#options.scheduler.sleep(5);
    }
  }

  /** Goes to `revision` if the log has come that far; a watermark beyond the log is nobody's, and is not waited for. */
  async seek(revision: number): Promise<void> {
    const head = await this.#options.log.head(this.#stream);
    const target = Math.min(revision, head?.revision ?? -1);
    if (target > this.set.head) await this.reach(target, this.#options.limits.deadlineMs);
  }

  /** Reads on to wherever the log is now. */
  refresh(): Promise<void> {
    return this.seek(Number.MAX_SAFE_INTEGER);
  }

  /** Events as the log has them, forwards from a revision. */
  async history(from: number, limit: number): Promise<readonly ProjectEvent[]> {
    const events = await this.#options.log.read(this.#stream, { from, limit, direction: 'forwards' });
    return events.map((event) => decodeProjectEvent(event));
  }

  stop(reason: Refusal): void {
    if (this.#stopped) return;
    this.#stopped = reason;
    this.writer.stop(reason);
    this.#options.onStopped(reason);
  }

  #catchUpSoon(): void {
    this.#catchUp().catch((error: unknown) => {
      if (error instanceof Refusal) this.stop(error);
      // A log that cannot be reached: the next tail step or append tries again.
    });
  }

  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#readPages().finally(() => {
      this.#catchingUp = null;
    });
    return this.#catchingUp;
  }

  /** Reads from the head on, as long as no append of this node is under way: that one finds the gap itself. */
  async #readPages(): Promise<void> {
    let rest: readonly RecordedEvent[] = [];
    for (;;) {
      if (this.writer.busy) return;
      const { head } = this.set;
      const asked = this.#options.scheduler.monotonic();
      const page = await this.#page(head + 1 + rest.length);
      if (this.writer.busy || this.set.head !== head) return;
      // An empty page says that this was the head when it was asked for; a full one says nothing of what lies beyond it.
      if (page.length === 0) this.#confirm(asked);
      if (page.length === 0) return;
      rest = this.#foldForeign([...rest, ...page]);
      this.writer.foreignFolded();
      this.#relieveSoon();
    }
  }

  /** The writer's own way to close a gap, called while nothing of this node can be appended; `null`: to wherever the log ends. */
  async #readGap(to: number | null, found: Map<string, number>): Promise<void> {
    const { limits, scheduler } = this.#options;
    const until = scheduler.monotonic() + limits.deadlineMs;
    let rest: readonly RecordedEvent[] = [];
    while (to === null || this.set.head < to) {
      const page = await this.#page(this.set.head + 1 + rest.length);
      if (page.length > 0) rest = this.#foldForeign([...rest, ...page], found);
      else if (to === null) return;
      else throw new LogUnavailable(`the log does not show what it has told of up to ${to}`);
      if (to === null) await this.#makeRoom(until);
    }
  }

  /**
   * While the project is being opened: tables far behind, such as restored ones, must not fill the memory with all that they lack. Twice
   * the window, so that a node that comes back takes up what it had when its window was full. Waits for them to move no longer than
   * `until`, however often: requests wait for it.
   */
  async #makeRoom(until: number): Promise<void> {
    const { limits, scheduler } = this.#options;
    for (let more = true; more && this.set.windowBytes > limits.windowBytes; ) more = await this.#relieve();
    while (this.set.windowBytes > 2 * limits.windowBytes) {
      if (scheduler.monotonic() > until) throw refusal('BEHIND');
      await scheduler.sleep(RELIEVE_MS);
      await this.#relieve();
    }
  }

  #relieveSoon(): void {
    const { limits, scheduler } = this.#options;
    if (this.set.windowBytes <= limits.windowBytes / 2 || scheduler.monotonic() < this.#relieveFrom) return;
    this.#relieveFrom = Number.POSITIVE_INFINITY;
    const done = () => {
      this.#relieveFrom = scheduler.monotonic() + RELIEVE_MS;
    };
    // Tables that cannot be reached: the next step of the tail tries again.
    this.#relieve().then(done, done);
  }

  /**
   * Takes in the state of what several events are kept of, unless it is larger: a hot document that nobody holds here would fill the
   * window by itself while the state tables stand. Answers whether there was any; if not, it has looked how far the tables are.
   */
  async #relieve(): Promise<boolean> {
    const { reader } = this.#options;
    const floor = this.set.horizon;
    const subjects = this.set.crowded(RELIEVED);
    if (subjects.length === 0) {
      const checkpoint = await reader.checkpoint(this.id);
      if (checkpoint) this.projected(checkpoint.revision);
      return false;
    }
    this.set.keep(subjects);
    try {
      const { revision, states } = await reader.load(this.id, subjects);
      this.projected(revision);
      if (this.#stopped || revision < floor || revision > this.set.head) return false;
      for (const [index, subject] of subjects.entries()) this.set.take(subject, states[index] ?? null, revision, floor);
      return true;
    } finally {
      this.set.letGo(subjects);
    }
  }

  #confirm(at: number): void {
    this.confirmedAt = Math.max(this.confirmedAt, at);
  }

  #page(from: number): Promise<readonly RecordedEvent[]> {
    return this.#options.log.read(this.#stream, { from, limit: PAGE, direction: 'forwards' });
  }

  /**
   * Folds whole commits only, and answers what is left: a page may end inside a commit, and nobody may see half of one. Whatever
   * cannot be folded stops the project, since the state would be neither here nor there.
   */
  #foldForeign(events: readonly RecordedEvent[], found?: Map<string, number>): readonly RecordedEvent[] {
    try {
      const decoded = events.map((event) => decodeProjectEvent(event));
      const whole = decoded.findLastIndex(({ metadata }) => metadata.left === undefined) + 1;
      for (const [index, event] of decoded.slice(0, whole).entries()) {
        this.set.fold(event, (events[index]?.data.length ?? 0) + 512);
        this.writer.hash = event.hash;
        this.writer.recordedAt = Math.max(this.writer.recordedAt, event.metadata.recordedAt);
        found?.set(event.metadata.commandId, event.revision);
      }
      if (whole > 0) this.#lookAtQuotas();
      return events.slice(whole);
    } catch (error) {
      const reason = unreadable(error);
      this.stop(reason);
      throw reason;
    }
  }

  async #checkHistory(revision: number, hash: string): Promise<void> {
    const [event] = await this.#options.log.read(this.#stream, { from: revision, limit: 1, direction: 'forwards' });
    if (!event || hashOf(event.metadata) !== hash) throw refusal('HISTORY_MISMATCH');
    this.writer.hash = hash;
    this.writer.recordedAt = decodeProjectEvent(event).metadata.recordedAt;
  }
}

/** A log that cannot be reached is asked again. */
function unlessRefused(error: unknown): void {
  if (error instanceof Refusal) throw error;
}

function unreadable(error: unknown): Refusal {
  if (error instanceof UnknownEvent) return refusal('UNKNOWN_EVENT', `${error.message}; run a newer version on this node`);
  return refusal('INTERNAL_ERROR', `The log of this project cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
