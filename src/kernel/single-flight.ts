interface Shared<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiters: number;
}

/** Concurrent callers of one name share one run. It is stopped when all of them have left. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Shared<T>>();

  /**
   * Joins the run of this name, or starts one. `signal` aborts when the caller stops waiting: the promise then rejects with its reason. The
   * signal given to `work` aborts, with that reason, when the last caller has left.
   */
  run(name: string, signal: AbortSignal | null, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const run = this.#running.get(name) ?? this.#begin(name, work);
    run.waiters += 1;
    return signal === null ? run.result : this.#unlessLeft(name, run, signal);
  }

  #begin(name: string, work: (stop: AbortSignal) => Promise<T>): Shared<T> {
    const stop = new AbortController();
    const result = work(stop.signal).finally(() => this.#forget(name, run));
    const run: Shared<T> = { result, stop, waiters: 0 };
    this.#running.set(name, run);
    return run;
  }

  #forget(name: string, run: Shared<T>): void {
    if (this.#running.get(name) === run) this.#running.delete(name);
  }

  #unlessLeft(name: string, run: Shared<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        run.waiters -= 1;
        // A run that is being stopped must not be joined.
        if (run.waiters === 0) this.#forget(name, run);
        if (run.waiters === 0) run.stop.abort(signal.reason);
        reject(signal.reason);
      };
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { once: true });
      run.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }
}
