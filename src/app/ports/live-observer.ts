import type { LiveBound } from './live-bounds.ts';

/** Observes the streams of live changes, for metrics. */
export interface LiveObserver {
  /** Streams that are open, and their topics. */
  open(streams: number, topics: number): void;
  /** Characters of all values that topics keep. */
  values(bytes: number): void;
  message(): void;
  /** A client was told to read anew. */
  resync(): void;
  /** A stream was refused because there are too many, or too many topics, of what is named. */
  refused(by: LiveBound): void;
}
