/** A turn under a name. */
export interface Turn {
  /** Whether another had it before. */
  readonly hasWaited: boolean;
  end(): void;
}

/** Turns under a name, one after the other, and so many at most that wait for theirs. Nothing is kept of a name that nobody has. */
export class OneAtATime {
  readonly #line: number;
  readonly #lines = new Map<string, { last: Promise<void>; length: number }>();

  constructor(line: number) {
    this.#line = line;
  }

  /** `null`: too many wait. Whoever gets a turn has to end it. */
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
