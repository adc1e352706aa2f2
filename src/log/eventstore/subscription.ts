import { type AllStreamResolvedEvent, type AllStreamSubscription, type Position, START, streamNameFilter } from '@eventstore/db-client';
import type { RecordedEvent } from '../port.ts';
import type { Bell } from '../wake.ts';
import type { Connection } from './connection.ts';
import { fromStored } from './text.ts';

/** Held here for a follower that is slow; beyond it the server is made to wait, and may end the subscription for that. */
const MOST_WAITING = 4000;

/** One subscription, until it fails: it never comes back by itself. */
export interface Subscription {
  /** Takes at most `limit` events, in order. */
  take(limit: number): readonly RecordedEvent[];
  /** The last place that the server says it has passed, of which nothing waits here any more. As given: it need not be an event's. */
  readonly passed: Position | null;
  /** When something came, as of `performance.now()`. */
  readonly heardAt: number;
  /** Why it ended; `null` while it runs. */
  readonly failure: Error | null;
  close(): void;
}

export interface SubscriptionOptions {
  /** Streams whose name starts with this; empty for all but the server's own. */
  readonly prefix: string;
  /** Exclusive. Must be the place of an event that exists: the server skips whatever event comes first from here on. */
  readonly after: bigint | null;
  /** Rung whenever there is something to look at. */
  readonly bell: Bell;
}

/**
 * Subscribes to the whole log with a filter on stream names.
 *
 * Progress reports come beside the events, ahead of those that still wait in the client's buffer. So on each report the buffer is
 * emptied first; only then is it true that everything before it is here.
 */
export function subscribe(connection: Connection, { prefix, after, bell }: SubscriptionOptions): Subscription {
  let waiting: AllStreamResolvedEvent[] = [];
  let reported: Position | null = null;
  let passed: Position | null = null;
  let heardAt = performance.now();
  let failure: Error | null = null;

  const heard = () => {
    heardAt = performance.now();
    connection.heard();
    bell.ring();
  };
  const fail = (reason: Error) => {
    failure ??= reason;
    bell.ring();
  };
  const checkpointReached = (_: AllStreamSubscription, position: Position) => {
    while (source.read() !== null);
    reported = position;
    heard();
  };

  const filter =
    prefix === '' ? streamNameFilter({ regex: '^[^$]', checkpointReached }) : streamNameFilter({ prefixes: [prefix], checkpointReached });
  const fromPosition = after === null ? START : { commit: after, prepare: after };
  const source = connection.client().subscribeToAll({ fromPosition, filter, requiresLeader: true });
  source.on('data', (event: AllStreamResolvedEvent) => {
    waiting.push(event);
    if (waiting.length >= MOST_WAITING) source.pause();
    heard();
  });
  source.on('error', fail);
  source.on('end', () => fail(new Error('the server ended the subscription')));

  return {
    take(limit) {
      const taken = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      if (waiting.length === 0) passed = reported;
      if (waiting.length < MOST_WAITING / 2 && source.isPaused()) source.resume();
      return taken.flatMap((one) => fromStored(one) ?? []);
    },
    get passed() {
      return passed;
    },
    get heardAt() {
      return heardAt;
    },
    get failure() {
      return failure;
    },
    close() {
      source.unsubscribe().catch(() => undefined);
    },
  };
}
