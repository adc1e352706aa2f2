/** A row's position in a ranking: by rank, then by key. */
export interface RankedRow {
  readonly key: string;
  /** The number that orders rows, ascending: the value, or its negative. */
  readonly rank: number;
}

interface Block {
  readonly ranks: number[];
  readonly keys: string[];
}

/** A block that reaches this many rows is split in half. */
const BLOCK_ROWS = 1_024;
/** Approximate bytes of one row besides its key. */
const ROW_BYTES = 120;

/**
 * Rows in order, each key once, in memory. It finds the row at an index and the index of a row, while rows are added, moved and removed. Rows
 * lie in blocks of some hundred: finding an index takes a search over the blocks, one within a block, and a sum over the blocks before it.
 */
export class Ranking {
  readonly #blocks: Block[] = [];
  readonly #ranks = new Map<string, number>();
  #keyLengths = 0;

  get size(): number {
    return this.#ranks.size;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return this.size * ROW_BYTES + this.#keyLengths;
  }

  has(key: string): boolean {
    return this.#ranks.has(key);
  }

  /** Adds or moves a row. */
  set(key: string, rank: number): void {
    const known = this.#ranks.get(key);
    if (known === rank) return;
    if (known !== undefined) this.#take(key, known);
    else this.#keyLengths += key.length;
    this.#ranks.set(key, rank);
    this.#insert({ key, rank });
  }

  delete(key: string): void {
    const known = this.#ranks.get(key);
    if (known === undefined) return;
    this.#ranks.delete(key);
    this.#keyLengths -= key.length;
    this.#take(key, known);
  }

  /** Index of a row, from 0; `null` for an unknown key. */
  indexOf(key: string): number | null {
    const rank = this.#ranks.get(key);
    if (rank === undefined) return null;
    const at = this.#blockOf({ key, rank });
    let before = 0;
    for (let index = 0; index < at; index += 1) before += this.#blocks[index]?.keys.length ?? 0;
    return before + indexIn(this.#blocks[at], { key, rank });
  }

  /** Rows from an index on, at most `count`. */
  slice(from: number, count: number): readonly RankedRow[] {
    const rows: RankedRow[] = [];
    let skipped = 0;
    for (const { keys, ranks } of this.#blocks) {
      if (rows.length >= count) break;
      for (let at = Math.max(from - skipped, 0); at < keys.length && rows.length < count; at += 1) {
        rows.push({ key: keys[at] ?? '', rank: ranks[at] ?? 0 });
      }
      skipped += keys.length;
    }
    return rows;
  }

  get last(): RankedRow | undefined {
    const block = this.#blocks.at(-1);
    return block && { key: block.keys.at(-1) ?? '', rank: block.ranks.at(-1) ?? 0 };
  }

  #insert(row: RankedRow): void {
    const at = Math.min(this.#blockOf(row), Math.max(this.#blocks.length - 1, 0));
    const block = this.#blocks[at] ?? { ranks: [], keys: [] };
    if (this.#blocks.length === 0) this.#blocks.push(block);
    const index = indexIn(block, row);
    block.ranks.splice(index, 0, row.rank);
    block.keys.splice(index, 0, row.key);
    if (block.keys.length < BLOCK_ROWS) return;
    const half = BLOCK_ROWS / 2;
    this.#blocks.splice(at + 1, 0, { ranks: block.ranks.splice(half), keys: block.keys.splice(half) });
  }

  #take(key: string, rank: number): void {
    const at = this.#blockOf({ key, rank });
    const block = this.#blocks[at];
    if (block === undefined) throw new Error('a row of a ranking is in none of its blocks');
    const index = indexIn(block, { key, rank });
    block.ranks.splice(index, 1);
    block.keys.splice(index, 1);
    if (block.keys.length === 0) this.#blocks.splice(at, 1);
  }

  /** Index of the first block that ends at the row or after it; the number of blocks if there is none. */
  #blockOf(row: RankedRow): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = this.#blocks[middle];
      const end = (block?.keys.length ?? 0) - 1;
      if (isBefore(block?.ranks[end] ?? 0, block?.keys[end] ?? '', row)) low = middle + 1;
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
    if (isBefore(block?.ranks[middle] ?? 0, block?.keys[middle] ?? '', row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(rank: number, key: string, row: RankedRow): boolean {
  return rank < row.rank || (rank === row.rank && key < row.key);
}
