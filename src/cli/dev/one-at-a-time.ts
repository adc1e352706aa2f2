/** Work that is asked for again while it runs is done once more afterwards: never twice at a time, and no request is lost. */
export class OneAtATime {
  readonly #work: () => Promise<void>;
  #isAsked = false;
  #running: Promise<void> | null = null;

  /** `work` must not throw. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  ask(): void {
    this.#isAsked = true;
    this.#running ??= this.#run();
  }

  /** Resolves when nothing runs and nothing is asked for. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isAsked) {
      this.#isAsked = false;
      await this.#work();
    }
    this.#running = null;
  }
}
