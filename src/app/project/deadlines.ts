import type { Scheduler } from '../../kernel/scheduler.ts';

/** Something that ends at a time, unless it is settled before. */
export interface Ending {
  readonly settled: boolean;
}

interface Entry<T> {
  readonly item: T;
  /** By the scheduler's monotonic clock: the wall clock may be set back. */
  readonly at: number;
}

/**
 * Deadlines that come in the order in which they were set, as all requests have the same time: one timer for all of them, instead of
 * one to be made and taken back for every request. What is settled is let go of as soon as everything before it is.
 */
export class Deadlines<T extends Ending> {
  readonly #scheduler: Scheduler;
  readonly #afterMs: number;
  readonly #expired: (item: T) => void;
  #entries: (Entry<T> | undefined)[] = [];
  /** What lies before this place is settled and let go of; cut off many at a time. */
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
      this.#letGoOfFirst();
    }
    for (const item of due) if (!item.settled) this.#expired(item);
  }

  /** At once, since an item holds on to all of its request: kept a moment longer, it outlives the young generation. */
  #forgetSettled(): void {
    while (this.#entries[this.#start]?.item.settled) this.#letGoOfFirst();
  }

  #letGoOfFirst(): void {
    this.#entries[this.#start] = undefined;
    this.#start += 1;
    if (this.#start < 256 || this.#start * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }
}
