import type { Scheduler } from './scheduler.ts';

/** Work without a wait of its own keeps every other request of the node waiting; it rests after this long. */
const LONGEST_TURN_MS = 25;

/** To be awaited between the pieces of long work: lets others have their turn when it is time, after `longestMs` at most. */
export function turns(scheduler: Scheduler, longestMs = LONGEST_TURN_MS): () => Promise<void> {
  let rested = scheduler.monotonic();
  return async () => {
    if (scheduler.monotonic() - rested <= longestMs) return;
    await scheduler.sleep(0);
    rested = scheduler.monotonic();
  };
}
