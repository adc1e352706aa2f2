import { refusal } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

/** How long one project may compute in one turn of the event loop while others wait, ms. */
const TIME_SLICE_MS = 4;
/** Cheaper pieces do not wait, so quick requests are answered in the order of their arrival, ms. */
const EXPENSIVE_MS = 1;
/** Long work in small pieces gives way after this long, ms. */
const PIECE_MS = 1;
const MAX_WAITING = 256;

/**
 * Shares computing time between projects. A project that has computed for long in one turn of the event loop continues in the next turn,
 * with one piece of each project per turn. So a small request waits for one piece of each other project, not for all of their work.
 */
export class RoundRobin {
  readonly #scheduler: Pick<Scheduler, 'defer' | 'monotonic'>;
  /** Time computed in this turn, by project, ms. */
  readonly #spent = new Map<string, number>();
  readonly #queues = new Map<string, (() => void)[]>();
  #isDue = false;

  constructor(scheduler: Pick<Scheduler, 'defer' | 'monotonic'>) {
    this.#scheduler = scheduler;
  }

  /** Computes when the project has its turn. Rejects as {@link wait} and as `compute` do. */
  async run<T>(project: string, compute: () => T): Promise<T> {
    const turn = this.wait(project);
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

  /** Resolves when it is the project's turn; `null`: it is now. Throws 503 BUSY if too many pieces of the project wait. */
  wait(project: string): Promise<void> | null {
    if ((this.#queues.get(project)?.length ?? 0) >= MAX_WAITING) throw refusal('BUSY');
    return this.resume(project);
  }

  /** The same for work that has begun, which is never refused: what may begin is bounded. */
  resume(project: string): Promise<void> | null {
    const queue = this.#queues.get(project);
    if (queue === undefined && (this.#spent.get(project) ?? 0) < TIME_SLICE_MS) return null;
    return new Promise((resolve) => {
      if (queue === undefined) this.#queues.set(project, [resolve]);
      else queue.push(resolve);
      this.#beginNext();
    });
  }

  /**
   * Makes a function to call before each of many small pieces of long work, such as rows of an answer. It returns what to await, or `null`
   * where the work may go on. The first call may throw 503 BUSY.
   */
  pauses(project: string): () => Promise<void> | null {
    return this.#pausing(project, () => this.wait(project));
  }

  /** The same for work that is bounded elsewhere, and never refused. */
  sharing(project: string): () => Promise<void> | null {
    return this.#pausing(project, () => this.resume(project));
  }

  #pausing(project: string, waitFirst: () => Promise<void> | null): () => Promise<void> | null {
    let beganAt: number | null = null;
    const begin = () => {
      beganAt = this.#scheduler.monotonic();
    };
    return () => {
      if (beganAt !== null && this.#scheduler.monotonic() - beganAt < PIECE_MS) return null;
      if (beganAt !== null) this.#worked(project, this.#scheduler.monotonic() - beganAt);
      const turn = beganAt === null ? waitFirst() : this.resume(project);
      begin();
      return turn === null ? null : turn.then(begin);
    };
  }

  #worked(project: string, ms: number): void {
    if (ms < EXPENSIVE_MS) return;
    this.#spent.set(project, (this.#spent.get(project) ?? 0) + ms);
    this.#beginNext();
  }

  #beginNext(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#scheduler.defer(() => {
      this.#isDue = false;
      void this.#turn();
    });
  }

  /** Lets each waiting project do one piece, or cheap ones for as long as an expensive one takes. */
  async #turn(): Promise<void> {
    this.#spent.clear();
    for (const [project, queue] of [...this.#queues]) {
      const until = this.#scheduler.monotonic() + EXPENSIVE_MS;
      do {
        queue.shift()?.();
        await computed();
      } while (queue.length > 0 && this.#scheduler.monotonic() < until);
      if (queue.length === 0) this.#queues.delete(project);
    }
    if (this.#queues.size > 0) this.#beginNext();
  }
}

/** Microtasks between the end of a wait and the end of what was waited for. */
const HOPS = 4;

/** Resolves when whoever was let go on has computed, in the same turn of the event loop. */
async function computed(): Promise<void> {
  for (let hop = 0; hop < HOPS; hop += 1) await null;
}
