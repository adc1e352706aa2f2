import { refusal } from './errors.ts';

/** How many pieces of work run at a time over all names, and how many of one name may wait. One name has one place at most. */
export interface GateBounds {
  readonly places: number;
  readonly line: number;
}

interface Waiting {
  readonly enter: () => void;
}

/**
 * A few places that many names share fairly: one for each name at a time, names in the order in which they came to wait, a short line
 * for each. So who asks for much waits for himself, and who comes first with something else waits for one piece of each other name.
 */
export class FairGate {
  readonly #bounds: GateBounds;
  /** In the order in which they get their turn. */
  readonly #lines = new Map<string, Waiting[]>();
  readonly #inside = new Set<string>();

  constructor(bounds: GateBounds) {
    this.#bounds = bounds;
  }

  get running(): number {
    return this.#inside.size;
  }

  get waiting(): number {
    let count = 0;
    for (const line of this.#lines.values()) count += line.length;
    return count;
  }

  /** Runs `work` when there is a place. Throws 503 BUSY where the line is full, and the reason of `signal` where that aborts before. */
  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#inside.has(name) || this.#inside.size >= this.#bounds.places) await this.#wait(name, signal);
    else this.#inside.add(name);
    try {
      return await work();
    } finally {
      this.#inside.delete(name);
      this.#next();
    }
  }

  #wait(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const line = this.#lines.get(name) ?? [];
    if (line.length >= this.#bounds.line)
      throw refusal('BUSY', 'Too many queries of this project wait to pass over its documents; try again shortly');
    this.#lines.set(name, line);
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { enter };
      const leave = () => {
        line.splice(line.indexOf(waiting), 1);
        if (line.length === 0) this.#lines.delete(name);
        reject(signal.reason);
      };
      line.push(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #next(): void {
    for (const [name, line] of this.#lines) {
      if (this.#inside.size >= this.#bounds.places) return;
      if (this.#inside.has(name)) continue;
      const first = line.shift();
      // Behind the others, if it has more.
      this.#lines.delete(name);
      if (line.length > 0) this.#lines.set(name, line);
      if (first === undefined) continue;
      this.#inside.add(name);
      first.enter();
    }
  }
}
