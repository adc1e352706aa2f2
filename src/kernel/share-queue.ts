import type { Scheduler } from './scheduler.ts';
import { Shares } from './shares.ts';

/** What becomes of who has to wait. */
export interface Patience {
  /** So many of one may wait. */
  readonly most: number;
  /** So long, ms. */
  readonly forMs: number;
}

interface Waiter {
  readonly begin: () => void;
}

/**
 * Runs what many ask for in places that they share ({@link Shares}): whoever has had their share waits in a short queue of their own, for
 * a short time. A place that comes free goes to the next of those who wait, in turn, so that a long queue is nobody else's.
 */
export class ShareQueue {
  readonly shares: Shares;
  readonly #patience: Patience;
  readonly #scheduler: Pick<Scheduler, 'after'>;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #refused = 0;

  constructor(total: number, patience: Patience, scheduler: Pick<Scheduler, 'after'>) {
    this.shares = new Shares(total);
    this.#patience = patience;
    this.#scheduler = scheduler;
  }

  get taken(): number {
    return this.shares.taken;
  }

  /** Those for whom the queue was full, or too slow. */
  get refused(): number {
    return this.#refused;
  }

  /** Rejects with what `full` makes where there is no place in time; else settles as `work` does. */
  async run<T>(who: string, work: () => Promise<T>, full: () => Error): Promise<T> {
    if (!this.#mayGoAhead(who) && !(await this.#place(who))) {
      this.#refused += 1;
      throw full();
    }
    try {
      return await work();
    } finally {
      this.shares.give(who);
      this.#next();
    }
  }

  /** Nobody overtakes those of their own who wait. */
  #mayGoAhead(who: string): boolean {
    return !this.#waiting.has(who) && this.shares.mayTake(who) && this.shares.take(who);
  }

  /** Resolves with `true` once there is a place, which is taken then. */
  #place(who: string): Promise<boolean> {
    const queue = this.#waiting.get(who) ?? new Set<Waiter>();
    if (queue.size >= this.#patience.most) return Promise.resolve(false);
    this.#waiting.set(who, queue);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        begin: () => {
          cancel();
          resolve(true);
        },
      };
      const cancel = this.#scheduler.after(this.#patience.forMs, () => {
        this.#leave(who, waiter);
        resolve(false);
      });
      queue.add(waiter);
    });
  }

  #leave(who: string, waiter: Waiter): void {
    const queue = this.#waiting.get(who);
    queue?.delete(waiter);
    if (queue?.size === 0) this.#waiting.delete(who);
  }

  /** A place has come free: to the first in turn who may have it. */
  #next(): void {
    for (const [who, queue] of this.#waiting) {
      const [waiter] = queue;
      if (waiter === undefined || !this.shares.mayTake(who)) continue;
      this.shares.take(who);
      this.#leave(who, waiter);
      // Behind the others, for the next place.
      if (this.#waiting.delete(who)) this.#waiting.set(who, queue);
      waiter.begin();
      return;
    }
  }
}
