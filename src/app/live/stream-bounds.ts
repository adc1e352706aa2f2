import { refusal } from '../../kernel/errors.ts';
import { type LiveAmounts, type LiveBound, type LiveBounds, STREAM_HOLDERS } from '../ports/live-bounds.ts';

export interface StreamHolders {
  readonly project: string;
  readonly key: string;
  /** `null`: it comes from this machine, and is not counted. */
  readonly address: string | null;
}

const NONE: LiveAmounts = { streams: 0, topics: 0 };
const RETRY_SECONDS = 5;

/** Counts the open streams of a process and their topics, and refuses more than the bounds allow. */
export class StreamBounds {
  readonly #bounds: LiveBounds;
  readonly #refused: (by: LiveBound) => void;
  readonly #held = new Map<string, LiveAmounts>();
  #streams = 0;
  #topics = 0;

  constructor(bounds: LiveBounds, refused: (by: LiveBound) => void) {
    this.#bounds = bounds;
    this.#refused = refused;
  }

  get streams(): number {
    return this.#streams;
  }

  get topics(): number {
    return this.#topics;
  }

  /** Counts a stream until the returned function is called, once. Throws 503 BUSY that names the full bound. */
  take({ project, key, address }: StreamHolders, topics: number): () => void {
    if (this.#streams >= this.#bounds.streams) throw this.#refusal('process', 'streams');
    const holders = { project, key: `${project} ${key}`, address };
    const counted = STREAM_HOLDERS.flatMap((holder) =>
      holders[holder] === null ? [] : [[holder, `${holder} ${holders[holder]}`] as const],
    );
    for (const [holder, name] of counted) this.#requireRoom(holder, this.#held.get(name) ?? NONE, topics);
    const change = (by: 1 | -1) => {
      this.#streams += by;
      this.#topics += by * topics;
      for (const [, name] of counted) this.#change(name, by, topics);
    };
    change(1);
    return () => change(-1);
  }

  #requireRoom(holder: Exclude<LiveBound, 'process'>, held: LiveAmounts, topics: number): void {
    const bounds = this.#bounds.of[holder];
    if (held.streams >= bounds.streams) throw this.#refusal(holder, 'streams');
    if (held.topics + topics > bounds.topics) throw this.#refusal(holder, 'topics');
  }

  #change(name: string, by: 1 | -1, topics: number): void {
    const held = this.#held.get(name) ?? NONE;
    const now = { streams: held.streams + by, topics: held.topics + by * topics };
    if (now.streams === 0) this.#held.delete(name);
    else this.#held.set(name, now);
  }

  #refusal(by: LiveBound, what: keyof LiveAmounts): Error {
    this.#refused(by);
    const who = by === 'process' ? 'This node' : `This ${by}`;
    return refusal('BUSY', `${who} has too many ${what} of live streams open; close some, or try again later`, {
      retryAfter: RETRY_SECONDS,
    });
  }
}
