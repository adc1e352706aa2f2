import type { Bell } from '../signal.ts';
import type { Reader } from './read.ts';

/** How long after one answer the next is asked for. */
export const HEARTBEAT_MS = 250;
/** An answer that is older than this says nothing about the present. */
const FRESH_MS = 500;

/** The end of the log, as of the last answer. */
export class End {
  failure: Error | null = null;
  readonly #reader: Reader;
  readonly #bell: Bell;
  readonly #stop: AbortSignal;
  /** An answer has come that has not confirmed anything yet. */
  isOpen = false;
  /** When that answer, or the one before it, was asked for. */
  #askedAt: number;
  #confirmedAt: number;
  #asking = false;
  #position: bigint | null = null;

  constructor(reader: Reader, bell: Bell, stop: AbortSignal, confirmedAt: number | null) {
    this.#reader = reader;
    this.#bell = bell;
    this.#stop = stop;
    this.#askedAt = confirmedAt ?? Number.NEGATIVE_INFINITY;
    this.#confirmedAt = this.#askedAt;
  }

  isDue(): boolean {
    return !this.#asking && performance.now() - this.#askedAt >= HEARTBEAT_MS;
  }

  ask(): void {
    this.#asking = true;
    const askedAt = performance.now();
    const answered = (position: bigint | null) => {
      this.#asking = false;
      this.#position = position;
      this.#askedAt = askedAt;
      this.isOpen = true;
      this.#bell.ring();
    };
    const failed = (error: Error) => {
      this.failure = error;
      this.#bell.ring();
    };
    this.#reader.end(this.#stop).then(answered, failed);
  }

  /** Whether a fresh answer lies at or before `position`. Each answer confirms only once. */
  confirms(position: bigint | null): boolean {
    const reached = this.isOpen && (this.#position === null || (position !== null && position >= this.#position));
    if (!reached || performance.now() - this.#askedAt > FRESH_MS) return false;
    this.isOpen = false;
    this.#confirmedAt = this.#askedAt;
    return true;
  }

  /** Whether the follower was at the end of the log a moment ago. */
  isConfirmed(): boolean {
    return performance.now() - this.#confirmedAt <= FRESH_MS;
  }

  /** Whether the log goes on after `position` while a subscription that was last heard at `heardAt` seems unlikely to bring it soon. */
  isBeyond(position: bigint | null, heardAt: number, graceMs: number): boolean {
    if (!this.isOpen || this.#position === null || (position !== null && position >= this.#position)) return false;
    const now = performance.now();
    return now - heardAt >= graceMs || now - this.#askedAt >= HEARTBEAT_MS;
  }
}
