interface Shared<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  askers: number;
}

/** What several ask for under one name while it is under way runs once, and is stopped when everybody who asked has left. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Shared<T>>();

  /**
   * The run of this name that is under way, or a new one. `left` aborts when who asks does not wait any more: the answer then rejects
   * with its reason. `work` gets a signal that aborts, with that reason, when it was the last one.
   */
  run(name: string, left: AbortSignal | null, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const run = this.#running.get(name) ?? this.#begin(name, work);
    run.askers += 1;
    return left === null ? run.result : this.#unlessLeft(name, run, left);
  }

  #begin(name: string, work: (stop: AbortSignal) => Promise<T>): Shared<T> {
    const stop = new AbortController();
    const result = work(stop.signal).finally(() => this.#forget(name, run));
    const run: Shared<T> = { result, stop, askers: 0 };
    this.#running.set(name, run);
    return run;
  }

  #forget(name: string, run: Shared<T>): void {
    if (this.#running.get(name) === run) this.#running.delete(name);
  }

  #unlessLeft(name: string, run: Shared<T>, left: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        run.askers -= 1;
        // Nobody may join what is being stopped.
        if (run.askers === 0) this.#forget(name, run);
        if (run.askers === 0) run.stop.abort(left.reason);
        reject(left.reason);
      };
      if (left.aborted) leave();
      left.addEventListener('abort', leave, { once: true });
      run.result.then(resolve, reject).finally(() => left.removeEventListener('abort', leave));
    });
  }
}
