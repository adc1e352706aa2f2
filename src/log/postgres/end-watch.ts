import { createNotifier } from '../notifier.ts';
import { LogUnavailable, type RecordedEvent } from '../port.ts';
import { KnownEnd } from './known-end.ts';
import { createPages, type Pages } from './pages.ts';
import type { Reader } from './read.ts';

/** A follower as the watch knows it. `position`: the last one that it was given, once it has asked for more. */
export interface Follower {
  position: number;
}

export interface EndWatchOptions {
  readonly reader: Reader;
  readonly pollMs: number;
  readonly recentBytes: number;
}

const FIRST_RETRY_MS = 50;
export const LAST_RETRY_MS = 1000;

/**
 * Knows the end of the log while anybody follows it. One loop asks for what other processes append, once for all followers. It asks
 * - when no answer came for `pollMs`;
 * - when an own append came back with a position beyond the next one: another process has appended, and its events are fetched first.
 */
export class EndWatch {
  /** Notified of every event that becomes known, and of every query that found none. */
  readonly newEvents = createNotifier();
  readonly #wakeUp = createNotifier();
  readonly #closing = new AbortController();
  readonly #followers = new Set<Follower>();
  readonly #options: EndWatchOptions;
  #known: KnownEnd | null = null;
  #loop: Promise<void> | null = null;

  constructor(options: EndWatchOptions) {
    this.#options = options;
  }

  /** `null` until the log has been asked for its end. */
  get known(): KnownEnd | null {
    return this.#known;
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  join(position: number): Follower {
    const follower = { position };
    this.#followers.add(follower);
    this.#wakeUp.notify();
    this.#loop ??= this.#run();
    return follower;
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    this.#wakeUp.notify();
  }

  forgetGiven(): void {
    this.#known?.forgetGiven(this.#followers);
  }

  /** Takes own events with their positions, in order. `requestedAt` as of `performance.now()`. */
  stored(events: readonly RecordedEvent[], requestedAt: number): void {
    if (!this.#known || this.#followers.size === 0) return;
    // The loop may have read them before their answer came. Then they are known already.
    const taken = this.#known.takeOwn(events, requestedAt);
    if (taken === 'gap') this.#wakeUp.notify();
    if (taken === 'moved') this.newEvents.notify();
  }

  /** Waits for at most `ms`. Ends early when a follower comes or goes, or when a gap must be filled. */
  pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#wakeUp.wait(this.#wakeUp.notifications, ms, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const pages = createPages(this.#options.reader, '');
    let retryMs = FIRST_RETRY_MS;
    while (this.#followers.size > 0 && !this.closing.aborted) {
      const { notifications } = this.#wakeUp;
      try {
        const isEnd = await this.#poll(pages);
        retryMs = FIRST_RETRY_MS;
        if (isEnd) await this.#untilDue(notifications);
      } catch {
        await this.pause(retryMs, this.closing);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      }
    }
    // Done in the same turn as the test above, so that a follower that joins next starts a new loop. Nobody keeps `#known` current
    // meanwhile.
    this.#loop = null;
    this.#known = null;
  }

  /** Reads what lies beyond the top, or before the own events that wait. Returns whether the log was read to its end. */
  async #poll(pages: Pages): Promise<boolean> {
    const requestedAt = performance.now();
    this.#known ??= new KnownEnd(await this.#options.reader.end(), this.#options.recentBytes);
    const known = this.#known;
    const { top } = known;
    const page = await pages.next(top, known.missing);
    if (page.head < top) throw new LogUnavailable('the log is shorter than it was: was an older state restored?');
    const isEnd = known.takePage(page, requestedAt);
    this.newEvents.notify();
    return isEnd;
  }

  /** Returns when the next poll is due. */
  async #untilDue(notifications: number): Promise<void> {
    const { pollMs } = this.#options;
    for (let left = pollMs; left > 0 && this.#wakeUp.notifications === notifications && !this.closing.aborted; ) {
      await this.#wakeUp.wait(notifications, left, this.closing);
      left = (this.#known?.confirmedAt ?? 0) + pollMs - performance.now();
    }
  }
}
