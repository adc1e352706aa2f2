/** Texts at a time; what is said by then is more than anybody reads. */
const MOST_TEXTS = 10_000;
/** Lines of one text that come out within so many ms. */
const MOST = 200;
const WINDOW_MS = 10_000;

/**
 * Bounds how often the log says the same thing: while a database is away every request fails and says so, thousands in a second, and
 * the log would fill the disk that is perhaps the cause. What is left out is counted, and told when the window ends.
 */
export class Repeats {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #counts = new Map<string, number>();

  constructor(most = MOST, windowMs = WINDOW_MS) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  /** Whether a line of this text may come out. `tell` is called with the number of those that did not, if any, at the end of the window. */
  passes(text: string, tell: (leftOut: number) => void): boolean {
    const before = this.#counts.get(text) ?? 0;
    if (before === 0 && this.#counts.size >= MOST_TEXTS) return false;
    const count = before + 1;
    this.#counts.set(text, count);
    if (count === 1) setTimeout(() => this.#end(text, tell), this.#windowMs).unref();
    return count <= this.#most;
  }

  #end(text: string, tell: (leftOut: number) => void): void {
    const leftOut = (this.#counts.get(text) ?? 0) - this.#most;
    this.#counts.delete(text);
    if (leftOut > 0) tell(leftOut);
  }
}
