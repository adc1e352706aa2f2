import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Position } from '@eventstore/db-client';
import { type FollowOptions, type FollowStep, LogUnavailable, type RecordedEvent } from '../port.ts';
import { createBell } from '../wake.ts';
import { End, HEARTBEAT_MS } from './end.ts';
import type { Hub } from './hub.ts';
import type { Reader } from './read.ts';

/**
 * Following: a subscription brings the events, reads of the log's end tell where it stands.
 *
 * The servers' own word that a subscription has caught up is not to be relied on (none for a stream that does not exist yet, nothing
 * in it, no repetition), and a filtered subscription says little of events that it leaves out. So the end of the log is asked for
 * `HEARTBEAT_MS` after the last time:
 *  - When the position has reached that end, the follower is caught up.
 *  - When it has not, and the subscription brings nothing, the stretch up to the end is read. Mostly it holds other streams' events
 *    alone, and the position moves past them. If it does hold events of ours, they are given at once, and passed over when the
 *    subscription brings them; a subscription that then stays silent is dead, and is replaced.
 * Both sources are complete and in order from the position on, so what lies at or before the position is a repetition and is dropped.
 *
 * A position given out is always an event's own. An attempt (the first one, and each after an outage) begins by reading from there,
 * and subscribes after that:
 *  - A subscription skips the first event from its start on, whichever it is, and where the event itself was scavenged since, that
 *    would be one that nobody has seen.
 *  - A server ends live subscriptions that it cannot hand an event to at once. 23.10 holds a few dozen events for each, so an append of
 *    more than that is enough. Then events are under way at that very moment, and reading brings them soonest.
 */
export interface FollowerOptions {
  readonly hub: Hub;
  readonly reader: Reader;
  readonly closing: AbortSignal;
}

/** How long the subscription may be silent below the log's end before the stretch between is read. */
const GRACE_MS = 20;
/** How long it may be silent after a read has found events of ours that it had not brought. */
const DEAD_MS = 1000;
/** The position in an empty log. No event lies there: a server's first record is its own. */
const NOWHERE = 0n;
/** Steps with events are so long apart, where there are many: a step for each event would be slow to work off. */
const GATHER_MS = 10;
const STEP_EVENTS = 1000;
const STRETCH_EVENTS = 100;
const PAGE_EVENTS = 1000;
const FIRST_RETRY_MS = 10;
const LAST_RETRY_MS = 1000;
/** An attempt that lasted so long was no failure to begin with. */
const LASTING_MS = 5000;

export async function* followLog(
  options: FollowerOptions,
  { prefix, after, signal, onTrouble }: FollowOptions,
): AsyncGenerator<FollowStep> {
  const stop = AbortSignal.any([signal, options.closing]);
  const pause = createBell();
  let position = after;
  let retryMs = FIRST_RETRY_MS;
  while (!stop.aborted) {
    const began = performance.now();
    const from = position;
    try {
      for await (const step of attempt(options, prefix, position === NOWHERE ? null : position, stop)) {
        position = step.position;
        yield step;
      }
    } catch (error) {
      // Whatever it was, the answer is the same: try again from the own position.
      if (stop.aborted) return;
      const isEverydayEnd = position !== from || performance.now() - began > LASTING_MS;
      if (isEverydayEnd) retryMs = FIRST_RETRY_MS;
      else onTrouble?.(error);
      await pause.wait(pause.rings, retryMs, stop);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }
}

/** Follows until `stop` aborts, then it returns, or until something fails, then it throws. */
async function* attempt(
  { hub, reader }: FollowerOptions,
  prefix: string,
  after: bigint | null,
  stop: AbortSignal,
): AsyncGenerator<FollowStep> {
  const place = new Place(prefix, after);
  let confirmedAt: number | null = null;
  while (confirmedAt === null) {
    const askedAt = performance.now();
    const page = await unlessAborted(reader.page(exactly(place.known), PAGE_EVENTS, stop), stop);
    if (page === null) return;
    if (page.length === 0 && place.known !== null) throw new LogUnavailable('the log is shorter than it was: was an older state restored?');
    if (page.length < PAGE_EVENTS) confirmedAt = askedAt;
    yield place.step(page, confirmedAt !== null);
  }

  const bell = createBell();
  const end = new End(reader, bell, stop, confirmedAt);
  const source = hub.join({ prefix, after: place.known, bell });
  /** Since when the subscription owes events that were read in its stead. */
  let owedSince: number | null = null;
  let steppedAt = Number.NEGATIVE_INFINITY;
  try {
    while (!stop.aborted) {
      await gathered(end, steppedAt);
      const rings = bell.rings;
      if (end.isDue()) end.ask();
      const events = place.beyond(source.take(STEP_EVENTS));
      const last = events.at(-1);
      if (last) place.known = last.position;
      place.moveTo(source.seen);
      const caughtUp = end.confirms(place.known);
      if (last || caughtUp) {
        if (last) steppedAt = performance.now();
        yield { events, caughtUp, position: place.known ?? NOWHERE };
        continue;
      }
      if (source.failure) throw source.failure;
      if (end.failure) throw end.failure;
      if (owedSince !== null && source.heardAt > owedSince) owedSince = null;
      if (owedSince !== null && performance.now() - owedSince > DEAD_MS) throw new LogUnavailable('the subscription is silent');
      if (!end.isBeyond(place.known, source.heardAt, GRACE_MS)) {
        await bell.wait(rings, end.isOpen ? GRACE_MS : HEARTBEAT_MS, stop);
        continue;
      }
      const stretch = await unlessAborted(stretchAfter(reader, place.known, source.passed, stop), stop);
      if (stretch === null) return;
      const step = place.step(stretch, false);
      if (step.events.length > 0) owedSince ??= performance.now();
      yield step;
    }
  } finally {
    source.close();
  }
}

/** A first event is given at once. While more come, or while the follower is behind, they are gathered. */
async function gathered(end: End, steppedAt: number): Promise<void> {
  const since = performance.now() - steppedAt;
  if (!end.isConfirmed()) await sleep(GATHER_MS);
  else if (since < GATHER_MS) await sleep(GATHER_MS - since);
  else await turn();
}

/** Where a follower stands, and what it wants. */
class Place {
  known: bigint | null;
  readonly #prefix: string;

  constructor(prefix: string, known: bigint | null) {
    this.#prefix = prefix;
    this.known = known;
  }

  /** Nothing of ours lies up to there that was not given. */
  moveTo(position: bigint | null): void {
    if (position !== null && (this.known === null || position > this.known)) this.known = position;
  }

  beyond(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    const { known } = this;
    return known === null ? events : events.filter((event) => event.position > known);
  }

  /** Moves past a page of the whole log and gives what is ours of it. */
  step(page: readonly RecordedEvent[], caughtUp: boolean): FollowStep {
    const events = this.beyond(page).filter((event) => this.#wants(event.stream));
    const last = page.at(-1);
    if (last && (this.known === null || last.position > this.known)) this.known = last.position;
    return { events, caughtUp, position: this.known ?? NOWHERE };
  }

  #wants(stream: string): boolean {
    return this.#prefix === '' ? !stream.startsWith('$') : stream.startsWith(this.#prefix);
  }
}

/** The place of an event: both halves are the same. */
function exactly(position: bigint | null): Position | null {
  return position === null ? null : { commit: position, prepare: position };
}

/** The log's next events after what was given, or after what the subscription has passed where that is further. */
async function stretchAfter(
  reader: Reader,
  known: bigint | null,
  passed: Position | null,
  stop: AbortSignal,
): Promise<readonly RecordedEvent[]> {
  if (passed !== null && (known === null || passed.commit > known)) {
    const stretch = await reader.page(passed, STRETCH_EVENTS, stop);
    // It may have passed the very last event, whose place the follower still has to learn.
    if (stretch.length > 0) return stretch;
  }
  return reader.page(exactly(known), STRETCH_EVENTS, stop);
}

/** The promise's value, or `null` once the follower stops. */
async function unlessAborted<T>(promise: Promise<T>, stop: AbortSignal): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (stop.aborted) return null;
    throw error;
  }
}
