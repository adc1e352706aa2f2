import type { Scheduler } from '../../kernel/scheduler.ts';

/** Something that ends at a time, unless it is settled before. */
export interface Settleable {
  readonly settled: boolean;
}

interface Entry<T> {
  readonly item: T;
  /** By the scheduler's monotonic clock: the wall clock may be set back. */
  readonly at: number;
}

/**
 * Deadlines in the order in which they were set. All requests have the same time limit, so one timer serves them all. A settled item is
 * released as soon as all earlier ones are.
 */
export class Deadlines<T extends Settleable> {
  readonly #scheduler: Scheduler;
  readonly #afterMs: number;
  readonly #expired: (item: T) => void;
  #entries: (Entry<T> | undefined)[] = [];
  /** Items before this index are settled and released. They are removed many at a time. */
  #start = 0;
  #armed = false;

  constructor(scheduler: Scheduler, afterMs: number, expired: (item: T) => void) {
    this.#scheduler = scheduler;
    this.#afterMs = afterMs;
    this.#expired = expired;
  }

  add(item: T): void {
    this.#forgetSettled();
    this.#entries.push({ item, at: this.#scheduler.monotonic() + this.#afterMs });
    this.#arm();
  }

  #arm(): void {
    const first = this.#entries[this.#start];
    if (this.#armed || !first) return;
    this.#armed = true;
    this.#scheduler.after(Math.max(first.at - this.#scheduler.monotonic(), 1), () => {
      this.#armed = false;
      this.#sweep();
      this.#arm();
    });
  }

  #sweep(): void {
    const now = this.#scheduler.monotonic();
    const due: T[] = [];
    for (let first = this.#entries[this.#start]; first && (first.item.settled || first.at <= now); first = this.#entries[this.#start]) {
      if (!first.item.settled) due.push(first.item);
      this.#releaseFirst();
    }
    for (const item of due) if (!item.settled) this.#expired(item);
  }

  /** Runs at once: an item refers to its whole request, and one that is kept a moment longer outlives the young generation. */
  #forgetSettled(): void {
    while (this.#entries[this.#start]?.item.settled) this.#releaseFirst();
  }

  #releaseFirst(): void {
    this.#entries[this.#start] = undefined;
    this.#start += 1;
    if (this.#start < 256 || this.#start * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }
}
