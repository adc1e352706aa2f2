/** Hears what the streams of live changes do, for the metrics. */
export interface LiveObserver {
  /** Streams that are open. */
  open(streams: number): void;
  /** Bytes (characters of texts) that topics keep of their values. */
  values(bytes: number): void;
  message(): void;
  /** A client was told to read anew. */
  resync(): void;
  /** A stream was refused because there are too many. */
  refused(): void;
}
