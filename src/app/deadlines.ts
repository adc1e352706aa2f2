import type { Scheduler } from '../kernel/scheduler.ts';

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
  #entries: Entry<T>[] = [];
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
    const [first] = this.#entries;
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
    const pending = this.#entries.findIndex(({ item, at }) => !item.settled && at > now);
    const due = this.#entries.splice(0, pending < 0 ? this.#entries.length : pending);
    for (const { item } of due) if (!item.settled) this.#expired(item);
  }

  /** Cut in pieces, so that each costs little however many wait. */
  #forgetSettled(): void {
    if (this.#entries.length < 512 || !this.#entries[255]?.item.settled) return;
    const pending = this.#entries.findIndex(({ item }) => !item.settled);
    this.#entries.splice(0, pending < 0 ? this.#entries.length : pending);
  }
}
