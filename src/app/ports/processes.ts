/** The processes of an installation and what they did, a day long. Times are unix milliseconds. */

/** A running process, which writes its own row. */
interface ProcessSeen {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly roles: string;
  readonly startedAt: number;
  readonly seenAt: number;
}

/** What one process, or all together, did in a stretch of time. */
export interface Activity {
  readonly requests: number;
  /** Of them, answered with a status of the four hundreds, and of the five hundreds. */
  readonly refused: number;
  readonly failed: number;
  /** Time of a request, ms: half took less, and all but a hundredth. `null`: there was none. Of several, the longest. */
  readonly p50: number | null;
  readonly p99: number | null;
  /** The share of the time, from 0 to 1, in which the thread of a process computed. Of several, the largest. */
  readonly busy: number;
  /** Bytes, of all processes. */
  readonly memory: number;
  /** Revisions that read models lack. Of several, the most. */
  readonly behind: number;
}

/** One piece of the day. */
export interface Piece extends Activity {
  readonly at: number;
}

/** A process with its last minute, as far as that has gone. */
export interface ProcessNow extends ProcessSeen {
  readonly last: Piece | null;
}

export interface ProcessTable {
  /** Stores that a process is there, and its minute so far, in place of what it stored of that minute before. */
  note(process: ProcessSeen, minute: number, activity: Activity): Promise<void>;
  /** Those that were seen since, newest start first. */
  seenSince(since: number): Promise<readonly ProcessNow[]>;
  /** Pieces of `stepMs` from `since` on, oldest first, of all processes together. Those in which nothing was stored are left out. */
  day(since: number, stepMs: number): Promise<readonly Piece[]>;
  /** Forgets what is older. */
  sweep(before: number): Promise<void>;
}
