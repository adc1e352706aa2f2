/** Runs work one at a time. Requests during a run are combined into one more run afterwards. */
export class CoalescingRunner {
  readonly #work: () => Promise<void>;
  #isRequested = false;
  #running: Promise<void> | null = null;

  /** `work` must not throw. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  request(): void {
    this.#isRequested = true;
    this.#running ??= this.#run();
  }

  /** Resolves when nothing runs and nothing is requested. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isRequested) {
      this.#isRequested = false;
      await this.#work();
    }
    this.#running = null;
  }
}
