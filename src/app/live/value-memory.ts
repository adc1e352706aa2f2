import { LRUCache } from 'lru-cache';

/** The value of a topic, which may be dropped and read again. */
interface DroppableValue {
  forget(): void;
}

/** Characters beside the text of a value. */
const OVERHEAD = 300;

/**
 * Bounds the memory for the values of all topics of a node. A client gets a value once, so later only new and slow clients need it. The
 * value that was read longest ago is dropped first.
 */
export class ValueMemory {
  readonly #values: LRUCache<DroppableValue, { readonly characters: number }>;
  readonly #changed: (characters: number) => void;

  /** `changed` is called with the number of characters that all values take. */
  constructor(most: number, changed: (characters: number) => void) {
    this.#changed = changed;
    this.#values = new LRUCache({
      maxSize: most,
      // A value above the bound drops all others. The cache would refuse it, although its topic holds it all the same.
      sizeCalculation: ({ characters }) => Math.min(characters + OVERHEAD, most),
      dispose: (_, holder) => holder.forget(),
    });
  }

  /** The topic now holds a value of this many characters, in place of the one before. */
  keep(value: DroppableValue, characters: number): void {
    this.#values.set(value, { characters }, { noDisposeOnSet: true });
    this.#changed(this.#values.calculatedSize);
  }

  release(value: DroppableValue): void {
    this.#values.delete(value);
    this.#changed(this.#values.calculatedSize);
  }
}
