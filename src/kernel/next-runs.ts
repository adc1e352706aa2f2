import { SingleFlight } from './single-flight.ts';

interface Line {
  /** The next run to begin: whoever asks for what the one under way does not show shares it. */
  next: number;
  begun: { readonly run: number; readonly state: number } | null;
  runs: number;
}

/**
 * Runs under a name that wait for their turn and show what there is when they begin. Whoever asks while one waits shares it, whatever has
 * changed since it was asked for; whoever asks while one is under way shares that as long as nothing has changed since it began.
 */
export class NextRuns<T> {
  readonly #shared = new SingleFlight<T>();
  readonly #lines = new Map<string, Line>();

  /**
   * `state`: what the answer has to show at the least. `left`: as {@link SingleFlight.run} takes it. `work` calls `begin` with what it
   * shows, in the turn in which it begins.
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
