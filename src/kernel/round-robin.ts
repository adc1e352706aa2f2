import { refusal } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

/** How long one project may compute in one turn of the event loop while others wait, ms. */
const STRETCH_MS = 4;
/** Cheaper pieces do not wait, so quick requests are answered in the order in which they come. */
const DEAR_MS = 1;
const MOST_WAITING = 256;

/**
 * Shares computing time between projects. A project that has computed for long in one turn of the event loop goes on in the next turn, one piece
 * of each project per turn. So a small request waits for one piece of each other project, not for all that they have asked for.
 */
export class RoundRobin {
  readonly #scheduler: Pick<Scheduler, 'defer' | 'monotonic'>;
  /** Time computed in this turn, by project, ms. */
  readonly #spent = new Map<string, number>();
  readonly #lines = new Map<string, (() => void)[]>();
  #isDue = false;

  constructor(scheduler: Pick<Scheduler, 'defer' | 'monotonic'>) {
    this.#scheduler = scheduler;
  }

  /** Computes when the project has its turn. Rejects as {@link take} and as `compute` do. */
  async run<T>(project: string, compute: () => T): Promise<T> {
    const turn = this.take(project);
    if (turn !== null) await turn;
    return this.count(project, compute);
  }

  /** Computes now, and counts the time. */
  count<T>(project: string, compute: () => T): T {
    const beganAt = this.#scheduler.monotonic();
    try {
      return compute();
    } finally {
      this.#worked(project, this.#scheduler.monotonic() - beganAt);
    }
  }

  /** Resolves when the project has its turn; `null`: it has it now. Throws 503 BUSY if too many of the project wait. */
  take(project: string): Promise<void> | null {
    const line = this.#lines.get(project);
    if (line === undefined && (this.#spent.get(project) ?? 0) < STRETCH_MS) return null;
    if (line !== undefined && line.length >= MOST_WAITING) throw refusal('BUSY');
    return new Promise((resolve) => {
      if (line === undefined) this.#lines.set(project, [resolve]);
      else line.push(resolve);
      this.#beginNext();
    });
  }

  #worked(project: string, ms: number): void {
    if (ms < DEAR_MS) return;
    this.#spent.set(project, (this.#spent.get(project) ?? 0) + ms);
    this.#beginNext();
  }

  #beginNext(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#scheduler.defer(() => {
      this.#isDue = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#spent.clear();
    for (const [project, line] of this.#lines) {
      line.shift()?.();
      if (line.length === 0) this.#lines.delete(project);
    }
    if (this.#lines.size > 0) this.#beginNext();
  }
}
