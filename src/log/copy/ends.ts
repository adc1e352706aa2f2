import { hash as digest } from 'node:crypto';
import { hashOf } from '../chain.ts';
import type { AppendResult, NewEvent, RecordedEvent } from '../port.ts';

/**
 * What copying needs of its source and its target. A log of any engine can be both. A file can, too, although it is not a log: it cannot be
 * read by stream.
 */

export interface CopySource {
  /** Whether positions count the events from 1 without a gap, as in Postgres, in memory and in files. */
  readonly hasDensePositions: boolean;
  /**
   * The events after `after`, in the order of the log. A log goes on after a step that is caught up, until `signal` aborts; a file ends
   * there. Throws `LogUnavailable` when nothing is heard for long.
   */
  steps(after: bigint | null, signal: AbortSignal): AsyncIterable<CopyStep>;
  find(stream: string, revision: number): Promise<RecordedEvent | null>;
}

export interface CopyStep {
  readonly events: readonly RecordedEvent[];
  readonly caughtUp: boolean;
  /** How much of the source has been given, from 0 to 1; `null`: not known. */
  readonly fraction: number | null;
}

export interface CopyTarget {
  readonly hasDensePositions: boolean;
  /** How many appends to different streams may be sent in one turn and are stored in the order of sending. 1: only one at a time. */
  readonly maxConcurrentAppends: number;
  /** The last event of the whole log. Asked only where positions count events. */
  end(): Promise<(Stored & { readonly stream: string; readonly position: bigint }) | null>;
  /** The last event of a stream. */
  last(stream: string): Promise<Stored | null>;
  find(stream: string, revision: number): Promise<Stored | null>;
  /** As `append` of the log port, always at an exact revision. */
  append(stream: string, expected: number | 'none', events: readonly NewEvent[]): Promise<AppendResult>;
  /** Makes the events that were appended durable. `complete`: they are all that the source held when it was asked. */
  settle(complete: boolean): Promise<void>;
}

/** What a copy compares of an event that the target holds. */
export interface Stored {
  readonly revision: number;
  /** Hash of id, type and both texts, whether the stream is chained or not. */
  readonly fingerprint: string;
  /** The hash that the next event of the stream links to; `null` when this one is not sealed. */
  readonly hash: string | null;
}

/** What a copy compares of this event. */
export function storedOf(event: RecordedEvent): Stored {
  return { revision: event.revision, fingerprint: fingerprintOf(event), hash: hashOf(event.metadata) };
}

/** SHA-256 of id, type and both texts: equal for equal events only. */
export function fingerprintOf({ id, type, metadata, data }: NewEvent): string {
  return digest('sha256', JSON.stringify([id, type, metadata, data]));
}
