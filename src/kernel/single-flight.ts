interface Shared<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  askers: number;
}

/** Several callers who ask for one name share one run. It is stopped when all of them have left. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Shared<T>>();

  /**
   * Joins the run of this name, or starts one. `left` aborts when the caller stops waiting: the promise then rejects with its reason. The signal
   * given to `work` aborts, with that reason, when the last caller has left.
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
        // A run that is being stopped must not be joined.
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
