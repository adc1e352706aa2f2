import { hash as digest } from 'node:crypto';
import { hashOf } from '../chain.ts';
import type { AppendResult, NewEvent, RecordedEvent } from '../port.ts';

/** What copying asks of its two ends. A log of any engine is both; so is a file, which is no log: it cannot be read by stream. */

export interface CopySource {
  /** Whether positions count the events from 1 without holes, as in Postgres, in memory and in files. */
  readonly counted: boolean;
  /**
   * The events after `after` in the order of the log. Goes on after a step that is caught up, until `signal` aborts; a file ends
   * there. Throws `LogUnavailable` when nothing is heard for long.
   */
  steps(after: bigint | null, signal: AbortSignal): AsyncIterable<CopyStep>;
  find(stream: string, revision: number): Promise<RecordedEvent | null>;
}

export interface CopyStep {
  readonly events: readonly RecordedEvent[];
  readonly caughtUp: boolean;
  /** How much of the source has been given, from 0 to 1; `null`: not known. */
  readonly share: number | null;
}

export interface CopyTarget {
  readonly counted: boolean;
  /** How many appends to different streams may be sent in one turn and are stored in the order of sending; 1: none beside another. */
  readonly atOnce: number;
  /** The last event of the whole log; asked only where positions count. */
  end(): Promise<(Stored & { readonly stream: string; readonly position: bigint }) | null>;
  /** The last event of a stream. */
  last(stream: string): Promise<Stored | null>;
  find(stream: string, revision: number): Promise<Stored | null>;
  /** As the log port's, at an exact revision. */
  append(stream: string, expected: number | 'none', events: readonly NewEvent[]): Promise<AppendResult>;
  /** Makes what was appended last. `complete`: it is all that the source held when it was asked. */
  settle(complete: boolean): Promise<void>;
}

/** An event that the target holds, as far as copying compares it. */
export interface Stored {
  readonly revision: number;
  /** Of id, type and both texts, whether the stream is chained or not. */
  readonly fingerprint: string;
  /** The hash that the next event of the stream links to; `null` when this one is not sealed. */
  readonly hash: string | null;
}

export function storedOf(event: RecordedEvent): Stored {
  return { revision: event.revision, fingerprint: fingerprintOf(event), hash: hashOf(event.metadata) };
}

export function fingerprintOf({ id, type, metadata, data }: NewEvent): string {
  return digest('sha256', JSON.stringify([id, type, metadata, data]));
}
