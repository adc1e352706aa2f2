import { refusal } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

export interface BulkheadBounds {
  /** Places over all keys. */
  readonly places: number;
  /**
   * Places of one key. Left out: a key may take another place while it holds fewer than are free. So a single key gets half of the places and
   * leaves the other half to the next one, and a key with many gets no more until the others have as many.
   */
  readonly each?: number;
  /** How many of one key may wait. Left out: any number. */
  readonly queue?: number;
  /** How long one waits. Left out: until there is a place. */
  readonly patience?: { readonly ms: number; readonly scheduler: Pick<Scheduler, 'after'> };
}

/** What one run says about its wait. */
export interface Waiting {
  /** The error to reject with when there is no place in time. Left out: 503 BUSY. */
  readonly full?: () => Error;
  /** When it aborts, the wait ends with its reason. */
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly begin: () => void;
}

/**
 * Places that many keys share, such as connections or calls to a service. A key that has its share waits in a queue of its own, and a free place
 * goes to the next key that may have it, in turn. So a long queue delays its own key only.
 */
export class Bulkhead {
  readonly #bounds: BulkheadBounds;
  readonly #held = new Map<string, number>();
  /** Queues in the order in which their keys get a turn. */
  readonly #queues = new Map<string, Set<Waiter>>();
  #taken = 0;
  #refused = 0;

  constructor(bounds: BulkheadBounds) {
    this.#bounds = bounds;
  }

  /** Number of places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.size;
    return count;
  }

  /** How many were refused since the start: no place, a full queue, or a wait that took too long. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether {@link enter} would take a place. */
  hasRoomFor(key: string): boolean {
    const held = this.#held.get(key) ?? 0;
    const free = this.#bounds.places - this.#taken;
    return free > 0 && held < (this.#bounds.each ?? free);
  }

  /** Takes a place, which the caller must leave again. `false`: the key has had its share, or there is no place. */
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

  /** Runs `work` when there is a place: at once where one is free. Runs of one key keep their order. */
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

  /** Resolves when there is a place. The place is taken then. */
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
      // A key with more in its queue goes behind the others.
      this.#queues.delete(key);
      this.#queues.set(key, queue);
      waiter.begin();
    }
  }
}

function busy(): Error {
  return refusal('BUSY');
}
