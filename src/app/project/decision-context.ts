import type { Space } from '../../domain/events.ts';
import type { StateOf, SubjectKind } from '../../domain/states.ts';
import { collectionSubject, documentSubject, type Subject, type SubjectKey } from '../../domain/subjects.ts';
import { current, type Entry, newVersion, type Version, versionOf } from './version.ts';
import type { WorkingSet } from './working-set.ts';

/**
 * Thrown when a decision reads what is not in memory. The runner loads it and decides again from the start. It is not an `Error`: nothing
 * failed, and a stack would cost more than the decision.
 */
export class NeedsLoading {
  readonly subjects: readonly Subject[];
  constructor(subjects: readonly Subject[]) {
    this.subjects = subjects;
  }
}

/** Up to this many subjects are searched one by one. A map would cost more. */
const FEW = 8;
/** Subjects that one load may bring. */
const MAX_MISSING = 1000;
/** Stands for what is not in memory while a context collects. */
const UNKNOWN = newVersion(null, 0);

/**
 * The decision context. It notes every subject with the version that was read, also one that does not exist, so the writer can later tell
 * whether the decision still holds.
 *
 * A *collecting* context answers "never existed" for what is not in memory and goes on. The result of such a run is worthless, but the run
 * has asked for most of what the decision needs, which is then loaded at once.
 */
export class DecisionContext {
  /** The subjects read, beside their versions: a decision reads few subjects, each several times. */
  readonly #entries: Entry[] = [];
  readonly #versions: Version[] = [];
  /** The same, for a decision that reads many. */
  #versionsBySubject: Map<Subject, Version> | null = null;
  /** Whether anything read is not durable yet. */
  speculative = false;
  /** Set by a command that can change nothing: its answer is a read, for which this node's head is good enough. */
  onlyReads = false;
  readonly #set: WorkingSet;
  readonly #collecting: boolean;
  /** What a collecting context did not find. Made when first needed, as the sets below: most decisions need none. */
  #missing: Set<Subject> | null = null;
  #assumedAbsent: Set<Subject> | null = null;
  /** Collections that were looked through, with the revision of their last change. */
  #scanned: Map<SubjectKey, number> | null = null;

  constructor(set: WorkingSet, collecting = false) {
    this.#set = set;
    this.#collecting = collecting;
  }

  /** What a collecting context did not find, if anything. */
  get missing(): readonly Subject[] | null {
    return this.#missing && [...this.#missing];
  }

  /** The subject's state, or `null` if it never existed. */
  read<K extends SubjectKind>(subject: Subject<K>): StateOf[K] | null {
    return versionOf<K>(this.version(subject))?.state ?? null;
  }

  version(subject: Subject): Version {
    const noted = this.versionRead(subject);
    if (noted) return noted;
    const entry = this.#set.peek(subject);
    const version = entry && current(entry);
    if (!version) return this.#unknown(subject);
    this.#set.reads.hits += 1;
    this.#note(entry, version);
    if (!version.durable) this.speculative = true;
    return version;
  }

  /** The version that was read of a subject. */
  versionRead(subject: Subject): Version | undefined {
    if (this.#versionsBySubject !== null) return this.#versionsBySubject.get(subject);
    for (let at = 0; at < this.#entries.length; at += 1) if (this.#entries[at]?.subject === subject) return this.#versions[at];
    return undefined;
  }

  #note(entry: Entry, version: Version): void {
    this.#entries.push(entry);
    this.#versions.push(version);
    if (this.#versionsBySubject !== null) this.#versionsBySubject.set(entry.subject, version);
    else if (this.#entries.length > FEW)
      this.#versionsBySubject = new Map(this.#entries.map(({ subject }, at) => [subject, this.#versions[at] ?? version]));
  }

  /** Marks what was read and will not change as used in the cache, so it is not forgotten next. */
  used(): void {
    for (const entry of this.#entries) this.#set.used(entry);
  }

  /** Notes a subject as read and absent without looking: only for names made of fresh random bits. */
  assumeAbsent(subject: Subject): void {
    this.#assumedAbsent ??= new Set();
    this.#assumedAbsent.add(subject);
  }

  isAssumedAbsent(subject: Subject): boolean {
    return this.#assumedAbsent?.has(subject) ?? false;
  }

  /** Throws {@link NeedsLoading} for everything missing, so one round trip loads it. A single missing subject is left to its read. */
  expect(subjects: readonly Subject[]): void {
    if (subjects.length === 1 || this.#collecting) return;
    const missing = subjects.filter((subject) => !this.#set.peek(subject));
    if (missing.length > 0) throw new NeedsLoading(missing);
  }

  /** Revision up to which the rows of the state tables show every change. */
  get horizon(): number {
    return this.#set.horizon;
  }

  /**
   * Keys of documents that changed since their collection's rows were written. The collection counts as read: a decision that looked
   * through it fails once anything in it has changed.
   */
  changedKeys(space: Space, collection: string): readonly string[] {
    const spaces = space === 'live' ? [space] : [space, 'live' as const];
    this.#scanned ??= new Map();
    for (const each of spaces) {
      const subject = collectionSubject(each, collection);
      this.#scanned.set(subject, this.#set.collectionChangedAt(subject));
    }
    const prefixes = spaces.map((each) => documentSubject(each, collection, ''));
    return prefixes.flatMap((prefix) => [...this.#set.changedWithPrefix(prefix)].map((subject) => subject.slice(prefix.length)));
  }

  #unknown(subject: Subject): Version {
    if (!this.#collecting) throw new NeedsLoading([subject]);
    this.#missing ??= new Set();
    this.#missing.add(subject);
    if (this.#missing.size >= MAX_MISSING) throw new NeedsLoading([...this.#missing]);
    return UNKNOWN;
  }

  /** Whether everything read is still what it was. */
  holds(): boolean {
    for (const [at, { subject }] of this.#entries.entries()) {
      const entry = this.#set.peek(subject);
      if (!entry || current(entry) !== this.#versions[at]) return false;
    }
    return !this.#isScanOutdated();
  }

  /**
   * Whether another node changed what was read. What no longer holds without that was read from commands of this node that are decided
   * again themselves.
   */
  isOvertaken(): boolean {
    for (const [at, { subject }] of this.#entries.entries()) {
      const read = this.#versions[at];
      const durable = this.#set.peek(subject)?.version ?? read;
      if (read?.durable && durable !== read) return true;
    }
    return this.#isScanOutdated();
  }

  #isScanOutdated(): boolean {
    if (this.#scanned === null) return false;
    for (const [subject, changedAt] of this.#scanned) if (this.#set.collectionChangedAt(subject) !== changedAt) return true;
    return false;
  }
}
