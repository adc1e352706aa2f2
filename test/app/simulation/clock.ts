import type { Scheduler } from '../../../src/kernel/scheduler.ts';

interface Task {
  readonly at: number;
  /** Tasks of one time run in the order in which they were asked for. */
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** Virtual time: everything happens in a task of this queue, so one seed gives one run. */
export class Clock {
  /** Milliseconds since the start. */
  now = 0;
  #order = 0;
  readonly #heap: Task[] = [];

  after(ms: number, run: () => void): () => void {
    this.#order += 1;
    const task: Task = { at: this.now + Math.max(0, ms), order: this.#order, run, cancelled: false };
    this.#push(task);
    return () => {
      task.cancelled = true;
    };
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs everything up to `until`. Between two tasks, all promises that can continue do. */
  async run(until: number): Promise<void> {
    await settled();
    for (let task = this.#heap[0]; task && task.at <= until; task = this.#heap[0]) {
      this.#pop();
      if (task.cancelled) continue;
      this.now = task.at;
      task.run();
      await settled();
    }
    this.now = until;
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(task);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (!parent || before(parent, task)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = task;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const smaller = right && left && before(right, left) ? 2 * at + 2 : 2 * at + 1;
      const child = heap[smaller];
      if (!child || before(last, child)) break;
      heap[at] = child;
      at = smaller;
    }
    heap[at] = last;
  }
}

/** The wall clock of one machine. It may be wrong and be set back, which does not affect waiting. */
export class NodeClock implements Scheduler {
  /** Milliseconds by which this machine is ahead. */
  skew = 0;
  /** A dead machine does nothing. */
  dead = false;
  /** What {@link computed} answers. Virtual time passes in waiting alone. */
  computedMs = 0;
  readonly #clock: Clock;
  readonly #epoch: number;

  constructor(clock: Clock, epoch: number) {
    this.#clock = clock;
    this.#epoch = epoch;
  }

  now(): number {
    return Math.floor(this.#epoch + this.#clock.now + this.skew);
  }

  monotonic(): number {
    return this.#clock.now;
  }

  computed(): number {
    return this.computedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) resolve();
      else {
        const cancel = this.after(ms, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      }
    });
  }

  after(ms: number, task: () => void): () => void {
    return this.#clock.after(ms, () => {
      if (!this.dead) task();
    });
  }

  defer(task: () => void): void {
    this.after(0, task);
  }
}

function before(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** The only use of real time: every ready promise runs before an immediate does. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
