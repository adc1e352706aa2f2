import type { Scheduler } from '../../kernel/scheduler.ts';

/** How long after another node's write this node counts as contended, ms. */
const CONTENDED_MS = 1000;
/** Longest pause, because the last append may have been unusually slow, ms. */
const LONGEST_MS = 50;
/** Shortest pause, because a timer takes that long, ms. */
const SHORTEST_MS = 0.5;

/**
 * Contention back-off. A node that saw another node write to the same project leaves the time of one append between its own appends, so no node
 * starves. It waits after an append that won. The node that lost goes next, or it would lose again and again.
 */
export class Courtesy {
  readonly #scheduler: Scheduler;
  /** Duration of an append, smoothed, ms. */
  #appendMs = 2;
  #foreignSeenAt = Number.NEGATIVE_INFINITY;
  #wonAt = Number.NEGATIVE_INFINITY;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Another node wrote. */
  sawOther(): void {
    this.#foreignSeenAt = this.#scheduler.monotonic();
  }

  /** An append of this node was stored. */
  won(tookMs: number): void {
    this.#wonAt = this.#scheduler.monotonic();
    this.#appendMs = this.#appendMs * 0.8 + tookMs * 0.2;
  }

  /** Milliseconds to wait before the next append. */
  pause(): number {
    const now = this.#scheduler.monotonic();
    if (now - this.#foreignSeenAt >= CONTENDED_MS) return 0;
    const left = this.#wonAt + this.#appendMs - now;
    return left > SHORTEST_MS ? Math.min(left, this.#appendMs, LONGEST_MS) : 0;
  }
}
