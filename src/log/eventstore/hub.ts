import type { Position } from '@eventstore/db-client';
import type { Notifier } from '../notifier.ts';
import type { NewEvent, RecordedEvent } from '../port.ts';
import type { Connection } from './connection.ts';
import { subscribe } from './subscription.ts';

/**
 * One subscription for all followers that have reached the end of the log. So what comes over the wire is parsed once, however many follow
 * in this process, and what this process appended itself is given out with the texts that it was appended with.
 */
export interface Hub {
  /** Call this before this process appends these events. */
  appending(events: readonly NewEvent[]): void;
  /** Call this when they were not stored, and so will not come back. */
  refused(events: readonly NewEvent[]): void;
  /** How many own events are remembered that have not come back yet. */
  readonly awaited: number;
  /** For a follower that has read up to `after`, the position of an event; `null` where the log is empty. */
  join(options: SubscriberOptions): Subscriber;
}

interface SubscriberOptions {
  /** Streams whose name begins with this. Empty: all but the server's own. */
  readonly prefix: string;
  readonly after: bigint | null;
  /** Notified of every event, of progress without one, and of the failure. */
  readonly notifier: Notifier;
}

/** What one follower gets of the subscription. Once it has failed it does not recover. */
interface Subscriber {
  /** Takes at most `limit` events, in order. */
  take(limit: number): readonly RecordedEvent[];
  /** The position of the last event that has come, of whatever stream. `null` while events wait here, or nothing has come. */
  readonly received: bigint | null;
  /** The last position that the server says it has passed, if nothing up to there still waits here. It need not be that of an event. */
  readonly passed: Position | null;
  /** When the last message came, as of `performance.now()`. */
  readonly lastMessageAt: number;
  /** Why it ended; `null` while it runs. */
  readonly failure: Error | null;
  close(): void;
}

/** Events that are kept for a follower that joins a moment after they came. One that is further behind subscribes for itself. */
const MIN_RECENT = 500;
/** Events queued for a slow follower. A follower with more subscribes for itself, and the others go on. */
const MAX_QUEUED = 4000;
/**
 * Own events that may be remembered until they come back. Beyond this the oldest are forgotten, and are read from the wire like any others.
 */
const MAX_OWN = 20_000;

export function createHub(connection: Connection): Hub {
  const own = new Map<string, NewEvent>();
  let shared: SharedSubscription | null = null;

  return {
    appending(events) {
      if (shared === null || shared.isOver) return;
      for (const event of events) own.set(event.id, event);
      if (own.size > MAX_OWN) forgetOldest(own, MAX_OWN / 2);
    },
    refused(events) {
      for (const { id } of events) own.delete(id);
    },
    get awaited() {
      return own.size;
    },
    join(options) {
      if (shared === null || shared.isOver) {
        own.clear();
        shared = new SharedSubscription(connection, options.after, own);
      }
      const into = shared.covers(options.after) ? shared : new SharedSubscription(connection, options.after, own);
      return into.join(options);
    },
  };
}

/** Forgets many at a time: a map walks over its deleted entries to find the first one left. */
function forgetOldest(own: Map<string, NewEvent>, left: number): void {
  for (const id of own.keys()) {
    if (own.size <= left) return;
    own.delete(id);
  }
}

/** One subscription to all streams, and its subscribers. */
class SharedSubscription {
  readonly #subscribers = new Set<QueueingSubscriber>();
  readonly #source: { close(): void };
  #recent: RecordedEvent[] = [];
  /** Every event after this position has come, or will come. */
  #base: bigint | null;
  #failure: Error | null = null;
  #isClosed = false;

  constructor(connection: Connection, after: bigint | null, own: Map<string, NewEvent>) {
    this.#base = after;
    this.#source = subscribe(connection, {
      after,
      own,
      onEvent: (event) => this.#receive(event),
      onPassed: (position) => {
        for (const subscriber of this.#subscribers) subscriber.pass(position);
      },
      onFailed: (error) => {
        this.#failure ??= error;
        for (const subscriber of this.#subscribers) subscriber.fail(error);
      },
    });
  }

  get isOver(): boolean {
    return this.#failure !== null || this.#isClosed;
  }

  covers(after: bigint | null): boolean {
    return this.#base === null || (after !== null && after >= this.#base);
  }

  join(options: SubscriberOptions): Subscriber {
    const subscriber = new QueueingSubscriber(options, () => this.#leave(subscriber));
    this.#subscribers.add(subscriber);
    for (const event of this.#recent) if (options.after === null || event.position > options.after) subscriber.offer(event);
    if (this.#failure !== null) subscriber.fail(this.#failure);
    return subscriber;
  }

  #receive(event: RecordedEvent): void {
    this.#recent.push(event);
    if (this.#recent.length >= 2 * MIN_RECENT) {
      this.#base = this.#recent[MIN_RECENT - 1]?.position ?? this.#base;
      this.#recent = this.#recent.slice(MIN_RECENT);
    }
    for (const subscriber of this.#subscribers) subscriber.offer(event);
  }

  #leave(subscriber: QueueingSubscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0 || this.#isClosed) return;
    this.#isClosed = true;
    this.#source.close();
  }
}

class QueueingSubscriber implements Subscriber {
  lastMessageAt = performance.now();
  failure: Error | null = null;
  readonly #options: SubscriberOptions;
  readonly #leave: () => void;
  #queue: RecordedEvent[] = [];
  #received: bigint | null = null;
  #reported: Position | null = null;

  constructor(options: SubscriberOptions, leave: () => void) {
    this.#options = options;
    this.#leave = leave;
  }

  get received(): bigint | null {
    return this.#queue.length === 0 ? this.#received : null;
  }

  get passed(): Position | null {
    return this.#queue.length === 0 ? this.#reported : null;
  }

  offer(event: RecordedEvent): void {
    this.#received = event.position;
    this.lastMessageAt = performance.now();
    if (!event.stream.startsWith(this.#options.prefix)) return;
    if (this.#queue.length >= MAX_QUEUED) this.fail(new Error('the follower was too slow for the subscription'));
    else this.#queue.push(event);
    this.#options.notifier.notify();
  }

  pass(position: Position): void {
    this.#reported = position;
    this.lastMessageAt = performance.now();
    this.#options.notifier.notify();
  }

  fail(error: Error): void {
    this.failure ??= error;
    this.#options.notifier.notify();
  }

  take(limit: number): readonly RecordedEvent[] {
    const taken = this.#queue.slice(0, limit);
    this.#queue = this.#queue.slice(limit);
    return taken;
  }

  close(): void {
    this.#leave();
  }
}
