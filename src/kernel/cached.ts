/**
 * Calls `make` at most once in `ms`; all who ask in that time share its result. A failure goes to those who wait and is not kept. `now`:
 * monotonic ms.
 */
export function cached<T>(make: () => Promise<T>, ms: number, now: () => number = () => performance.now()): () => Promise<T> {
  let current: Promise<T> | null = null;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (current !== null && now() < until) return current;
    const making = make();
    // Nobody starts another one while this is being made, however long that takes.
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
