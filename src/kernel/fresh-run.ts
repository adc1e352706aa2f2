/**
 * Runs one task repeatedly, one run at a time. Each caller gets the result of a run that began after its call, shared with other callers of
 * that time.
 */
export class FreshRun<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** Rejects with what the run rejects with. */
  run(): Promise<T> {
    if (this.#running === null) return this.#begin();
    const begin = () => this.#begin();
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<T> {
    this.#next = null;
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
