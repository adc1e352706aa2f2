/** Wakes all who wait for something new: followers wait, appends notify. */
export interface Notifier {
  /** Notifications so far. Read before you look for what is new, and passed to {@link Notifier.wait}: then none in between is missed. */
  readonly notifications: number;
  notify(): void;
  /** Resolves when there are other notifications than these, after `ms`, or when `signal` aborts. */
  wait(notifications: number, ms: number, signal: AbortSignal): Promise<void>;
}

export function createNotifier(): Notifier {
  const waiters = new Set<() => void>();
  let notifications = 0;
  return {
    get notifications() {
      return notifications;
    },
    notify() {
      notifications++;
      for (const wake of waiters) wake();
    },
    wait(seenCount, ms, signal) {
      if (seenCount !== notifications || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          waiters.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        signal.addEventListener('abort', wake);
        waiters.add(wake);
      });
    },
  };
}
