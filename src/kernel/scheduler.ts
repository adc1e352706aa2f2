/**
 * Time as the product uses it: one small thing to hand in, so that a simulation can run hours of races in a second and the same
 * seed gives the same run.
 */
export interface Scheduler {
  /** Unix ms. May be set back. */
  now(): number;
  /** Milliseconds since some moment; never set back. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `task` once after `ms`; the answer cancels it. Keeps no process alive: who waits for what follows holds a connection, which does. */
  after(ms: number, task: () => void): () => void;
  /** Runs `task` when everything that is ready now has run. */
  defer(task: () => void): void;
}

export const realScheduler: Scheduler = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    // A command that is done must not stay for a deadline that nobody waits for any more.
    timer.unref();
    return () => clearTimeout(timer);
  },
  defer: (task) => {
    setImmediate(task);
  },
};

/** Work without a wait of its own keeps every other request of the node waiting; it rests after this long. */
const LONGEST_TURN_MS = 25;

/** To be awaited between the pieces of long work: lets others have their turn when it is time, after `longestMs` at most. */
export function yielding(scheduler: Scheduler, longestMs = LONGEST_TURN_MS): () => Promise<void> {
  let rested = scheduler.monotonic();
  return async () => {
    if (scheduler.monotonic() - rested <= longestMs) return;
    await scheduler.sleep(0);
    rested = scheduler.monotonic();
  };
}
