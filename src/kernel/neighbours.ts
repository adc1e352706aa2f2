import type { Scheduler } from './scheduler.ts';

/** A project counts as in use for so long after a request or change, ms. */
const IN_USE_MS = 1000;

interface Use {
  readonly projectId: string;
  readonly at: number;
}

/** Knows for each project whether another one is in use in this process, by the last uses of two different projects. */
export class Neighbours {
  readonly #scheduler: Pick<Scheduler, 'monotonic'>;
  #last: Use | null = null;
  /** The last use of any project but that of `#last`. */
  #before: Use | null = null;

  constructor(scheduler: Pick<Scheduler, 'monotonic'>) {
    this.#scheduler = scheduler;
  }

  /** Notes a request for the project, or a change of it. */
  used(projectId: string): void {
    if (this.#last !== null && this.#last.projectId !== projectId) this.#before = this.#last;
    this.#last = { projectId, at: this.#scheduler.monotonic() };
  }

  /** Whether no other project is in use. */
  isAlone(projectId: string): boolean {
    const other = this.#last?.projectId === projectId ? this.#before : this.#last;
    return other === null || this.#scheduler.monotonic() - other.at > IN_USE_MS;
  }
}
