import { setTimeout as sleep } from 'node:timers/promises';

/** Waiting, within bounds. */

/** Whether it was done in time. Rejections count as done: there is nothing left to wait for. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const timeOver = sleep(ms, false, { signal: over.signal }).catch(() => false);
  const done = await Promise.race([work.then(() => true).catch(() => true), timeOver]);
  over.abort();
  return done;
}
