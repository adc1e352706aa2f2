import { type Scheduler, yielding } from '../../kernel/scheduler.ts';

/** A stream whose proof ends at a known time. */
export interface ExpiringStream {
  /** Checks again what its caller may read. */
  recheck(): Promise<void>;
}

/** How often proofs are checked, ms, against the wall clock. That clock may jump, so no timer is set for hours ahead. */
const CHECK_MS = 1_000;
/** Longest turn, ms. */
const TURN_MS = 4;

/**
 * Ends a stream when the proof of its player (a session, a pass) has run out, even if there is nothing to send. All streams of a node share
 * one timer, which runs only while there are proofs that run out.
 */
export class Expiries {
  readonly #scheduler: Scheduler;
  /** Unix ms. */
  readonly #ends = new Map<ExpiringStream, number>();
  /** No proof ends earlier. */
  #next = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** `end`: unix ms; replaces the one before. Infinite: nobody knows when the proof runs out. */
  watch(one: ExpiringStream, end: number): void {
    if (end === Number.POSITIVE_INFINITY) {
      this.forget(one);
      return;
    }
    this.#ends.set(one, end);
    this.#next = Math.min(this.#next, end);
    this.#cancel ??= this.#scheduler.after(CHECK_MS, () => void this.#check());
  }

  forget(one: ExpiringStream): void {
    this.#ends.delete(one);
    if (this.#ends.size > 0) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#next = Number.POSITIVE_INFINITY;
  }

  async #check(): Promise<void> {
    const now = this.#scheduler.now();
    if (now >= this.#next) await this.#end(now);
    // A proof that came meanwhile may have set a timer already.
    this.#cancel?.();
    this.#cancel = this.#ends.size === 0 ? null : this.#scheduler.after(CHECK_MS, () => void this.#check());
  }

  async #end(now: number): Promise<void> {
    const over: ExpiringStream[] = [];
    this.#next = Number.POSITIVE_INFINITY;
    for (const [one, end] of this.#ends) {
      if (end <= now) over.push(one);
      else this.#next = Math.min(this.#next, end);
    }
    const rest = yielding(this.#scheduler, TURN_MS);
    for (const one of over) {
      this.#ends.delete(one);
      // Not awaited: a slow login service must not delay the other streams.
      void one.recheck();
      await rest();
    }
  }
}
