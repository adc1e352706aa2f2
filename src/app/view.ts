import type { SubjectState } from '../domain/states.ts';
import type { SubjectKey } from '../domain/subjects.ts';
import { readCounts, type Version, type WorkingSet } from './working-set.ts';

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

/**
 * What a decision reads through. It notes every subject with the version it saw, absence included, so that the writer can tell
 * later whether the decision still stands.
 */
export class View {
  readonly reads = new Map<SubjectKey, Version>();
  /** Whether anything read is not durable yet. */
  speculative = false;
  readonly #set: WorkingSet;
  /** Made when first needed: most decisions have none. */
  #fresh: Set<SubjectKey> | null = null;

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** The subject's state, or `null` when it never existed. */
  read(subject: SubjectKey): SubjectState | null {
    return this.version(subject).state;
  }

  version(subject: SubjectKey): Version {
    const noted = this.reads.get(subject);
    if (noted) return noted;
    const version = this.#set.current(subject);
    if (!version) throw new NeedsLoading([subject]);
    readCounts.hits += 1;
    this.reads.set(subject, version);
    if (this.#set.isSpeculative(subject)) this.speculative = true;
    return version;
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
    if (subjects.length === 1) return;
    const missing = subjects.filter((subject) => !this.#set.current(subject));
    if (missing.length > 0) throw new NeedsLoading(missing);
  }

  /** Whether everything read is still what it was. */
  holds(): boolean {
    for (const [subject, version] of this.reads) {
      if (this.#set.current(subject)?.token !== version.token) return false;
    }
    return true;
  }
}
