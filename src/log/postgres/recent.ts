import type { RecordedEvent } from '../port.ts';

/** What an event takes in memory beside its texts: the objects, the position, its entry in the list. */
const OVERHEAD_BYTES = 300;

/**
 * The last events of the log that a follower may still ask for, as many as fit into `maxBytes`. There is no gap: they are the positions
 * after `base` up to and including `top`. A character of text counts as two bytes, the most it can take.
 */
export class Recent {
  readonly #maxBytes: number;
  #events: RecordedEvent[] = [];
  /** Events before this index were given up. They are removed from the list many at a time. */
  #start = 0;
  #bytes = 0;
  #top: number;

  constructor(top: number, maxBytes: number) {
    this.#top = top;
    this.#maxBytes = maxBytes;
  }

  get top(): number {
    return this.#top;
  }

  get base(): number {
    return this.#top - (this.#events.length - this.#start);
  }

  /** Takes the event after `top`. Any other is already here or would leave a gap, and is ignored. */
  push(event: RecordedEvent): void {
    if (Number(event.position) !== this.#top + 1) return;
    this.#events.push(event);
    this.#top++;
    this.#bytes += costOf(event);
    while (this.#bytes > this.#maxBytes) this.#giveUpOldest();
  }

  /** At most `limit` events after `position`; none if that is the top, `null` if they are not kept here. */
  after(position: number, limit: number): readonly RecordedEvent[] | null {
    if (position < this.base || position > this.#top) return null;
    const from = this.#start + position - this.base;
    return this.#events.slice(from, from + limit);
  }

  /** Gives up the events up to a position that all followers have passed. */
  giveUpTo(position: number): void {
    while (this.base < position && this.base < this.#top) this.#giveUpOldest();
  }

  #giveUpOldest(): void {
    const oldest = this.#events[this.#start];
    if (!oldest) return;
    this.#bytes -= costOf(oldest);
    this.#start++;
    if (this.#start < 256 || this.#start * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#start);
    this.#start = 0;
  }
}

function costOf(event: RecordedEvent): number {
  return OVERHEAD_BYTES + 2 * (event.data.length + event.metadata.length + event.stream.length + event.type.length);
}
