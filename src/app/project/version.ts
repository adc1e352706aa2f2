import type { StateOf, SubjectKind, SubjectState } from '../../domain/states.ts';
import type { Subject } from '../../domain/subjects.ts';

/** What the memory of the write side is made of: an entry for each subject, and in it the versions of its state. */

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
  /** Derived from the state and kept with it. Set by `WorkingSet.keepMemo`. */
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

/** What a decision sees of a subject; `null` if it must be loaded. */
export function current({ speculative, version }: Entry): Version | null {
  return speculative ?? version;
}
