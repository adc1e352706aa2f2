import { pause } from './pause.ts';
/** Time as a dependency: a simulation can run hours in a second, and the same seed gives the same run. */
export interface Scheduler {
  /** Unix ms. The clock may be set back. */
  now(): number;
  /** Milliseconds since some moment. Never goes back. */
  monotonic(): number;
  /** Milliseconds that this thread has computed since some moment. */
  computed(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Runs `task` once after `ms`. Returns a function that cancels it. The timer does not keep the process alive: the connection of whoever
   * waits does.
   */
  after(ms: number, task: () => void): () => void;
  /** Runs `task` after everything that is ready now. */
  defer(task: () => void): void;
}

export const realScheduler: Scheduler = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  computed: () => performance.eventLoopUtilization().active,
  sleep: pause,
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    // A finished command must not stay alive for a deadline that nobody waits for.
    timer.unref();
    return () => clearTimeout(timer);
  },
  defer: (task) => {
    setImmediate(task);
  },
};

/**
 * The result of `work`; rejects with `late()` if it is not there by `until` of the monotonic clock. The work itself goes on, because others
 * may wait for it, too.
 */
export function withDeadline<T>(
  scheduler: Pick<Scheduler, 'monotonic' | 'after'>,
  until: number,
  work: Promise<T>,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = scheduler.after(Math.max(until - scheduler.monotonic(), 0), () => reject(late()));
    work.then(resolve, reject).finally(cancel);
  });
}

/** Longest uninterrupted computation, ms: all other requests of the process wait meanwhile. */
const MAX_TURN_MS = 25;

/** Makes a function to await between the pieces of long work. It yields to other work once `maxMs` have passed. */
export function yielding(scheduler: Scheduler, maxMs = MAX_TURN_MS): () => Promise<void> {
  let yieldedAt = scheduler.monotonic();
  return async () => {
    if (scheduler.monotonic() - yieldedAt <= maxMs) return;
    await scheduler.sleep(0);
    yieldedAt = scheduler.monotonic();
  };
}
