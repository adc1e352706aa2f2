/** Values by collection and key of a document. Most commands touch one document, which needs no map and no combined key. */
export class ByAddress<T> {
  #collection = '';
  #key = '';
  /** The value set last. */
  #value: T | undefined = undefined;
  /** Values set before, by {@link address}. The last one may be among them with an older value. */
  #others: Map<string, T> | null = null;

  get(collection: string, key: string): T | undefined {
    if (this.#value !== undefined && this.#key === key && this.#collection === collection) return this.#value;
    return this.#others?.get(address(collection, key));
  }

  set(collection: string, key: string, value: T): void {
    if (this.#value !== undefined && (this.#key !== key || this.#collection !== collection)) {
      this.#others ??= new Map();
      this.#others.set(address(this.#collection, this.#key), this.#value);
    }
    this.#collection = collection;
    this.#key = key;
    this.#value = value;
  }

  /** Keys of a collection, in the order in which they were first set. */
  keysIn(collection: string): string[] {
    const beginning = address(collection, '');
    const keys = new Set<string>();
    for (const name of this.#others?.keys() ?? []) if (name.startsWith(beginning)) keys.add(name.slice(beginning.length));
    if (this.#value !== undefined && this.#collection === collection) keys.add(this.#key);
    return [...keys];
  }
}

/** A unique text for both: no collection id holds a `/`. */
function address(collection: string, key: string): string {
  return `${collection}/${key}`;
}
