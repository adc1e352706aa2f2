import type { ProjectEvent } from '../../domain/events.ts';
import type { StateOf, SubjectKind, SubjectState } from '../../domain/states.ts';
import {
  AUTHORITY,
  collectionChangedBy,
  DEFINITIONS,
  documentChangedBy,
  type Subject,
  type SubjectKey,
  subjectsOf,
} from '../../domain/subjects.ts';
import { evolve } from './evolve.ts';
import { KeptEvents } from './kept-events.ts';
import { forget, type SharedCache } from './shared-cache.ts';
import { current, type Entry, type Memo, newVersion, type StateChange, type Version, versionOf } from './version.ts';
import { estimate, textLength, weigh } from './weight.ts';

/**
 * The write side's memory of one project.
 *
 * It has two layers. The *durable* layer is the state at `head`: all events up to the head are folded in, and no later one. The
 * *speculative* layer lies over it: the states that commands under way will make once their append is stored. Plain reads see the durable
 * layer only. Decisions see both layers.
 *
 * The *horizon* is the revision up to which the state tables are known to be written. The row of a subject that changed after the horizon
 * may be old, so the change must be kept here: a subject in memory is pinned, and of any other subject the events are kept. A subject that
 * last changed at or below the horizon may be forgotten at any time, because its row is the truth. Such subjects are in an LRU cache, which
 * all projects of the node share and which is bounded in bytes.
 */

/** A change after the horizon. `entry`: of a subject that was in memory then; it stays pinned while this is its last change. */
interface Change {
  readonly revision: number;
  readonly subject: Subject;
  readonly entry: Entry | null;
}

/** Called for each document of a collection that changes, with the event that changes it. */
export type Watcher = (document: Subject<'document'>, event: ProjectEvent) => void;

/** Is called with every event once it is in the durable layer, in order, in the turn that folds it: so it may only take note. */
export interface FoldListener {
  folded(event: ProjectEvent): void;
  /** The project is no longer open here: no event follows. */
  closed(): void;
}

export class WorkingSet {
  /** Revision up to which the durable layer is folded; −1 before the first event. */
  head = -1;
  horizon: number;
  readonly reads: SharedCache['reads'];
  readonly #cache: SharedCache['versions'];
  readonly #entries = new Map<Subject, Entry>();
  readonly #kept = new KeptEvents();
  /** How often each subject is pinned by loads under way and by commands that load; see {@link pin}. */
  readonly #pins = new Map<Subject, number>();
  /**
   * Changes after the horizon, about in order of revision; they are gone through when the horizon moves. A pinned subject has one, however
   * often it changes: a hot document must not fill the memory while the projector is away.
   */
  #changes: Change[] = [];
  #changesStart = 0;
  /** Subjects with a speculative version. */
  readonly #pending = new Set<Entry>();
  readonly #collections = new Map<SubjectKey, number>();
  /** By collection. */
  readonly #watchers = new Map<SubjectKey, Set<Watcher>>();
  readonly #listeners = new Set<FoldListener>();
  #openedAt = -1;
  #closed = false;
  #pinnedBytes = 0;

  constructor(horizon: number, { versions, reads }: SharedCache) {
    this.#cache = versions;
    this.reads = reads;
    this.horizon = horizon;
    this.head = horizon;
  }

  /** Bytes that cannot be freed before the horizon moves, or their subjects are unpinned. */
  get windowBytes(): number {
    return this.#pinnedBytes + this.#kept.bytes;
  }

  /** The state at the head, without speculation; `undefined` if it must be loaded. */
  durable<K extends SubjectKind>(subject: Subject<K>): Version<StateOf[K]> | undefined {
    const entry = this.#entries.get(subject);
    if (entry === undefined || entry.version === null) return undefined;
    return versionOf<K>(entry.pinned ? entry.version : this.#cache.get(entry));
  }

  /** Frees what the cache holds of this project. Nothing is cached for it afterwards. */
  close(): void {
    this.#closed = true;
    for (const entry of this.#entries.values()) this.#cache.delete(entry);
    this.#entries.clear();
    for (const listener of this.#listeners) listener.closed();
    this.#listeners.clear();
  }

  /** Calls the listener with every event that becomes durable from now on. Returns the function that ends this. */
  listen(listener: FoldListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Keeps a text with the version of a subject that it was made from, and adds its length to the weight in the cache: defaults may be many
   * times as large as the document.
   */
  keepMemo(subject: Subject, version: Version, memo: Memo): void {
    version.memo = memo;
    const entry = this.#entries.get(subject);
    if (entry?.version !== version || entry.pinned) return;
    // The same version would keep its old weight.
    this.#cache.delete(entry);
    this.#cacheEntry(entry, version);
  }

  /** The entry of a subject, for {@link current}; {@link used} tells the cache. `undefined` if it must be loaded. */
  peek(subject: Subject): Entry | undefined {
    const entry = this.#entries.get(subject);
    return entry === undefined || current(entry) === null ? undefined : entry;
  }

  /**
   * Tells the cache that an entry was used. Pinned and pending entries reach the cache later by themselves, when the horizon has passed
   * them.
   */
  used(entry: Entry): void {
    if (!entry.pinned && entry.speculative === null) this.#cache.get(entry);
  }

  /** Subjects with this prefix that changed after the horizon or are pending: their rows may be old. Goes through all changed subjects. */
  *changedWithPrefix(prefix: string): Iterable<Subject> {
    for (let at = this.#changesStart; at < this.#changes.length; at += 1) {
      const subject = this.#changes[at]?.subject;
      if (subject?.startsWith(prefix)) yield subject;
    }
    for (const { subject } of this.#pending) if (subject.startsWith(prefix)) yield subject;
  }

  /**
   * Reports every document of a collection that changes from now on, once its state at the head can be read. Returns the function that ends
   * the reports.
   */
  watch(collection: SubjectKey, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(collection) ?? new Set();
    this.#watchers.set(collection, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(collection) === watchers) this.#watchers.delete(collection);
    };
  }

  /**
   * Revision of the last event of the last commit that changed a collection; the opening revision if it has not changed since. A view that
   * shows less may lack what the commit says last, such as its postings.
   */
  collectionChangedAt(subject: SubjectKey): number {
    return this.#collections.get(subject) ?? this.#openedAt;
  }

  /** Revision of the last change of a resident subject, such as the definitions; the opening revision if it has not changed since. */
  residentChangedAt(subject: Subject): number {
    return Math.max(this.#entries.get(subject)?.changedAt ?? -1, this.#openedAt);
  }

  /** Notes that the project was opened at this head. */
  opened(): void {
    this.#openedAt = this.head;
  }

  /**
   * Folds one durable event, the next one after the head. Subjects in memory take their next state. For others the event is kept until the
   * horizon has passed it. `size`: bytes of the event's data.
   */
  fold(event: ProjectEvent, size: number): void {
    if (event.revision !== this.head + 1) throw new Error(`fold: event ${event.revision} does not follow head ${this.head}`);
    for (const subject of subjectsOf(event)) this.#foldSubject(subject, event, size);
    this.#advance(event);
  }

  /** Makes a stored commit durable. `changes`: the new versions of all subjects that it changes. `events`: all its events, sealed. */
  settle(changes: readonly StateChange[], events: readonly ProjectEvent[]): void {
    for (const [subject, version] of changes) {
      const { pendingIn } = version;
      // A pending entry is never forgotten, so this is still the current one.
      const entry = pendingIn !== null && pendingIn.speculative !== null ? pendingIn : this.#entryFor(subject);
      this.#pin(entry, version, events[events.length - 1]?.revision ?? this.head);
      if (entry.speculative !== version) continue;
      entry.speculative = null;
      this.#pending.delete(entry);
    }
    for (const event of events) this.#advance(event);
  }

  /** Lays the changes of a commit that joins the group over the durable layer. */
  speculate(changes: readonly StateChange[]): void {
    for (const [subject, version] of changes) {
      const entry = this.#entryFor(subject);
      if (entry.speculative === null) this.#pending.add(entry);
      entry.speculative = version;
      version.pendingIn = entry;
    }
  }

  dropSpeculation(): void {
    for (const entry of this.#pending) {
      entry.speculative = null;
      if (entry.version === null) entry.container.delete(entry.subject);
    }
    this.#pending.clear();
  }

  /**
   * Keeps these subjects in memory until {@link unpin}. A command pins all subjects that it needs, however small the cache; a load pins its
   * subjects while it is under way. Their events are kept however far the horizon moves: on a busy project no row would be new enough
   * otherwise. Subjects that come into memory meanwhile stay, or an older row would be taken for the current state. Calls nest.
   */
  pin(subjects: readonly Subject[]): void {
    for (const subject of subjects) this.#pins.set(subject, (this.#pins.get(subject) ?? 0) + 1);
  }

  unpin(subjects: readonly Subject[]): void {
    for (const subject of subjects) {
      const others = (this.#pins.get(subject) ?? 1) - 1;
      if (others > 0) this.#pins.set(subject, others);
      else this.#pins.delete(subject);
      const entry = this.#entries.get(subject);
      if (entry) this.#unpin(entry);
      this.#dropWrittenEvents(subject);
    }
  }

  /**
   * Takes a loaded row in. `revision` is the row's checkpoint, between `floor` (the horizon when the load began) and the head. The subject
   * has been pinned since then, so its later events are here and are folded on top. A subject that came into memory meanwhile stays as it
   * is.
   */
  admit(subject: Subject, state: SubjectState | null, revision: number, floor: number): void {
    if (revision < floor || revision > this.head) throw new Error('admit: a row outside floor and head is not the state at the head');
    if (this.durable(subject)) return;
    let folded = state;
    let changedAt = -1;
    let size = estimate(subject, state);
    for (const kept of this.#kept.of(subject)) {
      if (kept.revision <= revision) continue;
      folded = evolve(subject, folded, kept.event);
      changedAt = kept.revision;
      size = Math.max(size, kept.size);
    }
    if (folded !== state) size = Math.max(size, textLength(subject, folded));
    this.#kept.drop(subject);
    // It stays pinned until the load ends: the load may bring more rows than the cache holds.
    this.#pin(this.#entryFor(subject), newVersion(folded, size), changedAt);
  }

  /** Subjects that may take less room as a state than their kept events do, at most `most`; see {@link admitIfSmaller}. */
  heaviestSubjects(most: number): Subject[] {
    return this.#kept.heaviest(most);
  }

  /** As {@link admit}, but only if the row takes no more room than the kept events: no decision asked for it. */
  admitIfSmaller(subject: Subject, state: SubjectState | null, revision: number, floor: number): void {
    if (this.#kept.outweigh(subject, estimate(subject, state))) this.admit(subject, state, revision, floor);
  }

  /** The state tables are written up to `revision`: what changed no later may be forgotten. */
  moveHorizon(revision: number): void {
    if (revision <= this.horizon || this.#closed) return;
    this.horizon = revision;
    while (this.#changesStart < this.#changes.length) {
      const change = this.#changes[this.#changesStart];
      if (!change || change.revision > revision) break;
      this.#changesStart += 1;
      this.#release(change);
    }
    if (this.#changesStart > 1024 && this.#changesStart * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#changesStart);
      this.#changesStart = 0;
    }
  }

  #advance(event: ProjectEvent): void {
    const collection = collectionChangedBy(event);
    if (collection !== null) {
      this.#collections.set(collection, event.revision + (event.metadata.left ?? 0));
      if (this.#watchers.size > 0) this.#notifyWatchers(collection, event);
    }
    this.head = event.revision;
    if (this.#listeners.size > 0) for (const listener of this.#listeners) listener.folded(event);
  }

  #notifyWatchers(collection: SubjectKey, event: ProjectEvent): void {
    const watchers = this.#watchers.get(collection);
    const document = watchers === undefined ? null : documentChangedBy(event);
    if (document !== null) for (const watcher of watchers ?? []) watcher(document, event);
  }

  #foldSubject(subject: Subject, event: ProjectEvent, size: number): void {
    const version = this.durable(subject);
    if (version) {
      const state = evolve(subject, version.state, event);
      this.#pin(
        this.#entryFor(subject),
        newVersion(state, Math.max(size, this.#measuredSize(subject, version, state, size))),
        event.revision,
      );
      return;
    }
    this.#kept.keep(subject, event, size);
    this.#changes.push({ revision: event.revision, subject, entry: null });
  }

  /** The size of a state. Small changes may make a document large, so it is measured again when their bytes reach its known size. */
  #measuredSize(subject: Subject, { size: known }: Version, state: SubjectState | null, size: number): number {
    const entry = this.#entries.get(subject);
    if (entry === undefined) return known;
    entry.unmeasured += size;
    if (entry.unmeasured < known) return known;
    entry.unmeasured = 0;
    return Math.max(known, textLength(subject, state));
  }

  /** The entry of a subject, made if there is none. */
  #entryFor(subject: Subject): Entry {
    const known = this.#entries.get(subject);
    if (known !== undefined) return known;
    const entry: Entry = {
      subject,
      container: this.#entries,
      version: null,
      speculative: null,
      changedAt: -1,
      pinned: false,
      unmeasured: 0,
    };
    this.#entries.set(subject, entry);
    return entry;
  }

  #pin(entry: Entry, version: Version, changedAt: number): void {
    const queued = entry.changedAt > this.horizon;
    if (entry.pinned) this.#pinnedBytes -= weigh(entry.version?.size ?? 0);
    version.durable = true;
    entry.version = version;
    entry.changedAt = changedAt;
    entry.pinned = true;
    this.#pinnedBytes += weigh(version.size);
    if (changedAt > this.horizon && !queued) this.#changes.push({ revision: changedAt, subject: entry.subject, entry });
  }

  #release(change: Change): void {
    const { subject } = change;
    const entry = change.entry ?? this.#entries.get(subject);
    if (entry?.pinned && entry.changedAt > this.horizon) this.#changes.push({ revision: entry.changedAt, subject, entry });
    else if (entry) this.#unpin(entry);
    this.#dropWrittenEvents(subject);
  }

  /** Leaves an entry to the cache if its last change is not after the horizon and no {@link pin} keeps it. */
  #unpin(entry: Entry): void {
    const { subject, version } = entry;
    if (!entry.pinned || version === null || entry.changedAt > this.horizon || isResident(subject) || this.#pins.has(subject)) return;
    this.#pinnedBytes -= weigh(version.size);
    entry.pinned = false;
    this.#cacheEntry(entry, version);
  }

  /** Puts an entry into the cache, which takes nothing larger than itself. */
  #cacheEntry(entry: Entry, version: Version): void {
    this.#cache.set(entry, version);
    if (!this.#cache.has(entry)) forget(entry);
  }

  /**
   * Drops the events up to the horizon of a subject that is not in memory: its row has them. Not while a load is under way, which may have
   * read an older row.
   */
  #dropWrittenEvents(subject: Subject): void {
    if (!this.#pins.has(subject)) this.#kept.dropThrough(subject, this.horizon);
  }
}

/** Every request reads these subjects, so they stay in memory while the project is open. */
function isResident(subject: Subject): boolean {
  return subject === DEFINITIONS || subject === AUTHORITY;
}
