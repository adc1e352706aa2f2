import { setTimeout as sleep } from 'node:timers/promises';

/** Waiting with a timeout. */

/** Whether the work ended in time. A rejection counts as ended. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const timeOver = sleep(ms, false, { signal: over.signal }).catch(() => false);
  const done = await Promise.race([work.then(() => true).catch(() => true), timeOver]);
  over.abort();
  return done;
}
