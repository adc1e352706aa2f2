/** Most bytes (characters of texts) that may wait for the clients of streams. */
export interface WaitingBounds {
  /** Over all streams of the process. */
  readonly all: number;
  readonly ofProject: number;
  /** How long a client may take nothing when others have no room, ms. */
  readonly graceMs: number;
}

/** What a client that has not taken everything yet may use of a bound: those that keep up need the rest. */
const SLOW_SHARE = 1 / 2;
/** Beyond this part of a bound, clients that take nothing are in the way of others. */
const SHORT_SHARE = 3 / 4;

/**
 * What waits for the clients of streams, over all of them and over each project. It lies in memory, and a client may take its time: ten thousand
 * that are sent a large value and read nothing would end the process.
 */
export class WaitingBytes {
  readonly #bounds: WaitingBounds;
  #all = 0;
  readonly #ofProject = new Map<string, number>();

  constructor(bounds: WaitingBounds) {
    this.#bounds = bounds;
  }

  get all(): number {
    return this.#all;
  }

  /** Whether so many more may wait for a client; always true where nothing waits at all. `isSlow`: something waits for it already. */
  hasRoomFor(project: string, bytes: number, isSlow: boolean): boolean {
    const share = isSlow ? SLOW_SHARE : 1;
    const fits = (waiting: number, most: number) => waiting === 0 || waiting + bytes <= most * share;
    return fits(this.#all, this.#bounds.all) && fits(this.#of(project), this.#bounds.ofProject);
  }

  /** Whether it is time to part with clients of this project that take nothing. */
  isShort(project: string): boolean {
    return this.#all > this.#bounds.all * SHORT_SHARE || this.#of(project) > this.#bounds.ofProject * SHORT_SHARE;
  }

  change(project: string, by: number): void {
    this.#all += by;
    const waiting = this.#of(project) + by;
    if (waiting > 0) this.#ofProject.set(project, waiting);
    else this.#ofProject.delete(project);
  }

  #of(project: string): number {
    return this.#ofProject.get(project) ?? 0;
  }
}
