import type { Notifier } from '../notifier.ts';
import type { Reader } from './read.ts';

/** The time from one answer to the next request. */
export const HEARTBEAT_MS = 250;
/** An answer that is older than this says nothing about the present. */
const FRESH_MS = 500;

/** The end of the log, as of the last answer. */
export class End {
  failure: Error | null = null;
  readonly #reader: Reader;
  readonly #notifier: Notifier;
  readonly #stop: AbortSignal;
  /** An answer has come that has not confirmed anything yet. */
  isOpen = false;
  /** When that answer, or the one before it, was requested. */
  #requestedAt: number;
  #confirmedAt: number;
  #isRequested = false;
  #position: bigint | null = null;

  constructor(reader: Reader, notifier: Notifier, stop: AbortSignal, confirmedAt: number | null) {
    this.#reader = reader;
    this.#notifier = notifier;
    this.#stop = stop;
    this.#requestedAt = confirmedAt ?? Number.NEGATIVE_INFINITY;
    this.#confirmedAt = this.#requestedAt;
  }

  isDue(): boolean {
    return !this.#isRequested && performance.now() - this.#requestedAt >= HEARTBEAT_MS;
  }

  request(): void {
    this.#isRequested = true;
    const requestedAt = performance.now();
    const answered = (position: bigint | null) => {
      this.#isRequested = false;
      this.#position = position;
      this.#requestedAt = requestedAt;
      this.isOpen = true;
      this.#notifier.notify();
    };
    const failed = (error: Error) => {
      this.failure = error;
      this.#notifier.notify();
    };
    this.#reader.end(this.#stop).then(answered, failed);
  }

  /** Whether a fresh answer lies at or before `position`. Each answer confirms only once. */
  confirms(position: bigint | null): boolean {
    const reached = this.isOpen && (this.#position === null || (position !== null && position >= this.#position));
    if (!reached || performance.now() - this.#requestedAt > FRESH_MS) return false;
    this.isOpen = false;
    this.#confirmedAt = this.#requestedAt;
    return true;
  }

  /** Whether the follower was at the end of the log a moment ago. */
  isConfirmed(): boolean {
    return performance.now() - this.#confirmedAt <= FRESH_MS;
  }

  /** Whether the log goes on after `position`, and a subscription with a last message at `lastMessageAt` hardly brings it soon. */
  isBeyond(position: bigint | null, lastMessageAt: number, graceMs: number): boolean {
    if (!this.isOpen || this.#position === null || (position !== null && position >= this.#position)) return false;
    const now = performance.now();
    return now - lastMessageAt >= graceMs || now - this.#requestedAt >= HEARTBEAT_MS;
  }
}
