import type { RecordedEvent } from '../port.ts';
import type { NextPage } from './pages.ts';
import { Recent } from './recent.ts';

/** An answer of the log that is older than this proves nothing: there may have been an outage since. */
const FRESH_MS = 500;
/** Own events that wait for a gap to be filled. Beyond this number they are forgotten here and read from the database instead. */
const MAX_AHEAD = 20_000;

/**
 * What this process knows of the end of the log: the last events without a gap, own events after a gap, and when the log last confirmed
 * that there are no more.
 */
export class KnownEnd {
  readonly #recentBytes: number;
  #recent: Recent;
  /** Own events after a gap, by position. Another process has appended what is missing before them. */
  readonly #ahead = new Map<number, RecordedEvent>();
  /** When the last query was sent that found nothing beyond the top, and when it was answered. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(top: number, recentBytes: number) {
    this.#recent = new Recent(top, recentBytes);
    this.#recentBytes = recentBytes;
  }

  /** The last position that is known without a gap. */
  get top(): number {
    return this.#recent.top;
  }

  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** How many positions are missing before the own events that wait; `undefined` when none wait. */
  get missing(): number | undefined {
    const [waiting] = this.#ahead.keys();
    return waiting === undefined ? undefined : waiting - this.top - 1;
  }

  /** Whether a query that was sent after `time` has found the end, and was answered a moment ago. */
  confirmedSince(time: number): boolean {
    return this.#confirmedAt >= time && performance.now() - this.#answeredAt < FRESH_MS;
  }

  /** At most `limit` events after `position`; none if that is the top, `null` when they are not kept here. */
  after(position: number, limit: number): readonly RecordedEvent[] | null {
    return this.#recent.after(position, limit);
  }

  /**
   * Takes own events with their positions, in order. `moved`: the top moved. `gap`: all that are new wait behind a gap. `known`: none is
   * new.
   */
  takeOwn(events: readonly RecordedEvent[], requestedAt: number): 'moved' | 'gap' | 'known' {
    const { top } = this;
    const last = events.at(-1);
    if (last === undefined || Number(last.position) <= top) return 'known';
    for (const event of events) {
      const position = Number(event.position);
      if (position <= this.top) continue;
      if (position === this.top + 1) {
        this.#recent.push(event);
        this.#ahead.delete(position);
      } else if (this.#ahead.size < MAX_AHEAD) this.#ahead.set(position, event);
    }
    this.#closeGap();
    if (this.top === top) return 'gap';
    this.#confirm(requestedAt);
    return 'moved';
  }

  /** Takes the page of the whole log after the top. Returns whether the log ends there. */
  takePage(page: NextPage, requestedAt: number): boolean {
    for (const event of page.events) this.#recent.push(event);
    // Events in between were truncated. What is kept in memory must have no gap, so it begins anew; followers before it read pages.
    if (this.top < page.position) this.#recent = new Recent(page.position, this.#recentBytes);
    for (const event of page.events) this.#ahead.delete(Number(event.position));
    this.#closeGap();
    const isEnd = this.top >= page.head;
    if (isEnd) this.#confirm(requestedAt);
    return isEnd;
  }

  /**
   * Forgets what all followers near the top have been given. Kept in memory it would only grow old, and old objects cost the garbage
   * collector most. A follower that is further behind reads pages in any case.
   */
  forgetGiven(followers: Iterable<{ readonly position: number }>): void {
    let first = this.top;
    for (const { position } of followers) if (position >= this.#recent.base) first = Math.min(first, position);
    this.#recent.giveUpTo(first);
  }

  #closeGap(): void {
    if (this.#ahead.size === 0) return;
    for (let next = this.#ahead.get(this.top + 1); next; next = this.#ahead.get(this.top + 1)) {
      this.#ahead.delete(this.top + 1);
      this.#recent.push(next);
    }
  }

  #confirm(requestedAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, requestedAt);
    this.#answeredAt = performance.now();
  }
}
