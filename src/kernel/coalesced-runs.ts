import { SingleFlight } from './single-flight.ts';

interface RunState {
  /** Number of the next run. Callers that need more than the current run shows share it. */
  next: number;
  begun: { readonly run: number; readonly state: number } | null;
  runs: number;
}

/**
 * Runs by name that wait for a turn and show the state at their beginning. Callers share a waiting run whatever has changed meanwhile, and
 * a run that has begun only if nothing has changed since.
 */
export class CoalescedRuns<T> {
  readonly #shared = new SingleFlight<T>();
  readonly #entries = new Map<string, RunState>();
  /** No number is given twice: who comes while a run is ending must not join it as the next. */
  #numbers = 0;

  /**
   * `state`: the least that the answer has to show. `signal`: as in {@link SingleFlight.run}. `work` calls `begin` with the state that it
   * shows, in the same turn of the event loop in which it begins.
   */
  run(
    name: string,
    state: number,
    signal: AbortSignal | null,
    work: (stop: AbortSignal, begin: (state: number) => void) => Promise<T>,
  ): Promise<T> {
    const entry = this.#entries.get(name) ?? { next: this.#number(), begun: null, runs: 0 };
    this.#entries.set(name, entry);
    const run = entry.begun?.state === state ? entry.begun.run : entry.next;
    return this.#shared.run(`${name} ${run}`, signal, (stop) => this.#running(name, entry, run, (begin) => work(stop, begin)));
  }

  async #running(name: string, entry: RunState, run: number, work: (begin: (state: number) => void) => Promise<T>): Promise<T> {
    let begun: RunState['begun'] = null;
    entry.runs += 1;
    try {
      return await work((state) => {
        begun = { run, state };
        entry.begun = begun;
        if (entry.next === run) entry.next = this.#number();
      });
    } finally {
      if (entry.begun === begun) entry.begun = null;
      entry.runs -= 1;
      if (entry.runs === 0) this.#entries.delete(name);
    }
  }

  #number(): number {
    this.#numbers += 1;
    return this.#numbers;
  }
}
