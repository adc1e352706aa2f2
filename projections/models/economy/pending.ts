import type { PlayerSums, Posted } from '../../../src/domain/economy/fold.ts';

/**
 * Where sums by player wait. Each player belongs to a bucket, and with each turn of revisions one bucket after the other is added up: what
 * waits of a bucket is of as many turns as there are buckets, so a busy player's row is written once for many commits, and no turn adds up
 * many rows. All follows from revisions and players alone, so a rebuild comes to the same rows.
 */
export const BUCKETS = 8;
/** A row holds what waits of a bucket in a block of revisions. */
const TURN_BLOCKS = 16;

/** A block of a bucket. */
export interface PendingBlock {
  readonly bucket: number;
  readonly block: number;
}

/** What is due once this revision is projected: of each bucket, the blocks before the beginning of its last turn. */
export function dueAt(revision: number, turnRevisions: number): readonly PendingBlock[] {
  const turn = Math.floor(revision / turnRevisions);
  return Array.from({ length: BUCKETS }, (_, bucket) => ({ bucket, block: (turn - ((turn + BUCKETS - bucket) % BUCKETS)) * TURN_BLOCKS }));
}

export interface PendingRow extends PendingBlock {
  readonly space: string;
  readonly lines: PlayerSums[];
}

/** The rows that wait of some commits, in the order in which their lines came. */
export class PendingRows {
  readonly #rows = new Map<string, PendingRow>();
  readonly #blockRevisions: number;

  constructor(turnRevisions: number) {
    this.#blockRevisions = turnRevisions / TURN_BLOCKS;
  }

  get all(): readonly PendingRow[] {
    return [...this.#rows.values()];
  }

  add({ space, revision }: Posted, sums: readonly PlayerSums[]): void {
    const block = Math.floor(revision / this.#blockRevisions);
    for (const line of sums) {
      const bucket = bucketOf(line.player);
      const key = `${space} ${block} ${bucket}`;
      const row = this.#rows.get(key);
      if (row === undefined) this.#rows.set(key, { space, bucket, block, lines: [line] });
      else row.lines.push(line);
    }
  }
}

function bucketOf(player: string): number {
  let sum = 0;
  for (let at = 0; at < player.length; at += 1) sum = (Math.imul(sum, 31) + player.charCodeAt(at)) >>> 0;
  return sum % BUCKETS;
}
