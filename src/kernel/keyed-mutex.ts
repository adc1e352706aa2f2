/** The lock of one name. */
export interface MutexLock {
  /** Whether it had to wait for another. */
  readonly hasWaited: boolean;
  release(): void;
}

/** Locks by name, with a bound on how many may wait for one. A name without a lock takes no memory. */
export class KeyedMutex {
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, { last: Promise<void>; length: number }>();

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves to the lock, which the caller must release; `null`: too many wait. */
  async acquire(name: string): Promise<MutexLock | null> {
    const queue = this.#queues.get(name) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length > this.#maxWaiting) return null;
    const { last: before, length } = queue;
    this.#queues.set(name, queue);
    let end = (): void => undefined;
    queue.last = new Promise((resolve) => {
      end = resolve;
    });
    queue.length += 1;
    await before;
    return {
      hasWaited: length > 0,
      release: () => {
        queue.length -= 1;
        if (queue.length === 0) this.#queues.delete(name);
        end();
      },
    };
  }
}
