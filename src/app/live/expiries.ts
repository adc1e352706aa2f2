import { type Scheduler, yielding } from '../../kernel/scheduler.ts';

/** Whose proof ends at a known time. */
export interface Expiring {
  /** Looks up again what it may. */
  recheck(): Promise<void>;
}

/** How often it is looked, ms. By the wall clock, which may jump: a timer that is set for hours would not. */
const LOOK_MS = 1_000;
/** Longest turn, ms. */
const TURN_MS = 4;

/**
 * Ends the streams whose proof is over, such as a session or a pass, also where nothing is to be sent. One timer for all streams of a node, and
 * none while no proof ends.
 */
export class Expiries {
  readonly #scheduler: Scheduler;
  /** Unix ms. */
  readonly #ends = new Map<Expiring, number>();
  /** No proof ends earlier. */
  #next = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** `end`: unix ms, in place of the one before; infinite: its proof ends at no known time. */
  watch(one: Expiring, end: number): void {
    if (end === Number.POSITIVE_INFINITY) {
      this.forget(one);
      return;
    }
    this.#ends.set(one, end);
    this.#next = Math.min(this.#next, end);
    this.#cancel ??= this.#scheduler.after(LOOK_MS, () => void this.#look());
  }

  forget(one: Expiring): void {
    this.#ends.delete(one);
    if (this.#ends.size > 0) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#next = Number.POSITIVE_INFINITY;
  }

  async #look(): Promise<void> {
    const now = this.#scheduler.now();
    if (now >= this.#next) await this.#end(now);
    this.#cancel = this.#ends.size === 0 ? null : this.#scheduler.after(LOOK_MS, () => void this.#look());
  }

  async #end(now: number): Promise<void> {
    const over: Expiring[] = [];
    this.#next = Number.POSITIVE_INFINITY;
    for (const [one, end] of this.#ends) {
      if (end <= now) over.push(one);
      else this.#next = Math.min(this.#next, end);
    }
    const rest = yielding(this.#scheduler, TURN_MS);
    for (const one of over) {
      this.#ends.delete(one);
      // Not waited for: a login that is slow to answer for one holds up no other.
      void one.recheck();
      await rest();
    }
  }
}
