import type { Position } from '@eventstore/db-client';
import type { NewEvent, RecordedEvent } from '../port.ts';
import type { Bell } from '../signal.ts';
import type { Connection } from './connection.ts';
import { subscribe } from './subscription.ts';

/**
 * One subscription for all followers that have reached the end of the log. So what comes over the wire is parsed once, however many follow
 * in this process, and what this process appended itself is given out with the texts that it was appended with.
 */
export interface Hub {
  /** To be called before this process appends these events. */
  appending(events: readonly NewEvent[]): void;
  /** To be called when they were not stored, and so will not come back. */
  refused(events: readonly NewEvent[]): void;
  /** How many own events are remembered that have not come back yet. */
  readonly awaited: number;
  /** For a follower that has read up to `after`, the position of an event; `null` where the log is empty. */
  join(options: MemberOptions): Member;
}

interface MemberOptions {
  /** Streams whose name begins with this. Empty: all but the server's own. */
  readonly prefix: string;
  readonly after: bigint | null;
  /** Rung whenever there is something to look at. */
  readonly bell: Bell;
}

/** A follower's part in a subscription. Once it fails it does not come back. */
interface Member {
  /** Takes at most `limit` events, in order. */
  take(limit: number): readonly RecordedEvent[];
  /** The position of the last event that has come, of whatever stream. `null` while events wait here, or nothing has come. */
  readonly seen: bigint | null;
  /** The last position that the server says it has passed, if nothing up to there still waits here. It need not be that of an event. */
  readonly passed: Position | null;
  /** When something last came, as of `performance.now()`. */
  readonly heardAt: number;
  /** Why it ended; `null` while it runs. */
  readonly failure: Error | null;
  close(): void;
}

/** Events that are kept for a follower that joins a moment after they came. One that is further behind subscribes for itself. */
const KEPT = 500;
/** Events that are held for a slow follower. One with more reads for itself, and the others go on. */
const MAX_WAITING = 4000;
/**
 * Own events that may be remembered until they come back. Beyond this the oldest are forgotten, and are read from the wire like any others.
 */
const MAX_OWN = 20_000;

export function createHub(connection: Connection): Hub {
  const own = new Map<string, NewEvent>();
  let shared: Shared | null = null;

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
        shared = new Shared(connection, options.after, own);
      }
      const into = shared.covers(options.after) ? shared : new Shared(connection, options.after, own);
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

/** One subscription to all streams, and its members. */
class Shared {
  readonly #members = new Set<Waiting>();
  readonly #source: { close(): void };
  #kept: RecordedEvent[] = [];
  /** Every event after this position has come, or will come. */
  #base: bigint | null;
  #failure: Error | null = null;
  #isClosed = false;

  constructor(connection: Connection, after: bigint | null, own: Map<string, NewEvent>) {
    this.#base = after;
    this.#source = subscribe(connection, {
      after,
      own,
      onEvent: (event) => this.#take(event),
      onPassed: (position) => {
        for (const member of this.#members) member.pass(position);
      },
      onFailed: (error) => {
        this.#failure ??= error;
        for (const member of this.#members) member.fail(error);
      },
    });
  }

  get isOver(): boolean {
    return this.#failure !== null || this.#isClosed;
  }

  covers(after: bigint | null): boolean {
    return this.#base === null || (after !== null && after >= this.#base);
  }

  join(options: MemberOptions): Member {
    const member = new Waiting(options, () => this.#leave(member));
    this.#members.add(member);
    for (const event of this.#kept) if (options.after === null || event.position > options.after) member.offer(event);
    if (this.#failure !== null) member.fail(this.#failure);
    return member;
  }

  #take(event: RecordedEvent): void {
    this.#kept.push(event);
    if (this.#kept.length >= 2 * KEPT) {
      this.#base = this.#kept[KEPT - 1]?.position ?? this.#base;
      this.#kept = this.#kept.slice(KEPT);
    }
    for (const member of this.#members) member.offer(event);
  }

  #leave(member: Waiting): void {
    this.#members.delete(member);
    if (this.#members.size > 0 || this.#isClosed) return;
    this.#isClosed = true;
    this.#source.close();
  }
}

class Waiting implements Member {
  heardAt = performance.now();
  failure: Error | null = null;
  readonly #options: MemberOptions;
  readonly #leave: () => void;
  #waiting: RecordedEvent[] = [];
  #seen: bigint | null = null;
  #reported: Position | null = null;

  constructor(options: MemberOptions, leave: () => void) {
    this.#options = options;
    this.#leave = leave;
  }

  get seen(): bigint | null {
    return this.#waiting.length === 0 ? this.#seen : null;
  }

  get passed(): Position | null {
    return this.#waiting.length === 0 ? this.#reported : null;
  }

  offer(event: RecordedEvent): void {
    this.#seen = event.position;
    this.heardAt = performance.now();
    if (!event.stream.startsWith(this.#options.prefix)) return;
    if (this.#waiting.length >= MAX_WAITING) this.fail(new Error('the follower was too slow for the subscription'));
    else this.#waiting.push(event);
    this.#options.bell.ring();
  }

  pass(position: Position): void {
    this.#reported = position;
    this.heardAt = performance.now();
    this.#options.bell.ring();
  }

  fail(error: Error): void {
    this.failure ??= error;
    this.#options.bell.ring();
  }

  take(limit: number): readonly RecordedEvent[] {
    const taken = this.#waiting.slice(0, limit);
    this.#waiting = this.#waiting.slice(limit);
    return taken;
  }

  close(): void {
    this.#leave();
  }
}
