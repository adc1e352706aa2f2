import { SingleFlight } from './single-flight.ts';

interface Line {
  /** State that the next run shows. All who ask for more than the current run shows share the next one. */
  next: number;
  begun: { readonly run: number; readonly state: number } | null;
  runs: number;
}

/**
 * Runs by name that wait for a turn and show the state at their beginning. A caller shares a waiting run, whatever has changed since it was
 * asked for. A caller shares a run that has begun only if nothing has changed since it began.
 */
export class NextRuns<T> {
  readonly #shared = new SingleFlight<T>();
  readonly #lines = new Map<string, Line>();

  /**
   * `state`: the least that the answer has to show. `left`: as in {@link SingleFlight.run}. `work` calls `begin` with the state that it shows,
   * in the same turn of the event loop in which it begins.
   */
  run(
    name: string,
    state: number,
    left: AbortSignal | null,
    work: (stop: AbortSignal, begin: (state: number) => void) => Promise<T>,
  ): Promise<T> {
    const line = this.#lines.get(name) ?? { next: 0, begun: null, runs: 0 };
    this.#lines.set(name, line);
    const run = line.begun?.state === state ? line.begun.run : line.next;
    return this.#shared.run(`${name} ${run}`, left, (stop) => this.#running(name, line, run, (begin) => work(stop, begin)));
  }

  async #running(name: string, line: Line, run: number, work: (begin: (state: number) => void) => Promise<T>): Promise<T> {
    let begun: Line['begun'] = null;
    line.runs += 1;
    try {
      return await work((state) => {
        begun = { run, state };
        line.begun = begun;
        line.next = Math.max(line.next, run + 1);
      });
    } finally {
      if (line.begun === begun) line.begun = null;
      line.runs -= 1;
      if (line.runs === 0) this.#lines.delete(name);
    }
  }
}
