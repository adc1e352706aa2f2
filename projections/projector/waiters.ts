interface Waiter {
  readonly revision: number;
  readonly done: (caughtUp: boolean) => void;
}

/** Callers that wait until a revision is reached. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves to false after `timeoutMs`. */
  wait(revision: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        done: (caughtUp) => {
          clearTimeout(timer);
          this.#waiting.delete(waiter);
          resolve(caughtUp);
        },
      };
      const timer = setTimeout(() => waiter.done(false), timeoutMs);
      this.#waiting.add(waiter);
    });
  }

  reached(revision: number, answer: boolean): void {
    for (const waiter of this.#waiting) if (waiter.revision <= revision) waiter.done(answer);
  }

  giveUp(): void {
    for (const waiter of this.#waiting) waiter.done(false);
  }
}
