import type { Space } from '../../domain/events.ts';

/** What is read of leaderboards, and how far the fills are after a publish. */

export interface LeaderboardRow {
  readonly key: string;
  readonly value: number;
  /** The document's JSON text. */
  readonly document: string;
}

/** A query's definition, live or next, which identifies its board. */
export interface BoardQuery {
  readonly id: string;
  /** Content hash of the definition; see `domain/query/board-hash.ts`. */
  readonly hash: string;
}

export interface LeaderboardPage {
  readonly revision: number;
  readonly rows: readonly LeaderboardRow[];
  /** Documents that have a value. `null`: the tables hold no complete board of the query; it is being filled, or they lack its publish. */
  readonly total: number | null;
  /** While the board is being filled and cannot be shown, the part that is done (0 to below 1); else `null`. */
  readonly building: number | null;
  /** Rows were left out, because their documents are too large for one answer. Ask for them in pages. */
  readonly isPartial: boolean;
}

export interface LeaderboardNeighbours extends LeaderboardPage {
  /** `null`: the key has no row. */
  readonly rank: number | null;
  /** The key's row and those around it, in the board's order. */
  readonly rows: readonly LeaderboardRow[];
}

/** Takes rows page by page, each of about a quarter of a megabyte, in the board's order. Awaited; what it throws ends the read. */
export type TakeRows = (rows: readonly LeaderboardRow[], firstRank: number) => Promise<void>;

/** A row of a board without its document. Rows are ordered by `rank`, ascending, then by `reached`, then by key. */
export interface BoardRow {
  readonly key: string;
  readonly rank: number;
  /** The revision at which the row reached its value. */
  readonly reached: number;
}

/** A fill that is under way after a publish. */
export interface Building {
  readonly project: string;
  readonly kind: 'query' | 'collection';
  /** The queries that wait for a board, or the collection whose list it is. */
  readonly ids: readonly string[];
  readonly fraction: number;
}

export interface BoardReader {
  /**
   * A page of a board. With `take` the rows go there and none are answered. Without it, rows that would make the answer too large are left
   * out.
   */
  leaderboard(
    projectId: string,
    space: Space,
    query: BoardQuery,
    page: { readonly order: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
    take?: TakeRows,
  ): Promise<LeaderboardPage>;
  /** Rank of one row, with up to `around` rows before and after it. Costs about the same on a board of any size. `take` as above. */
  neighbours(
    projectId: string,
    space: Space,
    query: BoardQuery,
    at: { readonly key: string; readonly around: number },
    take?: TakeRows,
  ): Promise<LeaderboardNeighbours>;
  /** All rows of a live board in order, from one snapshot, in pages. `take` is awaited, and what it throws ends the read. */
  board(projectId: string, query: BoardQuery, take: (rows: readonly BoardRow[]) => Promise<void>): Promise<{ readonly revision: number }>;
  /** The fills under way for a project's boards and lists. */
  building(projectId: string): Promise<readonly Building[]>;
}
