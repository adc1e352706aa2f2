const EVERY_MS = 10_000;

/** Passes on what goes wrong again and again: at once, and then every 10 s for as long as it goes on. */
export function tellNowAndThen(tell: (error: unknown) => void): (error: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = performance.now();
    if (now - toldAt < EVERY_MS) return;
    toldAt = now;
    tell(error);
  };
}
