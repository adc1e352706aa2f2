/** A row's place in a ranking: by rank, then by when it was reached, then by key. */
export interface RankedRow extends Place {
  readonly key: string;
}

interface Place {
  /** The number that orders rows, ascending: the value, or its negative. */
  readonly rank: number;
  /** The revision at which the row reached its value. */
  readonly reached: number;
}

interface Block {
  readonly ranks: number[];
  readonly reached: number[];
  readonly keys: string[];
}

/** A block that reaches this many rows is split in half. */
const BLOCK_ROWS = 1_024;
/** Approximate bytes of one row besides its key. */
const ROW_BYTES = 160;

/**
 * Rows in order, each key once, in memory. It finds the row at an index and the index of a row, while rows are added, moved and removed.
 * Rows lie in blocks of some hundred: finding an index takes a search over the blocks, one within a block, and a sum over the blocks before
 * it.
 */
export class Ranking {
  readonly #blocks: Block[] = [];
  readonly #places = new Map<string, Place>();
  #keyLengths = 0;

  get size(): number {
    return this.#places.size;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return this.size * ROW_BYTES + this.#keyLengths;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** The revision at which a row reached its value; `undefined` for an unknown key. */
  reachedBy(key: string): number | undefined {
    return this.#places.get(key)?.reached;
  }

  /** Adds or moves a row. */
  set(row: RankedRow): void {
    const { key, rank, reached } = row;
    const known = this.#places.get(key);
    if (known?.rank === rank && known.reached === reached) return;
    if (known !== undefined) this.#take({ key, ...known });
    else this.#keyLengths += key.length;
    this.#places.set(key, { rank, reached });
    this.#insert(row);
  }

  delete(key: string): void {
    const known = this.#places.get(key);
    if (known === undefined) return;
    this.#places.delete(key);
    this.#keyLengths -= key.length;
    this.#take({ key, ...known });
  }

  /** Index of a row, from 0; `null` for an unknown key. */
  indexOf(key: string): number | null {
    const place = this.#places.get(key);
    if (place === undefined) return null;
    const row = { key, ...place };
    const at = this.#blockOf(row);
    let before = 0;
    for (let index = 0; index < at; index += 1) before += this.#blocks[index]?.keys.length ?? 0;
    return before + indexIn(this.#blocks[at], row);
  }

  /** Rows from an index on, at most `count`. */
  slice(from: number, count: number): readonly RankedRow[] {
    const rows: RankedRow[] = [];
    let skipped = 0;
    for (const block of this.#blocks) {
      if (rows.length >= count) break;
      for (let at = Math.max(from - skipped, 0); at < block.keys.length && rows.length < count; at += 1) rows.push(rowAt(block, at));
      skipped += block.keys.length;
    }
    return rows;
  }

  get last(): RankedRow | undefined {
    const block = this.#blocks.at(-1);
    return block && rowAt(block, block.keys.length - 1);
  }

  #insert(row: RankedRow): void {
    const at = Math.min(this.#blockOf(row), Math.max(this.#blocks.length - 1, 0));
    const block = this.#blocks[at] ?? { ranks: [], reached: [], keys: [] };
    if (this.#blocks.length === 0) this.#blocks.push(block);
    const index = indexIn(block, row);
    block.ranks.splice(index, 0, row.rank);
    block.reached.splice(index, 0, row.reached);
    block.keys.splice(index, 0, row.key);
    if (block.keys.length < BLOCK_ROWS) return;
    const half = BLOCK_ROWS / 2;
    this.#blocks.splice(at + 1, 0, {
      ranks: block.ranks.splice(half),
      reached: block.reached.splice(half),
      keys: block.keys.splice(half),
    });
  }

  #take(row: RankedRow): void {
    const at = this.#blockOf(row);
    const block = this.#blocks[at];
    if (block === undefined) throw new Error('a row of a ranking is in none of its blocks');
    const index = indexIn(block, row);
    block.ranks.splice(index, 1);
    block.reached.splice(index, 1);
    block.keys.splice(index, 1);
    if (block.keys.length === 0) this.#blocks.splice(at, 1);
  }

  /** Index of the first block that ends at the row or after it; the number of blocks if there is none. */
  #blockOf(row: RankedRow): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = this.#blocks[middle];
      if (block !== undefined && isBefore(block, block.keys.length - 1, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Index of the row in the block, or where it belongs. */
function indexIn(block: Block | undefined, row: RankedRow): number {
  let [low, high] = [0, block?.keys.length ?? 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (block !== undefined && isBefore(block, middle, row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rowAt({ keys, ranks, reached }: Block, at: number): RankedRow {
  return { key: keys[at] ?? '', rank: ranks[at] ?? 0, reached: reached[at] ?? 0 };
}

/** Whether the block's row at this index comes before the other. */
function isBefore({ keys, ranks, reached }: Block, at: number, row: RankedRow): boolean {
  const [rank = 0, since = 0] = [ranks[at], reached[at]];
  if (rank !== row.rank) return rank < row.rank;
  if (since !== row.reached) return since < row.reached;
  return (keys[at] ?? '') < row.key;
}

/** Whether one row comes before another of an equal or other rank, without regard to keys: rows are compared in the order of their keys. */
export function comesBefore(one: Place, other: Place): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.reached < other.reached);
}
