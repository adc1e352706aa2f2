/** Who holds streams: the project, the key that opened them, the client's address. */
export const STREAM_HOLDERS = ['project', 'key', 'address'] as const;
type StreamHolder = (typeof STREAM_HOLDERS)[number];

/** How many streams of live changes, and topics of them, may be open in this process. */
export interface LiveBounds {
  /** Streams over all projects. */
  readonly streams: number;
  readonly of: Readonly<Record<StreamHolder, LiveAmounts>>;
}

export interface LiveAmounts {
  readonly streams: number;
  readonly topics: number;
}

/** The bound that refused a stream. */
export type LiveBound = StreamHolder | 'process';
