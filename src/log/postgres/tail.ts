import type { FollowOptions, FollowStep, RecordedEvent } from '../port.ts';
import { EndWatch, type EndWatchOptions, LAST_RETRY_MS } from './end-watch.ts';
import { createPages, type NextPage, type Pages } from './pages.ts';

/**
 * The end of the log, shared by all followers of this process.
 *
 * A follower near the end is served from memory: own appends go straight there, and what other processes append is read once for all
 * followers (`end-watch.ts`). A follower that is further behind than memory reaches reads pages for itself.
 */
export interface Tail {
  /** Own events with their positions, in order. `requestedAt` as of `performance.now()`. */
  stored(events: readonly RecordedEvent[], requestedAt: number): void;
  follow(options: FollowOptions): AsyncGenerator<FollowStep>;
  close(): Promise<void>;
}

const STEP_EVENTS = 1000;
const HEARTBEAT_MS = 250;
const OUTAGE_PAUSE_MS = LAST_RETRY_MS / 4;

/** `pollMs` and `recentBytes` are options of the log (log.ts). */
export function createTail(options: EndWatchOptions): Tail {
  const watch = new EndWatch(options);

  async function* follow({ prefix, after, signal }: FollowOptions): AsyncGenerator<FollowStep> {
    const stop = AbortSignal.any([signal, watch.closing]);
    const behind = createPages(options.reader, prefix);
    let position = Number(after ?? 0n);
    // "Caught up" must come from a query that was sent after this follower came.
    const started = performance.now();
    let due = started;
    const follower = watch.join(position);
    try {
      while (!stop.aborted) {
        const { notifications } = watch.newEvents;
        follower.position = position;
        watch.forgetGiven();
        const { known } = watch;
        const near = known?.after(position, STEP_EVENTS) ?? [];
        const last = near.at(-1);
        if (known && last) {
          position = Number(last.position);
          const caughtUp = position === known.top && known.confirmedSince(started);
          due = caughtUp ? known.confirmedAt + HEARTBEAT_MS : started;
          yield { events: near.filter((event) => event.stream.startsWith(prefix)), caughtUp, position: last.position };
        } else if (known && position < known.top) {
          // What comes meanwhile is kept for this follower. Otherwise it would be behind again when the page is here.
          follower.position = known.top;
          const page = await nextPage(behind, position, stop);
          if (!page) continue;
          position = page.position;
          due = started;
          yield { events: page.events, caughtUp: false, position: BigInt(position) };
        } else if (known?.confirmedSince(due)) {
          due = known.confirmedAt + HEARTBEAT_MS;
          yield { events: [], caughtUp: true, position: BigInt(position) };
        } else {
          await watch.newEvents.wait(notifications, LAST_RETRY_MS, stop);
        }
      }
    } finally {
      watch.leave(follower);
    }
  }

  /** `null` after the pause that follows an outage, and when the follower stops meanwhile. */
  async function nextPage(pages: Pages, position: number, stop: AbortSignal): Promise<NextPage | null> {
    try {
      return await unlessAborted(pages.next(position), stop);
    } catch {
      await watch.pause(OUTAGE_PAUSE_MS, stop);
      return null;
    }
  }

  return {
    stored: (events, requestedAt) => watch.stored(events, requestedAt),
    follow,
    close: () => watch.close(),
  };
}

/** The promise's value, or `null` as soon as `signal` aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  let leave = () => {};
  const aborted = new Promise<null>((resolve) => {
    leave = () => resolve(null);
    signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
