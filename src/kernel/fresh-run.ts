/**
 * Runs one task again and again, one run at a time. Each caller gets the result of a run that began after it came, which it shares with all who
 * came meanwhile.
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
