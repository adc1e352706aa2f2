/** A turn of one name. */
export interface Turn {
  /** Whether it had to wait for another. */
  readonly hasWaited: boolean;
  end(): void;
}

/** Turns of one name follow each other, and only so many may wait. A name without a turn takes no memory. */
export class OneAtATime {
  readonly #line: number;
  readonly #lines = new Map<string, { last: Promise<void>; length: number }>();

  constructor(line: number) {
    this.#line = line;
  }

  /** Resolves with a turn, which the caller must end. `null`: too many wait. */
  async take(name: string): Promise<Turn | null> {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), length: 0 };
    if (line.length > this.#line) return null;
    const { last: before, length } = line;
    this.#lines.set(name, line);
    let end = (): void => undefined;
    line.last = new Promise((resolve) => {
      end = resolve;
    });
    line.length += 1;
    await before;
    return {
      hasWaited: length > 0,
      end: () => {
        line.length -= 1;
        if (line.length === 0) this.#lines.delete(name);
        end();
      },
    };
  }
}
