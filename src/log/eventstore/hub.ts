import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@eventstore/db-client';
import type { Notifier } from '../notifier.ts';
import type { NewEvent, RecordedEvent } from '../port.ts';
import type { Connection } from './connection.ts';
import { isTooSlow } from './failures.ts';
import { nextPage, PAGE_EVENTS } from './pages.ts';
import type { Reader } from './read.ts';
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
/** The time between two reads while pages are read. Shorter, and a call costs more than the events that it brings. */
const READ_PAUSE_MS = 20;
/** How long pages are read at least: to be ended again at once costs more. */
const LEAST_READING_MS = 1000;
/** A read that brings no more events than this leaves room in what a server holds for a subscription (32 events in 23.10). */
const LIVE_EVENTS = 16;

interface TailOptions {
  readonly connection: Connection;
  readonly reader: Reader;
  /** What this process appended and has not met yet, by id. */
  readonly own: Map<string, NewEvent>;
}

export function createHub(connection: Connection, reader: Reader): Hub {
  const own = new Map<string, NewEvent>();
  const tailOptions = { connection, reader, own };
  let shared: SharedTail | null = null;

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
        shared = new SharedTail(tailOptions, options.after);
      }
      const into = shared.covers(options.after) ? shared : new SharedTail(tailOptions, options.after);
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

/**
 * All streams as one source, and its subscribers. It comes from a subscription. Where the server ends that because more came at once than
 * it holds for it, pages are read instead, once for all subscribers, until less comes.
 */
class SharedTail {
  readonly #subscribers = new Set<QueueingSubscriber>();
  readonly #options: TailOptions;
  readonly #stop = new AbortController();
  #source: { close(): void } | null = null;
  #recent: RecordedEvent[] = [];
  /** Every event after this position has come, or will come. */
  #base: bigint | null;
  /** The last event that has come. */
  #position: bigint | null;
  #failure: Error | null = null;

  constructor(options: TailOptions, after: bigint | null) {
    this.#options = options;
    this.#base = after;
    this.#position = after;
    this.#subscribe();
  }

  get isOver(): boolean {
    return this.#failure !== null || this.#stop.signal.aborted;
  }

  /** Whether pages are read now. */
  get isReading(): boolean {
    return this.#source === null;
  }

  covers(after: bigint | null): boolean {
    return this.#base === null || (after !== null && after >= this.#base);
  }

  join(options: SubscriberOptions): Subscriber {
    const subscriber = new QueueingSubscriber(options, this, () => this.#leave(subscriber));
    this.#subscribers.add(subscriber);
    subscriber.offer(this.#recent.filter((event) => options.after === null || event.position > options.after));
    if (this.#failure !== null) subscriber.fail(this.#failure);
    return subscriber;
  }

  #subscribe(): void {
    const { connection, own } = this.#options;
    this.#source = subscribe(connection, {
      after: this.#position,
      own,
      onEvent: (event) => this.#receive([event]),
      onPassed: (position) => {
        for (const subscriber of this.#subscribers) subscriber.pass(position);
      },
      onFailed: (error) => {
        if (this.isOver || this.isReading) return;
        if (!isTooSlow(error)) return this.#fail(error);
        this.#source = null;
        this.#readPages().catch((failure: unknown) => this.#fail(failure instanceof Error ? failure : new Error(String(failure))));
      },
    });
  }

  /** Reads what comes until it comes slowly enough for a subscription. */
  async #readPages(): Promise<void> {
    const { signal } = this.#stop;
    const until = performance.now() + LEAST_READING_MS;
    while (!signal.aborted) {
      const page = await nextPage(this.#options.reader, this.#position, signal, this.#options.own);
      const { length } = this.#receive(page);
      // The last follower may have left just now.
      if (signal.aborted) return;
      if (page.length === PAGE_EVENTS) continue;
      if (length <= LIVE_EVENTS && performance.now() > until) return this.#subscribe();
      await sleep(READ_PAUSE_MS, undefined, { signal, ref: false });
    }
  }

  /** Takes those that are new, and returns them. The server's own events are only passed. */
  #receive(page: readonly RecordedEvent[]): readonly RecordedEvent[] {
    const from = this.#position;
    const events = page.filter(({ position, stream }) => (from === null || position > from) && !stream.startsWith('$'));
    const last = page.at(-1);
    if (last === undefined || (from !== null && last.position <= from)) return events;
    this.#position = last.position;
    this.#recent.push(...events);
    if (this.#recent.length >= 2 * MIN_RECENT) {
      const kept = this.#recent.slice(-MIN_RECENT);
      this.#base = this.#recent[this.#recent.length - MIN_RECENT - 1]?.position ?? this.#base;
      this.#recent = kept;
    }
    for (const subscriber of this.#subscribers) subscriber.receive(events, last.position);
    return events;
  }

  #fail(error: Error): void {
    if (this.#stop.signal.aborted) return;
    this.#failure ??= error;
    for (const subscriber of this.#subscribers) subscriber.fail(error);
  }

  #leave(subscriber: QueueingSubscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    this.#stop.abort();
    this.#source?.close();
  }
}

class QueueingSubscriber implements Subscriber {
  failure: Error | null = null;
  readonly #options: SubscriberOptions;
  readonly #tail: Pick<SharedTail, 'isReading'>;
  readonly #leave: () => void;
  #queue: RecordedEvent[] = [];
  #received: bigint | null = null;
  #reported: Position | null = null;
  #lastMessageAt = performance.now();

  constructor(options: SubscriberOptions, tail: Pick<SharedTail, 'isReading'>, leave: () => void) {
    this.#options = options;
    this.#tail = tail;
    this.#leave = leave;
  }

  get received(): bigint | null {
    return this.#queue.length === 0 ? this.#received : null;
  }

  get passed(): Position | null {
    return this.#queue.length === 0 ? this.#reported : null;
  }

  get lastMessageAt(): number {
    return this.#tail.isReading ? performance.now() : this.#lastMessageAt;
  }

  /**
   * Events that have come, of all streams, and the position up to which that is everything. After a failure nothing more is taken: an event
   * behind one that is missing would move the follower past it.
   */
  receive(events: readonly RecordedEvent[], position: bigint): void {
    this.offer(events);
    if (this.failure !== null) return;
    this.#received = position;
    this.#heard();
  }

  offer(events: readonly RecordedEvent[]): void {
    if (this.failure !== null) return;
    for (const event of events) {
      if (!event.stream.startsWith(this.#options.prefix)) continue;
      if (this.#queue.length >= MAX_QUEUED) {
        this.fail(new Error('the follower was too slow for the subscription'));
        return;
      }
      this.#queue.push(event);
    }
  }

  pass(position: Position): void {
    if (this.failure !== null) return;
    this.#reported = position;
    this.#heard();
  }

  #heard(): void {
    this.#lastMessageAt = performance.now();
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
