/** How trouble is put into words, and how often it is told. */

/**
 * What went wrong, in words. Never the error itself: a refused Redis command carries its arguments, the password among them, and a
 * Postgres error its client.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : 'unknown trouble';
  // Node gathers the refusals of several addresses under an empty message.
  if (error.message === '' && 'code' in error) return String(error.code);
  return error.message || error.name;
}

/** Passes on what goes wrong again and again: at once, and then every `everyMs` for as long as it goes on. */
export function tellNowAndThen<T>(tell: (what: T) => void, everyMs = 10_000): (what: T) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (what) => {
    const now = performance.now();
    if (now - toldAt < everyMs) return;
    toldAt = now;
    tell(what);
  };
}
