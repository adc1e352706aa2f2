import { createMemoryLog } from '../../../src/log/memory/log.ts';
import type { AppendResult, ExpectedRevision, NewEvent } from '../../../src/log/port.ts';
import { projectStream } from '../../../src/log/streams.ts';
import { Clock } from './clock.ts';

export const PROJECT = 'arena';
export const STREAM = projectStream(PROJECT);
/** Two seconds before a minute ends, so that rate windows end while a simulation runs. */
export const EPOCH = Date.UTC(2026, 0, 1, 12, 0, 58);

/** A seeded generator (mulberry32), the only randomness in a simulation. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.whole(0, list.length - 1)] ?? list[0];
  }

  text(length: number): string {
    let text = '';
    while (text.length < length) text += this.whole(0, 15).toString(16);
    return text;
  }
}

/** What one simulation shares: time, randomness, the one true log, and what has been seen of it. */
export class World {
  readonly seed: number;
  readonly clock = new Clock();
  readonly random: Random;
  /** The log itself. Nodes reach it only through a network. */
  readonly log = createMemoryLog();
  /** Whether network and machines fail at present. */
  faulty = true;
  /** A log that does not recognise an append sent again and answers with a conflict: the commits are found in the gap. */
  readonly forgetful: boolean;
  /** Last revision of the log, which only the oracle knows. */
  end = -1;
  readonly lines: string[] = [];

  constructor(seed: number) {
    this.seed = seed;
    this.random = new Random(seed);
    this.forgetful = seed % 3 === 0;
  }

  async store(expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const { end } = this;
    const result = await this.log.append(STREAM, expected, events);
    if (this.forgetful && result.ok && result.revision <= end) return { ok: false, actual: end };
    if (result.ok) this.end = Math.max(this.end, result.revision);
    return result;
  }

  note(text: string): void {
    this.lines.push(`${this.clock.now.toFixed(1).padStart(8)} ${text}`);
  }

  /** Time on the way, ms: mostly short, sometimes long. */
  travel(): number {
    return this.random.chance(0.05) ? this.random.between(10, 60) : this.random.between(0.2, 5);
  }
}
