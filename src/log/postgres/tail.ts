import { createNotifier } from '../notifier.ts';
import { type FollowOptions, type FollowStep, LogUnavailable, type RecordedEvent } from '../port.ts';
import { createPages, type NextPage, type Pages } from './pages.ts';
import type { Reader } from './read.ts';
import { Recent } from './recent.ts';

/**
 * The end of the log, shared by all followers of this process.
 *
 * Own appends go straight into `recent`. A follower that stands at their position gets them without a query, and their answer also tells
 * where the head is. One loop asks for what other processes append, once for all followers, and only
 * - when no answer came for `pollMs`, or
 * - when an own append came back with a position beyond the next one. Then another process has appended, and its events are fetched first.
 *   Until then the own events wait in `ahead`, so that `recent` never has a gap.
 *
 * A follower that is further behind than `recent` reaches reads pages for itself.
 */
export interface Tail {
  /** Own events with their positions, in order. `requestedAt` as of `performance.now()`. */
  stored(events: readonly RecordedEvent[], requestedAt: number): void;
  follow(options: FollowOptions): AsyncGenerator<FollowStep>;
  close(): Promise<void>;
}

/** The position of a follower: the one that it was given last, once it has asked for more. */
interface Follower {
  position: number;
}

export interface TailOptions {
  readonly reader: Reader;
  readonly pollMs: number;
  readonly recentBytes: number;
}

const STEP_EVENTS = 1000;
const HEARTBEAT_MS = 250;
const FRESH_MS = 500;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;
/** Own events that wait for a gap to be filled. Beyond this number they are forgotten here and read from the database instead. */
const MAX_AHEAD = 20_000;

/** The shared end of the log. `pollMs` and `recentBytes` are options of the log (log.ts). */
export function createTail({ reader, pollMs, recentBytes }: TailOptions): Tail {
  const newEvents = createNotifier();
  const wakeUp = createNotifier();
  const closing = new AbortController();
  const pages = createPages(reader, '');
  const ahead = new Map<number, RecordedEvent>();
  let recent: Recent | null = null;
  /** When the last query was sent that found nothing beyond `recent.top`. */
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** When that query was answered. */
  let lastReceivedAt = Number.NEGATIVE_INFINITY;
  const followers = new Set<Follower>();
  let loop: Promise<void> | null = null;

  const takeAhead = (tail: Recent) => {
    for (let next = ahead.get(tail.top + 1); next; next = ahead.get(tail.top + 1)) {
      ahead.delete(tail.top + 1);
      tail.push(next);
    }
  };

  const confirm = (requestedAt: number) => {
    confirmedAt = Math.max(confirmedAt, requestedAt);
    lastReceivedAt = performance.now();
  };

  /** Whether a query since `time` has found the end, and not so long ago that an outage may lie between. */
  const confirmedSince = (time: number) => confirmedAt >= time && performance.now() - lastReceivedAt < FRESH_MS;

  const stored = (events: readonly RecordedEvent[], requestedAt: number) => {
    if (!recent || followers.size === 0) return;
    const { top } = recent;
    const last = events.at(-1);
    // The loop may have read our events before their answer came.
    if (last === undefined || Number(last.position) <= top) return;
    for (const event of events) {
      const position = Number(event.position);
      if (position <= recent.top) continue;
      if (position === recent.top + 1) {
        recent.push(event);
        ahead.delete(position);
      } else if (ahead.size < MAX_AHEAD) ahead.set(position, event);
    }
    if (ahead.size > 0) takeAhead(recent);
    if (recent.top === top) return wakeUp.notify();
    confirm(requestedAt);
    newEvents.notify();
  };

  /** Reads what lies beyond the top, or before the own events that wait. Returns whether the log was read to its end. */
  const poll = async (): Promise<boolean> => {
    const requestedAt = performance.now();
    let tail = recent ?? new Recent(await reader.end(), recentBytes);
    recent = tail;
    const { top } = tail;
    const [waiting] = ahead.keys();
    const page = await pages.next(top, waiting === undefined ? undefined : waiting - top - 1);
    if (page.head < top) throw new LogUnavailable('the log is shorter than it was: was an older state restored?');
    for (const event of page.events) tail.push(event);
    if (tail.top < page.position) {
      // Events in between were truncated. What is kept in memory must have no gap, so it begins anew; followers before it read pages.
      tail = new Recent(page.position, recentBytes);
      recent = tail;
    }
    for (const event of page.events) ahead.delete(Number(event.position));
    takeAhead(tail);
    const atEnd = tail.top >= page.head;
    if (atEnd) confirm(requestedAt);
    newEvents.notify();
    return atEnd;
  };

  const run = async () => {
    let retryMs = FIRST_RETRY_MS;
    while (followers.size > 0 && !closing.signal.aborted) {
      const notifications = wakeUp.notifications;
      try {
        const atEnd = await poll();
        retryMs = FIRST_RETRY_MS;
        if (atEnd) await untilDue(notifications);
      } catch {
        await wakeUp.wait(wakeUp.notifications, retryMs, closing.signal);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      }
    }
    // Done in the same turn as the test above, so that whoever joins next starts a new loop. Nobody keeps `recent` current meanwhile.
    loop = null;
    recent = null;
    ahead.clear();
  };

  /** Returns when the next poll is due. */
  const untilDue = async (notifications: number) => {
    for (let left = pollMs; left > 0 && wakeUp.notifications === notifications && !closing.signal.aborted; ) {
      await wakeUp.wait(notifications, left, closing.signal);
      left = confirmedAt + pollMs - performance.now();
    }
  };

  const join = (position: number): Follower => {
    const follower = { position };
    followers.add(follower);
    wakeUp.notify();
    loop ??= run();
    return follower;
  };

  /**
   * Forgets what all followers near the top have been given. Kept in memory it would only grow old, and old objects cost the garbage
   * collector most. A follower that is further behind reads pages in any case.
   */
  const forgetGiven = (tail: Recent) => {
    let first = tail.top;
    for (const { position } of followers) if (position >= tail.base) first = Math.min(first, position);
    tail.giveUpTo(first);
  };

  async function* follow({ prefix, after, signal }: FollowOptions): AsyncGenerator<FollowStep> {
    const stop = AbortSignal.any([signal, closing.signal]);
    const behind = createPages(reader, prefix);
    let position = Number(after ?? 0n);
    // "Caught up" must come from a query that was sent after this follower came.
    const started = performance.now();
    let due = started;
    const follower = join(position);
    try {
      while (!stop.aborted) {
        const notifications = newEvents.notifications;
        follower.position = position;
        if (recent) forgetGiven(recent);
        const near = recent?.after(position, STEP_EVENTS) ?? [];
        const last = near.at(-1);
        if (last) {
          position = Number(last.position);
          const caughtUp = position === recent?.top && confirmedSince(started);
          due = caughtUp ? confirmedAt + HEARTBEAT_MS : started;
          yield { events: near.filter((event) => event.stream.startsWith(prefix)), caughtUp, position: last.position };
        } else if (recent && position < recent.top) {
          // What comes meanwhile is kept for this follower. Otherwise it would be behind again when the page is here.
          follower.position = recent.top;
          const page = await nextPage(behind, position, stop);
          if (!page) continue;
          position = page.position;
          due = started;
          yield { events: page.events, caughtUp: false, position: BigInt(position) };
        } else if (recent && confirmedSince(due)) {
          due = confirmedAt + HEARTBEAT_MS;
          yield { events: [], caughtUp: true, position: BigInt(position) };
        } else {
          await newEvents.wait(notifications, LAST_RETRY_MS, stop);
        }
      }
    } finally {
      followers.delete(follower);
      wakeUp.notify();
    }
  }

  /** `null` after the pause that follows an outage, and when the follower stops meanwhile. */
  const nextPage = async (pages: Pages, position: number, stop: AbortSignal): Promise<NextPage | null> => {
    try {
      return await unlessAborted(pages.next(position), stop);
    } catch {
      await wakeUp.wait(wakeUp.notifications, LAST_RETRY_MS / 4, stop);
      return null;
    }
  };

  return {
    stored,
    follow,
    async close() {
      closing.abort();
      await loop;
    },
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
