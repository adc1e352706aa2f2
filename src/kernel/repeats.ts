/** Texts counted at a time. Texts beyond this are left out: nobody reads more. */
const MOST_TEXTS = 10_000;
/** Lines of one text that pass within a window. */
const MOST = 200;
const WINDOW_MS = 10_000;

/**
 * Bounds how often the log repeats a text. While a database is away every request fails and logs, thousands of times a second, and a full disk
 * may even be the cause. Lines left out are counted, and the count is logged when the window ends.
 */
export class Repeats {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #counts = new Map<string, number>();

  constructor(most = MOST, windowMs = WINDOW_MS) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  /** Whether a line of this text may pass. At the end of the window `tell` gets the number of lines left out, if any. */
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
