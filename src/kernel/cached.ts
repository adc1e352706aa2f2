/**
 * Calls `make` at most once in `ms`; callers in that time share its result. A failure rejects those who wait, and is not cached. `now`:
 * monotonic ms.
 */
export function cached<T>(make: () => Promise<T>, ms: number, now: () => number = () => performance.now()): () => Promise<T> {
  let current: Promise<T> | null = null;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (current !== null && now() < until) return current;
    const making = make();
    // No other call begins while this one is under way, however long it takes.
    current = making;
    until = Number.POSITIVE_INFINITY;
    making.then(
      () => {
        until = now() + ms;
      },
      () => {
        current = null;
      },
    );
    return making;
  };
}
