import type { Space } from '../../domain/events.ts';
import type { SubjectState } from '../../domain/states.ts';
import { collectionSubject, documentSubject, type SubjectKey } from '../../domain/subjects.ts';
import { current, type Held, newVersion, readCounts, type Version, type WorkingSet } from './working-set.ts';

/**
 * Thrown by a view when a decision reads what is not in memory: the runner loads it and decides again from the start. Not an `Error`:
 * nothing failed, and a stack would cost more than the decision.
 */
export class NeedsLoading {
  readonly subjects: readonly SubjectKey[];
  constructor(subjects: readonly SubjectKey[]) {
    this.subjects = subjects;
  }
}

/** Up to so many subjects are looked through, which costs less than looking them up. */
const FEW = 8;
/** As many as one load may bring. */
const MAX_MISSING = 1000;
/** Stands for whatever is not in memory while a view collects. */
const UNKNOWN = newVersion(null, 0);

/**
 * What a decision reads through. It notes every subject with the version it saw, absence included, so that the writer can tell
 * later whether the decision still stands.
 *
 * A view that *collects* answers "never existed" for what is not in memory and goes on: what comes of such a run is worth nothing,
 * but it has asked for most of what the decision needs, which then is one load instead of one for each.
 */
export class View {
  /** What was read, and the versions that it had, side by side: a decision reads few subjects, each several times. */
  readonly #read: Held[] = [];
  readonly #versions: Version[] = [];
  /** The same of a decision that reads many. */
  #byMany: Map<SubjectKey, Version> | null = null;
  /** Whether anything read is not durable yet. */
  speculative = false;
  readonly #set: WorkingSet;
  readonly #collecting: boolean;
  /** What a collecting view did not find. Made when first needed, as those below: most decisions have none. */
  #missing: Set<SubjectKey> | null = null;
  #fresh: Set<SubjectKey> | null = null;
  /** Collections that were looked through, with the revision of their last change. */
  #scanned: Map<SubjectKey, number> | null = null;

  constructor(set: WorkingSet, collecting = false) {
    this.#set = set;
    this.#collecting = collecting;
  }

  /** What a collecting view did not find, if anything. */
  get missing(): readonly SubjectKey[] | null {
    return this.#missing && [...this.#missing];
  }

  /** The subject's state, or `null` when it never existed. */
  read(subject: SubjectKey): SubjectState | null {
    return this.version(subject).state;
  }

  version(subject: SubjectKey): Version {
    const noted = this.seen(subject);
    if (noted) return noted;
    const held = this.#set.look(subject);
    const version = held && current(held);
    if (!version) return this.#unknown(subject);
    readCounts.hits += 1;
    this.#note(held, version);
    if (!version.durable) this.speculative = true;
    return version;
  }

  /** The version that was read of a subject. */
  seen(subject: SubjectKey): Version | undefined {
    if (this.#byMany !== null) return this.#byMany.get(subject);
    for (let at = 0; at < this.#read.length; at += 1) if (this.#read[at]?.subject === subject) return this.#versions[at];
    return undefined;
  }

  #note(held: Held, version: Version): void {
    this.#read.push(held);
    this.#versions.push(version);
    if (this.#byMany !== null) this.#byMany.set(held.subject, version);
    else if (this.#read.length > FEW) this.#byMany = new Map(this.#read.map(({ subject }, at) => [subject, this.#versions[at] ?? version]));
  }

  /** What was read and is not about to change counts as used: it is not the next to be forgotten. */
  used(): void {
    for (const held of this.#read) this.#set.used(held);
  }

  /** Notes a subject as read and absent without looking: only for names made of fresh random bits. */
  assumeAbsent(subject: SubjectKey): void {
    this.#fresh ??= new Set();
    this.#fresh.add(subject);
  }

  isFresh(subject: SubjectKey): boolean {
    return this.#fresh?.has(subject) ?? false;
  }

  /** Throws {@link NeedsLoading} for all that is missing at once, so that one round trip fetches it. One alone is left to its read. */
  expect(subjects: readonly SubjectKey[]): void {
    if (subjects.length === 1 || this.#collecting) return;
    const missing = subjects.filter((subject) => !this.#set.look(subject));
    if (missing.length > 0) throw new NeedsLoading(missing);
  }

  /** Revision up to which the rows of the state tables show every change. */
  get horizon(): number {
    return this.#set.horizon;
  }

  /**
   * Keys of documents that changed since the rows of their collection were written. The collection counts as read: a decision that
   * looked through it does not hold once anything in it has changed.
   */
  changedKeys(space: Space, collection: string): readonly string[] {
    const spaces = space === 'live' ? [space] : [space, 'live' as const];
    this.#scanned ??= new Map();
    for (const each of spaces) {
      const subject = collectionSubject(each, collection);
      this.#scanned.set(subject, this.#set.collectionChangedAt(subject));
    }
    const beginnings = spaces.map((each) => documentSubject(each, collection, ''));
    return beginnings.flatMap((beginning) => [...this.#set.changedUnder(beginning)].map((subject) => subject.slice(beginning.length)));
  }

  #unknown(subject: SubjectKey): Version {
    if (!this.#collecting) throw new NeedsLoading([subject]);
    this.#missing ??= new Set();
    this.#missing.add(subject);
    if (this.#missing.size >= MAX_MISSING) throw new NeedsLoading([...this.#missing]);
    return UNKNOWN;
  }

  /** Whether everything read is still what it was. */
  holds(): boolean {
    for (const [at, { subject }] of this.#read.entries()) {
      const held = this.#set.look(subject);
      if (!held || current(held)?.token !== this.#versions[at]?.token) return false;
    }
    if (this.#scanned === null) return true;
    for (const [subject, changedAt] of this.#scanned) if (this.#set.collectionChangedAt(subject) !== changedAt) return false;
    return true;
  }
}
