import { useSyncExternalStore } from 'react';

/** The time, for what says how long ago something was: one clock for all of a page. */

const EVERY_MS = 20_000;
const readers = new Set<() => void>();
let clock: ReturnType<typeof setInterval> | null = null;
let now = Date.now();

function follow(reader: () => void): () => void {
  readers.add(reader);
  clock ??= setInterval(tick, EVERY_MS);
  return () => {
    readers.delete(reader);
    if (readers.size > 0 || clock === null) return;
    clearInterval(clock);
    clock = null;
  };
}

function tick(): void {
  now = Date.now();
  for (const reader of readers) reader();
}

/** The time now, and again as it goes on. */
export function useNow(): number {
  // What is drawn for another reason is told by the time of its drawing.
  return Math.max(
    Date.now(),
    useSyncExternalStore(follow, () => now),
  );
}
