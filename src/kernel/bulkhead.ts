import { refusal } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

export interface BulkheadBounds {
  /** Over all keys. */
  readonly places: number;
  /** Of one key at a time. Left out: somebody may take another while they hold fewer than are free. So one alone gets half of them and
   * leaves the other half to whoever comes next, and who has many gets no more until the others have as many. */
  readonly each?: number;
  /** So many of one key may wait; left out: any number. */
  readonly queue?: number;
  /** How long one waits; left out: until there is a place. */
  readonly patience?: { readonly ms: number; readonly scheduler: Pick<Scheduler, 'after'> };
}

/** Of one run. */
export interface Waiting {
  /** What it rejects with where there is no place in time; 503 BUSY when left out. */
  readonly full?: () => Error;
  /** Whoever waits leaves with its reason when it aborts. */
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly begin: () => void;
}

/**
 * Places that many keys share, such as connections or calls to a service. Whoever has had their share waits in a queue of their own, and
 * a place that comes free goes to the next key that may have it, in turn: a long queue is nobody else's.
 */
export class Bulkhead {
  readonly #bounds: BulkheadBounds;
  readonly #held = new Map<string, number>();
  /** In the order in which keys get their turn. */
  readonly #queues = new Map<string, Set<Waiter>>();
  #taken = 0;
  #refused = 0;

  constructor(bounds: BulkheadBounds) {
    this.#bounds = bounds;
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.size;
    return count;
  }

  /** How often somebody was refused, since the start: no place, a full queue, one that was too slow. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether {@link enter} would take a place. */
  hasRoomFor(key: string): boolean {
    const held = this.#held.get(key) ?? 0;
    const free = this.#bounds.places - this.#taken;
    return free > 0 && held < (this.#bounds.each ?? free);
  }

  /** Takes a place, which has to be left; `false` for whoever has had their share. */
  enter(key: string): boolean {
    if (!this.hasRoomFor(key)) {
      this.#refused += 1;
      return false;
    }
    this.#take(key);
    return true;
  }

  leave(key: string): void {
    const held = this.#held.get(key) ?? 0;
    if (held === 0) return;
    this.#taken -= 1;
    if (held === 1) this.#held.delete(key);
    else this.#held.set(key, held - 1);
    this.#admit();
  }

  /** Runs `work` when there is a place, at once where there is one. Nobody overtakes those of their own who wait. */
  async run<T>(key: string, work: () => Promise<T>, waiting: Waiting = {}): Promise<T> {
    if (!this.#queues.has(key) && this.hasRoomFor(key)) this.#take(key);
    else await this.#wait(key, waiting);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  #take(key: string): void {
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#taken += 1;
  }

  /** Resolves once there is a place, which is taken then. */
  #wait(key: string, { full = busy, signal }: Waiting): Promise<void> {
    signal?.throwIfAborted();
    const { patience, queue: most = Number.POSITIVE_INFINITY } = this.#bounds;
    const queue = this.#queues.get(key) ?? new Set<Waiter>();
    if (queue.size >= most) {
      this.#refused += 1;
      throw full();
    }
    this.#queues.set(key, queue);
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel?.();
        signal?.removeEventListener('abort', abort);
        queue.delete(waiter);
        if (queue.size === 0) this.#queues.delete(key);
      };
      const waiter: Waiter = {
        begin: () => {
          end();
          resolve();
        },
      };
      const abort = () => {
        end();
        reject(signal?.reason);
      };
      const cancel = patience?.scheduler.after(patience.ms, () => {
        end();
        this.#refused += 1;
        reject(full());
      });
      queue.add(waiter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #admit(): void {
    for (const [key, queue] of this.#queues) {
      if (this.#taken >= this.#bounds.places) return;
      const [waiter] = queue;
      if (waiter === undefined || !this.hasRoomFor(key)) continue;
      this.#take(key);
      // Behind the others, if it has more.
      this.#queues.delete(key);
      this.#queues.set(key, queue);
      waiter.begin();
    }
  }
}

function busy(): Error {
  return refusal('BUSY');
}
