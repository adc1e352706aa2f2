import { Refusal, refusal } from '../../kernel/errors.ts';
import { decodeProjectEvent } from '../../log/decode.ts';
import { lastSealed } from '../../log/foreign.ts';
import type { Log } from '../../log/port.ts';
import type { Decided } from './commit.ts';
import { quotaRefusals } from './quota-refusals.ts';

const DAY_MS = 86_400_000;

/** Revision of the last event up to `head` that was stored before `time`, unix ms. */
type FindLastBefore = (head: number, time: number) => Promise<number>;

/**
 * How many events a project may store in a UTC day. Revisions are counted, so all nodes count the same, and a restart loses nothing. Events
 * under way, here or on other nodes, count when they are stored, so a day may exceed the quota by that many.
 */
export class DayQuota {
  readonly #limit: number;
  readonly #find: FindLastBefore;
  /** Days since 1970. */
  #day: number;
  /** Revision of the last event before the day began. */
  #before: number;

  private constructor(limit: number, find: FindLastBefore, day: number, before: number) {
    this.#limit = limit;
    this.#find = find;
    this.#day = day;
    this.#before = before;
  }

  /** Finds the day's first event by binary search over the project's revisions. */
  static async open(log: Log, stream: string, head: number, limit: number, now: number): Promise<DayQuota> {
    const day = Math.floor(now / DAY_MS);
    const find: FindLastBefore = (from, time) => lastBefore(log, stream, from, time);
    return new DayQuota(limit, find, day, await find(head, day * DAY_MS));
  }

  /** The same decision, or 429 QUOTA_EXCEEDED if it would store events beyond the quota. `head`: of the project; `now`: unix ms. */
  checked<A>(decision: Decided<A>, head: number, now: number): Decided<A> {
    if (decision instanceof Refusal || decision.events.length === 0) return decision;
    const day = Math.floor(now / DAY_MS);
    if (day > this.#day) this.#begin(day, head);
    const used = head - this.#before;
    return used < this.#limit ? decision : this.#exceeded(used, now);
  }

  /** Until the first event of the new day is found, what this day already has is not counted: other nodes may have stored some of it. */
  #begin(day: number, head: number): void {
    this.#day = day;
    this.#before = head;
    const found = (before: number): void => {
      if (this.#day === day) this.#before = before;
    };
    // A log that cannot be read takes no events either. They are counted from `head` then.
    this.#find(head, day * DAY_MS).then(found, () => {});
  }

  #exceeded(used: number, now: number): Refusal {
    quotaRefusals.eventsPerDay += 1;
    const resets = (this.#day + 1) * DAY_MS;
    const error = { quota: 'eventsPerDay', limit: this.#limit, used, resetsAt: new Date(resets).toISOString() };
    const retryAfter = Math.max(1, Math.ceil((resets - now) / 1000));
    return refusal('QUOTA_EXCEEDED', `This project may store ${this.#limit} events a day; it can again at ${error.resetsAt}`, {
      error,
      retryAfter,
    });
  }
}

async function lastBefore(log: Log, stream: string, head: number, time: number): Promise<number> {
  const isBefore = async (revision: number): Promise<boolean> => {
    // A foreign event has no time of ours: that of the event before it stands for it.
    const event = await lastSealed(log, stream, revision);
    return event === null || decodeProjectEvent(event).metadata.recordedAt < time;
  };
  if (head < 0 || (await isBefore(head))) return head;
  let [before, from] = [-1, head];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (await isBefore(middle)) before = middle;
    else from = middle;
  }
  return before;
}
