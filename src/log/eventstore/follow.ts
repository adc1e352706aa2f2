import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Position } from '@eventstore/db-client';
import { createNotifier } from '../notifier.ts';
import { type FollowOptions, type FollowStep, LogUnavailable, type RecordedEvent } from '../port.ts';
import { End, HEARTBEAT_MS } from './end.ts';
import type { Hub } from './hub.ts';
import { exactly, nextPage, PAGE_EVENTS } from './pages.ts';
import type { Reader } from './read.ts';

/**
 * Following: a subscription brings the events, and reads of the log's end tell how far the log goes.
 *
 * The server's message that a subscription has caught up cannot be relied on: it does not come for a stream that does not exist yet, has no
 * content and is not repeated. A filtered subscription says little of the events that it leaves out. So the end of the log is asked for
 * every `HEARTBEAT_MS`:
 * - When the position has reached that end, the follower is caught up.
 * - When it has not, and the subscription brings nothing, the events up to the end are read. Mostly they belong to other streams, and the
 *   position moves past them. If some are ours, they are given at once, and dropped when the subscription brings them. A subscription that
 *   stays silent after that is dead, and is replaced.
 *
 * Both sources are complete and in order from the position on, so what lies at or before the position is a repetition and is dropped.
 *
 * A position that is given out is always that of an event. An attempt (the first one, and each after an outage) first reads from there and
 * then subscribes:
 * - A subscription skips the first event at or after its start. If the event at the start was scavenged, the skipped one would be an event
 *   that nobody has seen.
 * - When an attempt begins, events may be under way at that very moment, and reading brings them soonest.
 */
export interface FollowerOptions {
  readonly hub: Hub;
  readonly reader: Reader;
  readonly closing: AbortSignal;
}

/** How long the subscription may be silent, before the log's end, until the events up to the end are read. */
const GRACE_MS = 20;
/** How long it may stay silent after a read has found events of ours that it had not brought. */
const DEAD_MS = 1000;
/** The position in an empty log. No event of ours lies there: a server's first record is its own. */
const LOG_START = 0n;
/** The time between two steps when there are many events. A step for each event would take too much work. */
const BATCH_MS = 10;
const STEP_EVENTS = 1000;
const CATCH_UP_EVENTS = 100;
const FIRST_RETRY_MS = 10;
const LAST_RETRY_MS = 1000;
/** A failure after this long counts as new: the pause before the next attempt is short again. */
const LASTING_MS = 5000;

export async function* followLog(options: FollowerOptions, { prefix, after, signal, onError }: FollowOptions): AsyncGenerator<FollowStep> {
  const stop = AbortSignal.any([signal, options.closing]);
  const retryNotifier = createNotifier();
  let position = after;
  let retryMs = FIRST_RETRY_MS;
  while (!stop.aborted) {
    const began = performance.now();
    const from = position;
    try {
      for await (const step of attempt(options, prefix, position === LOG_START ? null : position, stop)) {
        position = step.position;
        yield step;
      }
    } catch (error) {
      // Whatever failed, the follower tries again from its own position.
      if (stop.aborted) return;
      const isTransient = position !== from || performance.now() - began > LASTING_MS;
      if (isTransient) retryMs = FIRST_RETRY_MS;
      else onError?.(error);
      await retryNotifier.wait(retryNotifier.notifications, retryMs, stop);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }
}

/** Follows until `stop` aborts (then it returns) or something fails (then it throws). */
async function* attempt(
  { hub, reader }: FollowerOptions,
  prefix: string,
  after: bigint | null,
  stop: AbortSignal,
): AsyncGenerator<FollowStep> {
  const follower = new Follower(prefix, after);
  const confirmedAt = yield* catchUp(reader, follower, stop);
  if (confirmedAt === null) return;
  const notifier = createNotifier();
  const end = new End(reader, notifier, stop, confirmedAt);
  const source = hub.join({ prefix, after: follower.position, notifier });
  /** Since when the subscription has owed events that were read instead. */
  let owedSince: number | null = null;
  let steppedAt = Number.NEGATIVE_INFINITY;
  try {
    while (!stop.aborted) {
      await waitForBatch(end, steppedAt);
      const notifications = notifier.notifications;
      if (end.isDue()) end.request();
      const events = follower.newAmong(source.take(STEP_EVENTS));
      const last = events.at(-1);
      if (last) follower.position = last.position;
      follower.moveTo(source.received);
      const caughtUp = end.confirms(follower.position);
      if (last || caughtUp) {
        if (last) steppedAt = performance.now();
        yield { events, caughtUp, position: follower.position ?? LOG_START };
        continue;
      }
      if (source.failure) throw source.failure;
      if (end.failure) throw end.failure;
      if (owedSince !== null && source.lastMessageAt > owedSince) owedSince = null;
      if (owedSince !== null && performance.now() - owedSince > DEAD_MS) throw new LogUnavailable('the subscription is silent');
      if (!end.isBeyond(follower.position, source.lastMessageAt, GRACE_MS)) {
        await notifier.wait(notifications, end.isOpen ? GRACE_MS : HEARTBEAT_MS, stop);
        continue;
      }
      const missing = await unlessAborted(catchUpAfter(reader, follower.position, source.passed, stop), stop);
      if (missing === null) return;
      const step = follower.step(missing, false);
      if (step.events.length > 0) owedSince ??= performance.now();
      yield step;
    }
  } finally {
    source.close();
  }
}

/** Reads to the end of the log. Returns when that was asked for (`performance.now()`), or `null` once `stop` aborts. */
async function* catchUp(reader: Reader, follower: Follower, stop: AbortSignal): AsyncGenerator<FollowStep, number | null> {
  for (;;) {
    const requestedAt = performance.now();
    const page = await unlessAborted(nextPage(reader, follower.position, stop), stop);
    if (page === null) return null;
    const isEnd = page.length < PAGE_EVENTS;
    yield follower.step(page, isEnd);
    if (isEnd) return requestedAt;
  }
}

/** The first event is given at once. While more come, or while the follower is behind, events are gathered. */
async function waitForBatch(end: End, steppedAt: number): Promise<void> {
  const since = performance.now() - steppedAt;
  if (!end.isConfirmed()) await sleep(BATCH_MS);
  else if (since < BATCH_MS) await sleep(BATCH_MS - since);
  else await turn();
}

/** How far a follower is, and which events it wants. */
class Follower {
  position: bigint | null;
  readonly #prefix: string;

  constructor(prefix: string, position: bigint | null) {
    this.#prefix = prefix;
    this.position = position;
  }

  /** Call this when no event of ours up to there is still to be given. */
  moveTo(position: bigint | null): void {
    if (position !== null && (this.position === null || position > this.position)) this.position = position;
  }

  newAmong(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    const { position } = this;
    return position === null ? events : events.filter((event) => event.position > position);
  }

  /** Moves past a page of the whole log and gives those of its events that are ours. */
  step(page: readonly RecordedEvent[], caughtUp: boolean): FollowStep {
    const events = this.newAmong(page).filter((event) => this.#wants(event.stream));
    const last = page.at(-1);
    if (last && (this.position === null || last.position > this.position)) this.position = last.position;
    return { events, caughtUp, position: this.position ?? LOG_START };
  }

  #wants(stream: string): boolean {
    return this.#prefix === '' ? !stream.startsWith('$') : stream.startsWith(this.#prefix);
  }
}

/** The log's next events after the last that was given, or after what the subscription has passed if that is further. */
async function catchUpAfter(
  reader: Reader,
  position: bigint | null,
  passed: Position | null,
  stop: AbortSignal,
): Promise<readonly RecordedEvent[]> {
  if (passed !== null && (position === null || passed.commit > position)) {
    const missing = await reader.page(passed, CATCH_UP_EVENTS, stop);
    // The subscription may have passed the very last event. The follower still has to learn that event's position.
    if (missing.length > 0) return missing;
  }
  return reader.page(exactly(position), CATCH_UP_EVENTS, stop);
}

/** The promise's value, or `null` once `stop` aborts. */
async function unlessAborted<T>(promise: Promise<T>, stop: AbortSignal): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (stop.aborted) return null;
    throw error;
  }
}
