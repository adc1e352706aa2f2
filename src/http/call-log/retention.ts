import { setTimeout as sleep } from 'node:timers/promises';
import type { CallTable } from '../../app/app.ts';

/** Removes what the call log need not keep, in small pieces. Every process that serves does it, and none waits for another. */

export interface Retention {
  /** 0: nothing is kept. */
  readonly days: number;
  /** Most requests of a project that succeeded, and most that were refused or failed. */
  readonly requests: number;
}

/** Interval of the look at the whole table, ms. */
const SWEEP_MS = 30_000;
/** Rows of one statement, and the rest after it, ms. */
const PIECE = 500;
const REST_MS = 50;

/** Begins. Returns the function that ends it. */
export function keepWithin(table: CallTable, retention: Retention, onError: (error: unknown) => void): () => Promise<void> {
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      // Processes that start together look at different times.
      await rest(SWEEP_MS * (0.5 + Math.random()), stop.signal);
      await sweep(table, retention, stop.signal).catch(onError);
    }
  })();
  return async () => {
    stop.abort();
    await running;
  };
}

/** Removes all that is beyond the bounds now. */
export async function sweep(table: CallTable, { days, requests }: Retention, stop?: AbortSignal): Promise<void> {
  if (stop?.aborted) return;
  for (const surplus of await table.surplus({ requests, since: daysAgo(days) })) {
    let left = surplus.requests;
    // First the oldest that are too many, then what is too old.
    for (;;) {
      const removed = await table.remove({ ...surplus, requests: left }, PIECE);
      if (removed === 0 && left === 0) break;
      left = removed === 0 ? 0 : Math.max(0, left - removed);
      if (stop?.aborted) return;
      await rest(REST_MS, stop);
    }
  }
}

function daysAgo(days: number): number {
  const date = new Date();
  return date.setUTCDate(date.getUTCDate() - days);
}

async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined);
}
