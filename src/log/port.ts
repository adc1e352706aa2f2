/**
 * The log port: what the product asks of an event store, and nothing more.
 *
 * Data and metadata travel as the JSON text that was stored, never as parsed values: the hash chain covers those bytes,
 * and numbers beyond doubles must survive. An adapter never looks inside them.
 */

/** An event as its writer hands it over. `id` is a UUID; `data` and `metadata` are JSON texts. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** Bytes of an event, as limits count them: those of both texts. */
export function bytesOf({ data, metadata }: Pick<NewEvent, 'data' | 'metadata'>): number {
  return Buffer.byteLength(data) + Buffer.byteLength(metadata);
}

/** An event as the log gives it back. Revisions of a stream are dense from 0; positions strictly increase over all streams. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
}

/**
 * What the writer believes is the stream's last revision. `none`: the stream does not exist. `any`: no check (for telemetry only: a retry
 * may store it twice).
 */
export type ExpectedRevision = number | 'none' | 'any';

/** A conflict is a value and not an error: it is an everyday answer, and it carries the revision that was found. */
export type AppendResult =
  | { readonly ok: true; readonly revision: number; readonly position: bigint }
  | { readonly ok: false; readonly actual: number | 'none' };

export interface ReadRange {
  /** First revision to read, inclusive. Forwards defaults to 0, backwards to the last event. */
  readonly from?: number;
  /** At least 1. */
  readonly limit: number;
  readonly direction: 'forwards' | 'backwards';
  /**
   * Ids of events whose data the reader has: an engine may give an empty text in place of data that are long. It does not where these were
   * redacted since.
   */
  readonly known?: readonly string[];
}

export interface Head {
  readonly revision: number;
  readonly position: bigint;
}

/**
 * One step of following. `events` may be empty. `position` is where to resume: everything up to it was given. `caughtUp` says that nothing
 * lay beyond `position` when the log was asked. An idle follower repeats that at least every 500 ms, so that a reader can tell "nothing
 * new" from "no answer".
 */
export interface FollowStep {
  readonly events: readonly RecordedEvent[];
  readonly caughtUp: boolean;
  readonly position: bigint;
}

export interface FollowOptions {
  /** Streams whose name begins with this. */
  readonly prefix: string;
  /**
   * Exclusive; `null` starts at the first event of the log. Any other value must be a position that the log gave out, of an event or of a
   * step. Each engine has its own positions, and a number between two of them may not be one.
   */
  readonly after: bigint | null;
  readonly signal: AbortSignal;
  /** Called whenever following failed without any progress, before it tries again. So a follower without new events can say why. */
  readonly onError?: (error: unknown) => void;
}

/** All that an engine of the log must be able to do. The suite in `test/contract/log` is run against every adapter. */
export interface Log {
  /**
   * Stores all events or none, at exactly `expected`. Sending the identical append (same ids) again at the same exact revision, or `none`,
   * gets the first answer again and stores nothing twice. Throws {@link OutcomeUnknown} when it may have been stored, {@link
   * LogUnavailable} when it certainly was not, {@link AppendTooLarge} before anything is sent.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult>;
  /** A missing stream reads as empty. Throws {@link LogUnavailable}. */
  read(stream: string, range: ReadRange): Promise<readonly RecordedEvent[]>;
  /** `null` for a stream without events. Throws {@link LogUnavailable}. */
  head(stream: string): Promise<Head | null>;
  /**
   * Truncates the stream: gives up its events below the revision `before`, but always keeps at least the last one. A read from 0 then
   * begins at the first event that is kept. Heads, revisions and positions stay as they are, and appends go on; an append that is sent
   * again is recognised only while its events are kept. Following may still give what was truncated, or not. Doing it twice is harmless,
   * and a lower `before` does nothing. Only for streams that `isTruncatable` (streams.ts) names; any other is refused. Throws {@link
   * LogUnavailable}.
   */
  truncate(stream: string, before: number): Promise<void>;
  /**
   * Replaces the data of these events by their commitments, for good; an event of the stream must allow it. Doing it twice is harmless.
   * Following, and processes that hold them in memory, may still give what was replaced for a while. Left out: the engine cannot change an
   * event. Throws {@link LogUnavailable}.
   */
  redact?(stream: string, revisions: readonly number[]): Promise<void>;
  /** Position of the last event of the whole log; `null` when it is empty. Throws {@link LogUnavailable}. */
  end(): Promise<bigint | null>;
  /** Gives steps until `signal` aborts, then returns. It never ends before, and retries outages from its own position. */
  follow(options: FollowOptions): AsyncIterable<FollowStep>;
  close(): Promise<void>;
}

/** The append may or may not have been stored: send the identical one again until the answer is known. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The log could not be reached, and nothing was stored. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** One append is larger than the engine takes. */
export class AppendTooLarge extends Error {
  override readonly name = 'AppendTooLarge';
}
