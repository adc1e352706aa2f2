import { setTimeout as sleep } from 'node:timers/promises';

/** Waiting and telling, within bounds. */

const QUIET_MS = 30_000;

/** Whether it was done in time. Rejections count as done: there is nothing left to wait for. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const timeOver = sleep(ms, false, { signal: over.signal }).catch(() => false);
  const done = await Promise.race([work.then(() => true).catch(() => true), timeOver]);
  over.abort();
  return done;
}

/** The first call goes through, further ones only after a while: a store that is away is told of by every connection, all the time. */
export function seldom(tell: (reason: string) => void): (reason: string) => void {
  let quietUntil = 0;
  return (reason) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + QUIET_MS;
    tell(reason);
  };
}
