import type { Scheduler } from '../../kernel/scheduler.ts';

/** For so long after another node's write this one is not alone. */
const CONTENDED_MS = 1000;
/** The last append may have been the slowest ever. */
const LONGEST_MS = 50;
/** Below this a timer would take longer than the pause. */
const SHORTEST_MS = 0.5;

/**
 * A node that saw another one write to the same project leaves one append's time between its own appends, so that no node starves.
 * It is owed after an append that won; who lost goes next, or the same node would lose again and again.
 */
export class Courtesy {
  readonly #scheduler: Scheduler;
  /** How long an append takes, smoothed, ms. */
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
