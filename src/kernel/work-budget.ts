import type { Scheduler } from './scheduler.ts';

/** What it may take at once after a rest, ms. */
const BURST_MS = 20;
/** What it may owe: a piece may have waited for work of others, which was counted as well, ms. */
const MOST_DEBT_MS = 50;

type WorkBudgetScheduler = Pick<Scheduler, 'monotonic' | 'computed' | 'after' | 'defer'>;

/**
 * Bounds how much of the CPU many small pieces of work take, such as the values of live topics. Each is cheap, so turns of the event loop
 * do not hold them up. What was not taken is saved up to a burst. Pieces beyond that wait, one after the other.
 */
export class WorkBudget {
  readonly #scheduler: WorkBudgetScheduler;
  readonly #share: number;
  readonly #waiting: (() => void)[] = [];
  #savedMs = BURST_MS;
  #at: number;
  #isDue = false;

  /** `share`: the part of one CPU that the work may take. */
  constructor(scheduler: WorkBudgetScheduler, share: number) {
    this.#scheduler = scheduler;
    this.#share = share;
    this.#at = scheduler.monotonic();
  }

  /** What to await before a piece of work; `null`: it may begin. */
  wait(): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#saved() > 0) return null;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#wakeLater();
    });
  }

  /** Does a piece of work, and counts what this thread computes meanwhile. */
  async count<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#scheduler.computed();
    try {
      return await work();
    } finally {
      this.spend(this.#scheduler.computed() - before);
    }
  }

  spend(ms: number): void {
    this.#savedMs = Math.max(-MOST_DEBT_MS, this.#saved() - ms);
  }

  #saved(): number {
    const now = this.#scheduler.monotonic();
    this.#savedMs = Math.min(BURST_MS, this.#savedMs + (now - this.#at) * this.#share);
    this.#at = now;
    return this.#savedMs;
  }

  #wakeLater(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const restMs = -this.#saved() / this.#share;
    if (restMs > 0) this.#scheduler.after(restMs, () => this.#wake());
    else this.#scheduler.defer(() => this.#wake());
  }

  /** Lets one piece begin. The next one follows in a later turn, when this one has been counted. */
  #wake(): void {
    this.#isDue = false;
    if (this.#saved() >= 0) this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#wakeLater();
  }
}
