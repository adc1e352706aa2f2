import { LRUCache } from 'lru-cache';
import type { ProjectEvent } from '../../domain/events.ts';
import type { SubjectState } from '../../domain/states.ts';
import { AUTHORITY, collectionChangedBy, DEFINITIONS, type SubjectKey, subjectsOf } from '../../domain/subjects.ts';
import { evolve } from './evolve.ts';
import { estimate, textLength, weigh, weighCached } from './weight.ts';

/**
 * The write side's memory of one project.
 *
 * Two layers. The *durable* layer is the state at `head`: every event up to it is folded in, none beyond. The *speculative* layer
 * lies over it: what commands that joined a group will make of it once their append is stored. Plain reads see the durable layer
 * only; decisions see both.
 *
 * The *horizon* is the revision up to which the state tables are known to be written. A subject changed after it must be kept here,
 * since its row may still be old: held subjects are pinned, and for subjects that nobody holds the events themselves are kept.
 * A subject last changed at or below the horizon may be forgotten at any time; its row is then the truth. Those live in an LRU
 * shared by all projects of the node, bounded in bytes.
 */

let lastToken = 0;

/**
 * A state of a subject at one moment. `token` is its version: a number of this process, new for every application of an event,
 * speculative or durable, and never used twice. (A predicted revision would not do: after a rollback it would come back and hide a
 * change.) Two reads saw the same state exactly when they saw the same token.
 */
export interface Version {
  readonly token: number;
  readonly state: SubjectState | null;
  /** Estimated bytes held. */
  readonly size: number;
  /** Whether it is, or was, of the durable layer. */
  durable: boolean;
  /** Where a commit has laid it over the durable layer: to be found there without being looked up when that commit is stored. */
  holder: Held | null;
  /** Derived from the state and kept with it. Set by {@link WorkingSet.keepWith}. */
  memo?: Memo;
}

/** A text made of a state, such as the one that is served. */
export interface Memo {
  readonly text: string;
}

/** `size`: bytes of the state's text, about. */
export function newVersion(state: SubjectState | null, size: number): Version {
  lastToken += 1;
  return { token: lastToken, state, size, durable: false, holder: null };
}

/** What one commit makes of the subjects it changes. */
export type Effect = readonly [subject: SubjectKey, version: Version];

/** A subject in memory: pinned, in the cache, which may forget it, or only spoken for. Only the working set changes it. */
export interface Held {
  readonly subject: SubjectKey;
  /** The working set's own, which it leaves when it is forgotten. */
  readonly among: Map<SubjectKey, Held>;
  /** Durable; `null` where commits speak for a subject that was not read, or was forgotten since. */
  version: Version | null;
  /** What commits that are not stored yet make of it. */
  speculative: Version | null;
  /** Revision of the last event folded in; −1 for a row as it was loaded. */
  changedAt: number;
  pinned: boolean;
  /** Bytes of the events folded in since its state was measured. */
  unmeasured: number;
}

/** A change after the horizon; `held`: of a subject that was held when it was noted, which stays pinned while its last change is one. */
interface Change {
  readonly revision: number;
  readonly subject: SubjectKey;
  readonly held: Held | null;
}

interface Kept {
  readonly revision: number;
  readonly event: ProjectEvent;
  readonly size: number;
}

/** Hears of the documents of a collection as they change. */
export type Watcher = (document: SubjectKey) => void;

/** What may be forgotten, of all projects of a node. By object: a text for each key would have to be made for every look. */
export type SharedCache = LRUCache<Held, Version>;

export function createCache(maxBytes: number): SharedCache {
  return new LRUCache<Held, Version>({
    maxSize: maxBytes,
    sizeCalculation: ({ state, size, memo }) => weighCached(state, size, memo?.text ?? ''),
    // What is pinned may still lie there as it was before: then only that goes.
    dispose: (_, held, reason) => {
      if (reason === 'evict' && !held.pinned) forget(held);
    },
  });
}

/** What a decision sees of a subject; `null` when it must be loaded. */
export function current({ speculative, version }: Held): Version | null {
  return speculative ?? version;
}

/** Of its durable state; what commits make of it is theirs. */
function forget(held: Held): void {
  held.version = null;
  if (held.speculative === null) held.among.delete(held.subject);
}

/** Reads that found their subject in memory, and those that had to load it; of all projects of the process. */
export const readCounts = { hits: 0, misses: 0 };

export class WorkingSet {
  /** Revision up to which the durable layer is folded; −1 before the first event. */
  head = -1;
  horizon: number;
  readonly #cache: SharedCache;
  readonly #held = new Map<SubjectKey, Held>();
  readonly #unheld = new Map<SubjectKey, Kept[]>();
  /** Of those whose state was found larger than what is kept of them, its size. */
  readonly #larger = new Map<SubjectKey, number>();
  /** Subjects that loads under way, and commands that load what they need, {@link keep}; counted. */
  readonly #kept = new Map<SubjectKey, number>();
  /**
   * Subjects changed after the horizon, about in order of revision: what to look at when the horizon moves. One entry for each that is
   * pinned, however often it changes: a hot document must not fill the memory while the projector is away.
   */
  #changes: Change[] = [];
  #changesStart = 0;
  /** Those with a speculative version. */
  readonly #spokenFor = new Set<Held>();
  readonly #collections = new Map<SubjectKey, number>();
  /** By collection. */
  readonly #watchers = new Map<SubjectKey, Set<Watcher>>();
  #openedAt = -1;
  #closed = false;
  /** Bytes that cannot be given up before the horizon moves, or who keeps them lets go. */
  windowBytes = 0;

  constructor(horizon: number, cache: SharedCache) {
    this.#cache = cache;
    this.horizon = horizon;
    this.head = horizon;
  }

  /** The state at the head, without speculation; `undefined` when it must be loaded. */
  durable(subject: SubjectKey): Version | undefined {
    const held = this.#held.get(subject);
    if (held === undefined || held.version === null) return undefined;
    return held.pinned ? held.version : this.#cache.get(held);
  }

  /** Gives back what the cache holds of this project; nothing goes there any more. */
  close(): void {
    this.#closed = true;
    for (const held of this.#held.values()) this.#cache.delete(held);
    this.#held.clear();
  }

  /** Keeps a text with the version of a subject that it was made of, and has the cache know: defaults may be many times the document. */
  keepWith(subject: SubjectKey, version: Version, memo: Memo): void {
    version.memo = memo;
    const held = this.#held.get(subject);
    if (held?.version !== version || held.pinned) return;
    // The same version would keep the weight that it had.
    this.#cache.delete(held);
    this.#leave(held, version);
  }

  /** What a decision reads of, by {@link current}; the cache learns of it by {@link used}. `undefined` when it must be loaded. */
  look(subject: SubjectKey): Held | undefined {
    const held = this.#held.get(subject);
    return held === undefined || current(held) === null ? undefined : held;
  }

  /** Has the cache know what was asked for. Of what is pinned or spoken for it learns anyway, when the horizon has passed that. */
  used(held: Held): void {
    if (!held.pinned && held.speculative === null) this.#cache.get(held);
  }

  /** Subjects with this beginning that changed after the horizon or are spoken for: their rows may not show it yet. Goes through all that changed. */
  *changedUnder(beginning: string): Iterable<SubjectKey> {
    for (let at = this.#changesStart; at < this.#changes.length; at += 1) {
      const subject = this.#changes[at]?.subject;
      if (subject?.startsWith(beginning)) yield subject;
    }
    for (const { subject } of this.#spokenFor) if (subject.startsWith(beginning)) yield subject;
  }

  /** Tells of every document of a collection that changes from now on, once its state at the head can be asked for. Answers how to end that. */
  watch(collection: SubjectKey, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(collection) ?? new Set();
    this.#watchers.set(collection, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(collection) === watchers) this.#watchers.delete(collection);
    };
  }

  /** Revision of the last change in a collection, as of the head; the opening revision when it has not changed since. */
  collectionChangedAt(subject: SubjectKey): number {
    return this.#collections.get(subject) ?? this.#openedAt;
  }

  /** Revision of the last change of a resident subject, such as the definitions; the opening revision when there was none since. */
  residentChangedAt(subject: SubjectKey): number {
    return Math.max(this.#held.get(subject)?.changedAt ?? -1, this.#openedAt);
  }

  /** Marks that everything up to the head was folded in at opening. */
  opened(): void {
    this.#openedAt = this.head;
  }

  /**
   * Folds one durable event, the one after the head. Held subjects take their next state; for the others the event is kept until the
   * horizon has passed it. `size` is the bytes of the event's data.
   */
  fold(event: ProjectEvent, size: number): void {
    if (event.revision !== this.head + 1) throw new Error(`fold: event ${event.revision} does not follow head ${this.head}`);
    for (const subject of subjectsOf(event)) this.#foldSubject(subject, event, size);
    this.#passed(event);
  }

  /** Makes a stored commit durable: `effects` is what its command made of all the subjects it changes, `events` are all of it, sealed. */
  settle(effects: readonly Effect[], events: readonly ProjectEvent[]): void {
    for (const [subject, version] of effects) {
      const { holder } = version;
      // Who is spoken for is not forgotten: it is still the one that is held.
      const held = holder !== null && holder.speculative !== null ? holder : this.#hold(subject);
      this.#pin(held, version, events[events.length - 1]?.revision ?? this.head);
      if (held.speculative !== version) continue;
      held.speculative = null;
      this.#spokenFor.delete(held);
    }
    for (const event of events) this.#passed(event);
  }

  /** Lays the effects of a joining commit over everything. */
  speculate(effects: readonly Effect[]): void {
    for (const [subject, version] of effects) {
      const held = this.#hold(subject);
      if (held.speculative === null) this.#spokenFor.add(held);
      held.speculative = version;
      version.holder = held;
    }
  }

  dropSpeculation(): void {
    for (const held of this.#spokenFor) {
      held.speculative = null;
      if (held.version === null) held.among.delete(held.subject);
    }
    this.#spokenFor.clear();
  }

  /**
   * These subjects are not forgotten until {@link letGo}: for a command that has to have them in memory together, however small the
   * cache, and while a load of them is under way. Their events are kept, however far the horizon moves meanwhile, or on a busy project
   * no row would ever be young enough; and what gets held meanwhile stays held, or its older row would be taken for the truth. Nests.
   */
  keep(subjects: readonly SubjectKey[]): void {
    for (const subject of subjects) this.#kept.set(subject, (this.#kept.get(subject) ?? 0) + 1);
  }

  letGo(subjects: readonly SubjectKey[]): void {
    for (const subject of subjects) {
      const others = (this.#kept.get(subject) ?? 1) - 1;
      if (others > 0) this.#kept.set(subject, others);
      else this.#kept.delete(subject);
      const held = this.#held.get(subject);
      if (held) this.#unpin(held);
      this.#dropUnheld(subject);
    }
  }

  /**
   * Takes a loaded row in. `revision` is the checkpoint it came with, between `floor` (the horizon when the load left) and the
   * head: the subject was kept since, so the events after it are here, and are folded on top. One that got held meanwhile is left alone.
   */
  admit(subject: SubjectKey, state: SubjectState | null, revision: number, floor: number): void {
    if (revision < floor || revision > this.head) throw new Error('admit: a row outside floor and head is not the state at the head');
    if (this.durable(subject)) return;
    let folded = state;
    let changedAt = -1;
    let size = estimate(state);
    for (const kept of this.#unheld.get(subject) ?? []) {
      if (kept.revision <= revision) continue;
      folded = evolve(subject, folded, kept.event);
      changedAt = kept.revision;
      size = Math.max(size, kept.size);
    }
    if (folded !== state) size = Math.max(size, textLength(folded));
    this.#forgetUnheld(subject);
    // Until it is let go: the load may have more rows to bring than the cache holds.
    this.#pin(this.#hold(subject), newVersion(folded, size), changedAt);
  }

  /** Of the subjects that nobody holds and of which several events are kept, so many that take most: held, each may take less; see {@link take}. */
  crowded(most: number): SubjectKey[] {
    const crowded: (readonly [subject: SubjectKey, size: number])[] = [];
    for (const [subject, events] of this.#unheld) {
      if (events.length < 2) continue;
      const size = sizeOf(events);
      if (size >= (this.#larger.get(subject) ?? 0)) crowded.push([subject, size]);
    }
    const first = crowded.sort(([, one], [, other]) => other - one).slice(0, most);
    return first.map(([subject]) => subject);
  }

  /** As {@link admit}, for a row that nobody has asked for: only where it takes no more room than the events that are kept. */
  take(subject: SubjectKey, state: SubjectState | null, revision: number, floor: number): void {
    const events = this.#unheld.get(subject);
    const size = estimate(state);
    if (events === undefined) return;
    if (size > sizeOf(events)) this.#larger.set(subject, size);
    else this.admit(subject, state, revision, floor);
  }

  /** The state tables are written up to `revision`: what changed no later may now be forgotten. */
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

  #passed(event: ProjectEvent): void {
    const collection = collectionChangedBy(event);
    if (collection !== null) {
      this.#collections.set(collection, event.revision);
      if (this.#watchers.size > 0) this.#tell(collection, event);
    }
    this.head = event.revision;
  }

  #tell(collection: SubjectKey, event: ProjectEvent): void {
    const watchers = this.#watchers.get(collection);
    const [document] = watchers === undefined ? [] : subjectsOf(event);
    if (document !== undefined) for (const watcher of watchers ?? []) watcher(document);
  }

  #foldSubject(subject: SubjectKey, event: ProjectEvent, size: number): void {
    const version = this.durable(subject);
    if (version) {
      const state = evolve(subject, version.state, event);
      this.#pin(this.#hold(subject), newVersion(state, Math.max(size, this.#measured(subject, version, state, size))), event.revision);
      return;
    }
    const kept = this.#unheld.get(subject) ?? [];
    kept.push({ revision: event.revision, event, size });
    this.#unheld.set(subject, kept);
    this.#changes.push({ revision: event.revision, subject, held: null });
    this.windowBytes += weigh(size);
  }

  /** Small changes of others make a document large: it is measured anew whenever they come to as much as was known of it. */
  #measured(subject: SubjectKey, { size: known }: Version, state: SubjectState | null, size: number): number {
    const held = this.#held.get(subject);
    if (held === undefined) return known;
    held.unmeasured += size;
    if (held.unmeasured < known) return known;
    held.unmeasured = 0;
    return Math.max(known, textLength(state));
  }

  /** Its entry; a new one where there is none. */
  #hold(subject: SubjectKey): Held {
    const known = this.#held.get(subject);
    if (known !== undefined) return known;
    const held: Held = { subject, among: this.#held, version: null, speculative: null, changedAt: -1, pinned: false, unmeasured: 0 };
    this.#held.set(subject, held);
    return held;
  }

  #pin(held: Held, version: Version, changedAt: number): void {
    const queued = held.changedAt > this.horizon;
    if (held.pinned) this.windowBytes -= weigh(held.version?.size ?? 0);
    version.durable = true;
    held.version = version;
    held.changedAt = changedAt;
    held.pinned = true;
    this.windowBytes += weigh(version.size);
    if (changedAt > this.horizon && !queued) this.#changes.push({ revision: changedAt, subject: held.subject, held });
  }

  #release(change: Change): void {
    const { subject } = change;
    const held = change.held ?? this.#held.get(subject);
    if (held?.pinned && held.changedAt > this.horizon) this.#changes.push({ revision: held.changedAt, subject, held });
    else if (held) this.#unpin(held);
    this.#dropUnheld(subject);
  }

  /** What changed no later than the horizon is left to the cache; unless somebody keeps it. */
  #unpin(held: Held): void {
    const { subject, version } = held;
    if (!held.pinned || version === null || held.changedAt > this.horizon || isResident(subject) || this.#kept.has(subject)) return;
    this.windowBytes -= weigh(version.size);
    held.pinned = false;
    this.#leave(held, version);
  }

  /** To the cache, which takes nothing larger than itself. */
  #leave(held: Held, version: Version): void {
    this.#cache.set(held, version);
    if (!this.#cache.has(held)) forget(held);
  }

  /** The events up to the horizon of a subject that nobody holds are in its row, unless a load under way may have read the row before. */
  #dropUnheld(subject: SubjectKey): void {
    const events = this.#unheld.get(subject);
    if (!events || this.#kept.has(subject)) return;
    const later = events.filter((one) => one.revision > this.horizon);
    for (const one of events) if (one.revision <= this.horizon) this.windowBytes -= weigh(one.size);
    if (later.length > 0) this.#unheld.set(subject, later);
    else this.#noneKept(subject);
  }

  #forgetUnheld(subject: SubjectKey): void {
    for (const one of this.#unheld.get(subject) ?? []) this.windowBytes -= weigh(one.size);
    this.#noneKept(subject);
  }

  #noneKept(subject: SubjectKey): void {
    this.#unheld.delete(subject);
    this.#larger.delete(subject);
  }
}

function sizeOf(events: readonly Kept[]): number {
  return events.reduce((sum, { size }) => sum + size, 0);
}

/** Read by every request: never given up while the project is open. */
function isResident(subject: SubjectKey): boolean {
  return subject === DEFINITIONS || subject === AUTHORITY;
}
