import { refusal } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

export interface BulkheadLimits {
  /** Slots over all keys. */
  readonly slots: number;
  /**
   * Slots of one key. Left out: a key may take another slot while it holds fewer than are free. So a single key gets half of the slots, and
   * a key with many gets no more until the others have as many.
   */
  readonly perKey?: number;
  /** Queue length of one key. Left out: unbounded. */
  readonly queue?: number;
  /** The longest wait. Left out: until there is a slot. */
  readonly timeout?: { readonly ms: number; readonly scheduler: Pick<Scheduler, 'after'> };
}

/** Options of one run. */
export interface RunOptions {
  /** The error to reject with when there is no slot in time. Left out: 503 BUSY. */
  readonly onReject?: () => Error;
  /** When it aborts, the wait ends with its reason. */
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly begin: () => void;
}

/**
 * Slots that many keys share, such as connections or calls to a service. A key that has its share waits in a queue of its own, and free
 * slots go to the waiting keys in turn. So a long queue delays only its own key.
 */
export class Bulkhead {
  readonly #limits: BulkheadLimits;
  readonly #held = new Map<string, number>();
  /** Queues by key, in the order of turns. */
  readonly #queues = new Map<string, Set<Waiter>>();
  #inUse = 0;
  #rejected = 0;

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  /** Number of slots that are taken. */
  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.size;
    return count;
  }

  /** How many were refused since the start: no slot, a full queue, or a timeout. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Whether {@link tryAcquire} would take a slot. */
  hasCapacity(key: string): boolean {
    const held = this.#held.get(key) ?? 0;
    const free = this.#limits.slots - this.#inUse;
    return free > 0 && held < (this.#limits.perKey ?? free);
  }

  /** Takes a slot, which the caller must release. Returns `false` if the key has its share, or there is no slot. */
  tryAcquire(key: string): boolean {
    if (!this.hasCapacity(key)) {
      this.#rejected += 1;
      return false;
    }
    this.#take(key);
    return true;
  }

  release(key: string): void {
    const held = this.#held.get(key) ?? 0;
    if (held === 0) return;
    this.#inUse -= 1;
    if (held === 1) this.#held.delete(key);
    else this.#held.set(key, held - 1);
    this.#admit();
  }

  /** Runs `work` when there is a slot: at once if one is free. Runs of one key keep their order. */
  async run<T>(key: string, work: () => Promise<T>, waiting: RunOptions = {}): Promise<T> {
    if (!this.#queues.has(key) && this.hasCapacity(key)) this.#take(key);
    else await this.#wait(key, waiting);
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  #take(key: string): void {
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#inUse += 1;
  }

  /** Resolves when the key has been given a slot. */
  #wait(key: string, { onReject = busy, signal }: RunOptions): Promise<void> {
    signal?.throwIfAborted();
    const { timeout, queue: most = Number.POSITIVE_INFINITY } = this.#limits;
    const queue = this.#queues.get(key) ?? new Set<Waiter>();
    if (queue.size >= most) {
      this.#rejected += 1;
      throw onReject();
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
      const cancel = timeout?.scheduler.after(timeout.ms, () => {
        end();
        this.#rejected += 1;
        reject(onReject());
      });
      queue.add(waiter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #admit(): void {
    for (const [key, queue] of this.#queues) {
      if (this.#inUse >= this.#limits.slots) return;
      const [waiter] = queue;
      if (waiter === undefined || !this.hasCapacity(key)) continue;
      this.#take(key);
      // A key with a longer queue takes its next turn after the others.
      this.#queues.delete(key);
      this.#queues.set(key, queue);
      waiter.begin();
    }
  }
}

function busy(): Error {
  return refusal('BUSY');
}
