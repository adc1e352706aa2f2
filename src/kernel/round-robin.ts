import { refusal } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

/** Computing of one project that the others wait for in one turn of the event loop, ms. */
const STRETCH_MS = 4;
/** Cheaper pieces are no burden: requests come and are answered in the order that they arrive. */
const DEAR_MS = 1;
const MOST_WAITING = 256;

/**
 * Lets a project that computes for long in one turn of the event loop go on in the next: one piece of each project a turn, so that whoever
 * asks for little waits for one piece of the others and not for all that they have asked for.
 */
export class RoundRobin {
  readonly #scheduler: Pick<Scheduler, 'defer' | 'monotonic'>;
  /** By project, in this turn, ms. */
  readonly #spent = new Map<string, number>();
  readonly #lines = new Map<string, (() => void)[]>();
  #isDue = false;

  constructor(scheduler: Pick<Scheduler, 'defer' | 'monotonic'>) {
    this.#scheduler = scheduler;
  }

  /** Computes in the project's turn. Rejects as {@link take} and as `compute` do. */
  async run<T>(project: string, compute: () => T): Promise<T> {
    const turn = this.take(project);
    if (turn !== null) await turn;
    return this.count(project, compute);
  }

  /** Computes now, and counts what it took. */
  count<T>(project: string, compute: () => T): T {
    const beganAt = this.#scheduler.monotonic();
    try {
      return compute();
    } finally {
      this.#worked(project, this.#scheduler.monotonic() - beganAt);
    }
  }

  /** `null`: now. Throws 503 BUSY where too many of the project wait already. */
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
