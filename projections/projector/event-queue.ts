import type { RecordedEvent } from '../../src/log/port.ts';
import { batchLength } from './batch-slicing.ts';

/** The characters that wait in several queues, in total. */
export interface Tally {
  characters: number;
}

/** Events of one stream that wait in memory to be projected, in order. There may be gaps between them. */
export class EventQueue {
  /** Characters of their data. */
  characters = 0;
  #events: RecordedEvent[] = [];
  readonly #tally: Tally;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  get length(): number {
    return this.#events.length;
  }

  /** Adds the events after `revision`. */
  add(events: readonly RecordedEvent[], revision: number): void {
    for (const event of events) {
      if (event.revision <= revision) continue;
      this.#events.push(event);
      this.#count(event.data.length);
    }
  }

  /** Takes a batch out if the event `next` is here; else returns none. */
  take(next: number): readonly RecordedEvent[] {
    return this.#events[0]?.revision === next ? this.#drop(batchLength(this.#events)) : [];
  }

  /** Drops events that are already written. The projector reads no further while they wait, and nobody would take them. */
  passOver(revision: number): void {
    const start = this.#events.findIndex((event) => event.revision > revision);
    this.#drop(start === -1 ? this.#events.length : start);
  }

  clear(): void {
    this.#drop(this.#events.length);
  }

  #drop(count: number): readonly RecordedEvent[] {
    const gone = this.#events.splice(0, count);
    for (const event of gone) this.#count(-event.data.length);
    return gone;
  }

  #count(characters: number): void {
    this.characters += characters;
    this.#tally.characters += characters;
  }
}
