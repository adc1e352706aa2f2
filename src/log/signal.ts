/** A bell that many can wait for: followers wait for it, appends ring it. */
export interface Bell {
  /** How often it rang. Note it before you look, and pass it to {@link Bell.wait}: then a ring in between is not missed. */
  readonly rings: number;
  ring(): void;
  /** Resolves when the bell has rung since `rings` was noted, after `ms`, or when `signal` aborts. */
  wait(rings: number, ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  const sleepers = new Set<() => void>();
  let rings = 0;
  return {
    get rings() {
      return rings;
    },
    ring() {
      rings++;
      for (const wake of sleepers) wake();
    },
    wait(noted, ms, signal) {
      if (noted !== rings || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        signal.addEventListener('abort', wake);
        sleepers.add(wake);
      });
    },
  };
}
