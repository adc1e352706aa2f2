/** A sleep that can be ended early. Only one at a time; `wake` without a sleeper has no effect. */
export class Sleeper {
  #wake: (() => void) | null = null;

  sleep(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wake = wake;
    });
  }

  wake(): void {
    this.#wake?.();
  }
}
