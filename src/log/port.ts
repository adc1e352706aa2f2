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

/** Bytes of an event, as limits count them. */
export function bytesOf({ data, metadata }: Pick<NewEvent, 'data' | 'metadata'>): number {
  return Buffer.byteLength(data) + Buffer.byteLength(metadata);
}

/** An event as the log gives it back. Revisions of a stream are dense from 0; positions strictly increase over all streams. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
}

/** What the writer believes is the stream's last revision. `none`: no such stream yet. `any`: do not care (telemetry only: its retry may store twice). */
export type ExpectedRevision = number | 'none' | 'any';

/** A conflict is a value: it is an everyday answer, and it carries the revision that was found. */
export type AppendResult =
  | { readonly ok: true; readonly revision: number; readonly position: bigint }
  | { readonly ok: false; readonly actual: number | 'none' };

export interface ReadRange {
  /** First revision to read, inclusive. Forwards defaults to 0, backwards to the last event. */
  readonly from?: number;
  /** At least 1. */
  readonly limit: number;
  readonly direction: 'forwards' | 'backwards';
}

export interface Head {
  readonly revision: number;
  readonly position: bigint;
}

/**
 * One step of following. `events` may be empty. `caughtUp` says that, when the log was asked, nothing lay beyond `position`;
 * a follower repeats it at least every 500 ms while idle, so that a reader can tell "nothing new" from "no answer".
 * `position` is where to resume: everything up to it was given.
 */
export interface FollowStep {
  readonly events: readonly RecordedEvent[];
  readonly caughtUp: boolean;
  readonly position: bigint;
}

export interface FollowOptions {
  /** Streams whose name starts with this. */
  readonly prefix: string;
  /**
   * Exclusive; `null` starts at the first event of the log. Any other must be one that the log gave out, of an event or of a step:
   * positions are an engine's own, and what lies between two of them may be no place at all.
   */
  readonly after: bigint | null;
  readonly signal: AbortSignal;
  /** Told whenever following failed before it came any further, and is about to be tried again: so a follower without news can say why. */
  readonly onTrouble?: (error: unknown) => void;
}

/** All that an engine of the log has to be able to do; `test/contract/log` holds every adapter to it. */
export interface Log {
  /**
   * Stores all events or none, at exactly `expected`. Sending the identical append (same ids) again at the same exact revision,
   * or `none`, answers what the first one answered and stores nothing twice.
   * Throws {@link OutcomeUnknown} when it may have been stored, {@link LogUnavailable} when it certainly was not,
   * {@link AppendTooLarge} before anything is sent.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult>;
  /** A missing stream reads as empty. Throws {@link LogUnavailable}. */
  read(stream: string, range: ReadRange): Promise<readonly RecordedEvent[]>;
  /** `null` for a stream without events. Throws {@link LogUnavailable}. */
  head(stream: string): Promise<Head | null>;
  /**
   * Gives up the stream's events below the revision `before`, all but its last one at least: a read from 0 then begins at the first that is
   * kept. Heads, revisions and positions stay what they are, and appends go on; one that is sent again is known only while its events are
   * kept. Following may still give what was given up, or not. Twice is harmless, less than before is nothing. For streams that
   * `isCuttable` (streams.ts) names alone; any other is refused. Throws {@link LogUnavailable}.
   */
  truncate(stream: string, before: number): Promise<void>;
  /** Position of the last event of the whole log; `null` when it is empty. Throws {@link LogUnavailable}. */
  end(): Promise<bigint | null>;
  /** Never ends by itself before `signal` aborts, then it returns. Outages are retried inside, from its own position. */
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
