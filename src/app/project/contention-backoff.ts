import type { Scheduler } from '../../kernel/scheduler.ts';

/** How long after another node's write this node counts as contended, ms. */
const CONTENDED_MS = 1000;
/** Longest pause, because the last append may have been unusually slow, ms. */
const MAX_DELAY_MS = 50;
/** Shortest pause, because a timer takes that long, ms. */
const MIN_DELAY_MS = 0.5;

/**
 * Contention back-off. A node that saw another node write to the same project leaves the time of one append between its own appends, so no
 * node starves. It waits after an append that won. The node that lost goes next, or it would lose again and again.
 */
export class ContentionBackoff {
  readonly #scheduler: Scheduler;
  /** Duration of an append, smoothed, ms. */
  #appendMs = 2;
  #foreignSeenAt = Number.NEGATIVE_INFINITY;
  #appendedAt = Number.NEGATIVE_INFINITY;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Another node wrote. */
  foreignWrite(): void {
    this.#foreignSeenAt = this.#scheduler.monotonic();
  }

  /** An append of this node was stored. */
  appended(tookMs: number): void {
    this.#appendedAt = this.#scheduler.monotonic();
    this.#appendMs = this.#appendMs * 0.8 + tookMs * 0.2;
  }

  /** Milliseconds to wait before the next append. */
  delayMs(): number {
    const now = this.#scheduler.monotonic();
    if (now - this.#foreignSeenAt >= CONTENDED_MS) return 0;
    const left = this.#appendedAt + this.#appendMs - now;
    return left > MIN_DELAY_MS ? Math.min(left, this.#appendMs, MAX_DELAY_MS) : 0;
  }
}
