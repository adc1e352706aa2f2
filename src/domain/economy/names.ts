import type { Space } from '../events.ts';
import { type DayNames, MAX_NAMES, OTHER_FIELD, OTHER_SOURCE } from './fold.ts';

/** Names that are told apart in one list: the fields of a collection, or the sources of a field. */
export interface NameList {
  readonly space: Space;
  readonly collection: string;
  /** The field whose sources these are; empty: the fields of the collection. */
  readonly field: string;
  readonly names: readonly string[];
}

/** Names in the order in which they first came, up to {@link MAX_NAMES} of each list, so that a rebuild tells the same apart. */
export class KeptNames implements DayNames {
  readonly #lists = new Map<string, { readonly list: Omit<NameList, 'names'>; readonly names: Set<string> }>();
  readonly #grown = new Set<string>();

  constructor(known: readonly NameList[]) {
    for (const { names, ...list } of known) this.#lists.set(keyOf(list), { list, names: new Set(names) });
  }

  fieldOf(space: Space, collection: string, field: string): string {
    return this.#keep({ space, collection, field: '' }, field, OTHER_FIELD);
  }

  sourceOf(space: Space, collection: string, field: string, source: string): string {
    return this.#keep({ space, collection, field }, source, OTHER_SOURCE);
  }

  /** The lists that have grown. */
  grown(): readonly NameList[] {
    return [...this.#lists].flatMap(([key, { list, names }]) => (this.#grown.has(key) ? [{ ...list, names: [...names] }] : []));
  }

  #keep(list: Omit<NameList, 'names'>, name: string, other: string): string {
    const key = keyOf(list);
    let kept = this.#lists.get(key);
    if (kept === undefined) {
      kept = { list, names: new Set() };
      this.#lists.set(key, kept);
    }
    if (kept.names.has(name)) return name;
    if (kept.names.size >= MAX_NAMES) return other;
    kept.names.add(name);
    this.#grown.add(key);
    return name;
  }
}

function keyOf({ space, collection, field }: Omit<NameList, 'names'>): string {
  return `${space}\0${collection}\0${field}`;
}
