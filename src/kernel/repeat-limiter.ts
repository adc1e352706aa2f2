/** Most texts counted at a time. Lines with further texts are dropped. */
const MAX_TEXTS = 10_000;
/** Most lines of one text within a window. */
const MAX_REPEATS = 200;
const WINDOW_MS = 10_000;

/**
 * Bounds how often a text is logged. During an outage of the database every request fails and logs, thousands of times a second, and a full
 * disk may even be the cause. Dropped lines are counted, and the count is logged when the window ends.
 */
export class RepeatLimiter {
  readonly #maxRepeats: number;
  readonly #windowMs: number;
  readonly #counts = new Map<string, number>();

  constructor(most = MAX_REPEATS, windowMs = WINDOW_MS) {
    this.#maxRepeats = most;
    this.#windowMs = windowMs;
  }

  /** Whether a line of this text may pass. At the end of the window `tell` gets the number of lines left out, if any. */
  allows(text: string, onSuppressed: (suppressed: number) => void): boolean {
    const before = this.#counts.get(text) ?? 0;
    if (before === 0 && this.#counts.size >= MAX_TEXTS) return false;
    const count = before + 1;
    this.#counts.set(text, count);
    if (count === 1) setTimeout(() => this.#end(text, onSuppressed), this.#windowMs).unref();
    return count <= this.#maxRepeats;
  }

  #end(text: string, onSuppressed: (suppressed: number) => void): void {
    const suppressed = (this.#counts.get(text) ?? 0) - this.#maxRepeats;
    this.#counts.delete(text);
    if (suppressed > 0) onSuppressed(suppressed);
  }
}
