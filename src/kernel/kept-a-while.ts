/**
 * `make`, at most once in `ms`, however many ask: whoever asks meanwhile gets the same. A failure is told to those who wait for it and
 * not kept. `now`: monotonic ms.
 */
export function keptAWhile<T>(make: () => Promise<T>, ms: number, now: () => number = () => performance.now()): () => Promise<T> {
  let kept: Promise<T> | null = null;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (kept !== null && now() < until) return kept;
    const making = make();
    // While it is made, however long that takes, nobody begins another.
    kept = making;
    until = Number.POSITIVE_INFINITY;
    making.then(
      () => {
        until = now() + ms;
      },
      () => {
        kept = null;
      },
    );
    return making;
  };
}
