import { LRUCache } from 'lru-cache';

/** Of a topic: what it was read as, which may be dropped and read again. */
interface Holder {
  forget(): void;
}

/** Characters beside the text of a value. */
const KEPT = 300;

/**
 * Bounds what the values of all topics of a node take together. Who listens is sent a value once, so it is needed again only by those who come
 * later or were slow. The one that was read longest ago goes first.
 */
export class ValueMemory {
  readonly #held: LRUCache<Holder, { readonly characters: number }>;
  readonly #changed: (characters: number) => void;

  /** `changed`: hears how many characters all values take. */
  constructor(most: number, changed: (characters: number) => void) {
    this.#changed = changed;
    this.#held = new LRUCache({
      maxSize: most,
      // A value above the bound drops all others. The cache would refuse it, and not count what its topic holds all the same.
      sizeCalculation: ({ characters }) => Math.min(characters + KEPT, most),
      dispose: (_, holder) => holder.forget(),
    });
  }

  /** The topic holds a value of so many characters from now on, in place of the one before. */
  hold(holder: Holder, characters: number): void {
    this.#held.set(holder, { characters }, { noDisposeOnSet: true });
    this.#changed(this.#held.calculatedSize);
  }

  release(holder: Holder): void {
    this.#held.delete(holder);
    this.#changed(this.#held.calculatedSize);
  }
}
