import { LRUCache } from 'lru-cache';
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
import { estimate, textLength, weigh, weighCached } from './weight.ts';

/**
 * The write side's memory of one project.
 *
 * It has two layers. The *durable* layer is the state at `head`: all events up to the head are folded in, and no later one. The *speculative*
 * layer lies over it: the states that commands under way will make once their append is stored. Plain reads see the durable layer only.
 * Decisions see both layers.
 *
 * The *horizon* is the revision up to which the state tables are known to be written. The row of a subject that changed after the horizon may
 * be old, so the change must be kept here: a subject in memory is pinned, and of any other subject the events are kept. A subject that last
 * changed at or below the horizon may be forgotten at any time, because its row is the truth. Such subjects are in an LRU cache, which all
 * projects of the node share and which is bounded in bytes.
 */

/**
 * A state of a subject at one moment. Every application of an event, speculative or durable, makes a new object, so two reads saw the same
 * state exactly when they saw the same object. (A predicted revision would not do: after a rollback it would come back and hide a change.)
 */
export interface Version<State extends SubjectState = SubjectState> {
  readonly state: State | null;
  /** Estimated bytes in memory. */
  readonly size: number;
  /** Whether it is, or was, in the durable layer. */
  durable: boolean;
  /** The entry in which it is the speculative version, so that storing its commit needs no look-up. */
  pendingIn: Entry | null;
  /** Derived from the state and kept with it. Set by {@link WorkingSet.keepMemo}. */
  memo?: Memo;
}

/** A text made from a state, such as the served one. */
export interface Memo {
  readonly text: string;
}

/** `size`: approximate bytes of the state's text. */
export function newVersion(state: SubjectState | null, size: number): Version {
  return { state, size, durable: false, pendingIn: null };
}

/** The version with the type of its subject's state: memory holds subjects of all kinds. */
export function versionOf<K extends SubjectKind>(version: Version | undefined): Version<StateOf[K]> | undefined {
  return version as Version<StateOf[K]> | undefined;
}

/** The new version of a subject that one commit makes. */
export type StateChange = readonly [subject: Subject, version: Version];

/** A subject in memory: pinned, in the cache (which may forget it), or only pending. Only the working set changes it. */
export interface Entry {
  readonly subject: Subject;
  /** The working set's map, from which a forgotten entry is removed. */
  readonly container: Map<Subject, Entry>;
  /** The durable version; `null` if commits change a subject that was not read, or was forgotten since. */
  version: Version | null;
  /** The version that commits under way make of it. */
  speculative: Version | null;
  /** Revision of the last event folded in; −1 for a row as loaded. */
  changedAt: number;
  pinned: boolean;
  /** Bytes of the events folded in since the state was measured. */
  unmeasured: number;
}

/** A change after the horizon. `entry`: of a subject that was in memory then; it stays pinned while this is its last change. */
interface Change {
  readonly revision: number;
  readonly subject: Subject;
  readonly entry: Entry | null;
}

interface KeptEvent {
  readonly revision: number;
  readonly event: ProjectEvent;
  readonly size: number;
}

/** Called for each document of a collection that changes, with the event that changes it. */
export type Watcher = (document: Subject<'document'>, event: ProjectEvent) => void;

/** Is called with every event once it is in the durable layer, in order, in the turn that folds it: so it may only take note. */
export interface FoldListener {
  folded(event: ProjectEvent): void;
  /** The project is no longer open here: no event follows. */
  closed(): void;
}

/** States that may be forgotten, of all projects of a node. The key is an object: a text key would have to be built for every look-up. */
export interface SharedCache {
  readonly versions: LRUCache<Entry, Version>;
  /** Reads that found their subject in memory, and those that had to load it. */
  readonly reads: { hits: number; misses: number };
}

export function createCache(maxBytes: number): SharedCache {
  const versions = new LRUCache<Entry, Version>({
    maxSize: maxBytes,
    sizeCalculation: ({ state, size, memo }) => weighCached(state, size, memo?.text ?? ''),
    // A pinned entry may still be in the cache with an old version. Then only that version goes.
    dispose: (_, entry, reason) => {
      if (reason === 'evict' && !entry.pinned) forget(entry);
    },
  });
  return { versions, reads: { hits: 0, misses: 0 } };
}

/** What a decision sees of a subject; `null` if it must be loaded. */
export function current({ speculative, version }: Entry): Version | null {
  return speculative ?? version;
}

/** Forgets the durable state. What commits under way make of the subject stays. */
function forget(entry: Entry): void {
  entry.version = null;
  if (entry.speculative === null) entry.container.delete(entry.subject);
}

export class WorkingSet {
  /** Revision up to which the durable layer is folded; −1 before the first event. */
  head = -1;
  horizon: number;
  readonly reads: SharedCache['reads'];
  readonly #cache: SharedCache['versions'];
  readonly #entries = new Map<Subject, Entry>();
  readonly #keptEvents = new Map<Subject, KeptEvent[]>();
  /** Sizes of states that are larger than the events kept of them. */
  readonly #largerStates = new Map<Subject, number>();
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
  /** Bytes that cannot be freed before the horizon moves, or their subjects are unpinned. */
  windowBytes = 0;

  constructor(horizon: number, { versions, reads }: SharedCache) {
    this.#cache = versions;
    this.reads = reads;
    this.horizon = horizon;
    this.head = horizon;
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
   * Tells the cache that an entry was used. Pinned and pending entries reach the cache later by themselves, when the horizon has passed them.
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
   * Revision of the last event of the last commit that changed a collection; the opening revision if it has not changed since. A view that shows
   * less may lack what the commit says last, such as its postings.
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
   * Takes a loaded row in. `revision` is the row's checkpoint, between `floor` (the horizon when the load began) and the head. The subject has
   * been pinned since then, so its later events are here and are folded on top. A subject that came into memory meanwhile stays as it is.
   */
  admit(subject: Subject, state: SubjectState | null, revision: number, floor: number): void {
    if (revision < floor || revision > this.head) throw new Error('admit: a row outside floor and head is not the state at the head');
    if (this.durable(subject)) return;
    let folded = state;
    let changedAt = -1;
    let size = estimate(subject, state);
    for (const kept of this.#keptEvents.get(subject) ?? []) {
      if (kept.revision <= revision) continue;
      folded = evolve(subject, folded, kept.event);
      changedAt = kept.revision;
      size = Math.max(size, kept.size);
    }
    if (folded !== state) size = Math.max(size, textLength(subject, folded));
    this.#dropKeptEvents(subject);
    // It stays pinned until the load ends: the load may bring more rows than the cache holds.
    this.#pin(this.#entryFor(subject), newVersion(folded, size), changedAt);
  }

  /**
   * At most `most` subjects, those whose kept events take the most room. Only subjects that are not in memory and have several events count:
   * as a state each may take less room; see {@link admitIfSmaller}.
   */
  heaviestSubjects(most: number): Subject[] {
    const heaviest: (readonly [subject: Subject, size: number])[] = [];
    for (const [subject, events] of this.#keptEvents) {
      if (events.length < 2) continue;
      const size = sizeOf(events);
      if (size >= (this.#largerStates.get(subject) ?? 0)) heaviest.push([subject, size]);
    }
    const first = heaviest.sort(([, one], [, other]) => other - one).slice(0, most);
    return first.map(([subject]) => subject);
  }

  /** As {@link admit}, but only if the row takes no more room than the kept events: no decision asked for it. */
  admitIfSmaller(subject: Subject, state: SubjectState | null, revision: number, floor: number): void {
    const events = this.#keptEvents.get(subject);
    const size = estimate(subject, state);
    if (events === undefined) return;
    if (size > sizeOf(events)) this.#largerStates.set(subject, size);
    else this.admit(subject, state, revision, floor);
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
    const kept = this.#keptEvents.get(subject) ?? [];
    kept.push({ revision: event.revision, event, size });
    this.#keptEvents.set(subject, kept);
    this.#changes.push({ revision: event.revision, subject, entry: null });
    this.windowBytes += weigh(size);
  }

  /** The size of a state. Many small changes may make a document large, so it is measured again when their bytes reach its last known size. */
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
    if (entry.pinned) this.windowBytes -= weigh(entry.version?.size ?? 0);
    version.durable = true;
    entry.version = version;
    entry.changedAt = changedAt;
    entry.pinned = true;
    this.windowBytes += weigh(version.size);
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
    this.windowBytes -= weigh(version.size);
    entry.pinned = false;
    this.#cacheEntry(entry, version);
  }

  /** Puts an entry into the cache, which takes nothing larger than itself. */
  #cacheEntry(entry: Entry, version: Version): void {
    this.#cache.set(entry, version);
    if (!this.#cache.has(entry)) forget(entry);
  }

  /**
   * Drops the events up to the horizon of a subject that is not in memory: its row has them. Not while a load is under way, which may have read
   * an older row.
   */
  #dropWrittenEvents(subject: Subject): void {
    const events = this.#keptEvents.get(subject);
    if (!events || this.#pins.has(subject)) return;
    const later = events.filter((one) => one.revision > this.horizon);
    for (const one of events) if (one.revision <= this.horizon) this.windowBytes -= weigh(one.size);
    if (later.length > 0) this.#keptEvents.set(subject, later);
    else this.#deleteKeptEvents(subject);
  }

  #dropKeptEvents(subject: Subject): void {
    for (const one of this.#keptEvents.get(subject) ?? []) this.windowBytes -= weigh(one.size);
    this.#deleteKeptEvents(subject);
  }

  #deleteKeptEvents(subject: Subject): void {
    this.#keptEvents.delete(subject);
    this.#largerStates.delete(subject);
  }
}

function sizeOf(events: readonly KeptEvent[]): number {
  return events.reduce((sum, { size }) => sum + size, 0);
}

/** Every request reads these subjects, so they stay in memory while the project is open. */
function isResident(subject: Subject): boolean {
  return subject === DEFINITIONS || subject === AUTHORITY;
}
