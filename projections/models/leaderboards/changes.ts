import { rankOf } from '../../../src/domain/query/board-metric.ts';
import type { Board } from '../../catalog.ts';
import type { Transaction } from '../../tables.ts';
import { moveBuckets, type RowChange, updateBuckets } from './rank-buckets.ts';

/** How the rows of boards change with their documents, and the counts and rank buckets with the rows. */

export interface Row {
  readonly board: Board;
  readonly space: string;
  readonly key: string;
  readonly value: number;
}

/**
 * Returns the rows that were added and removed. A row whose value stays the same is not written, nor are its index entries. The old values
 * come from the statement's own snapshot. They are looked up by order and not by equality: without statistics, as on a new board, Postgres
 * rates the index by rank as good as the one by key, and would read the whole board for every row (measured: minutes for 100 000). They are
 * looked up first, so that no look-up passes over rows that this statement has just written.
 */
const UPSERT = `
WITH w AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::double precision[], $6::double precision[]) AS w (board, space, key, value, rank)),
old AS MATERIALIZED (
  SELECT w.board, w.space, w.key, l.rank FROM w, LATERAL (
    SELECT l.key, l.value, l.rank FROM {leaderboards} l
    WHERE l.project = $1 AND l.board = w.board AND l.space = w.space AND l.key >= w.key AND l.key <= w.key
    ORDER BY l.project, l.board, l.space, l.key LIMIT 1) l
  WHERE l.key = w.key AND l.value <> w.value),
written AS (
  INSERT INTO {leaderboards} AS l (project, board, space, key, value, rank)
  SELECT $1, board, space, key, value, rank FROM w WHERE (SELECT count(*) FROM old) >= 0
  ON CONFLICT (project, board, space, key) DO UPDATE SET value = excluded.value, rank = excluded.rank WHERE l.value <> excluded.value
  RETURNING board, space, key, rank, xmax = 0 AS added),
counted AS (
  INSERT INTO {leaderboard_counts} AS c (project, board, space, count)
  SELECT $1, board, space, count(*) FROM written WHERE added GROUP BY board, space
  ON CONFLICT (project, board, space) DO UPDATE SET count = c.count + excluded.count)
SELECT board, space, rank, key, 1 AS change FROM written UNION ALL SELECT board, space, rank, key, -1 FROM old`;

const DELETE = `
WITH gone AS (
  DELETE FROM {leaderboards} l USING unnest($2::text[], $3::text[], $4::text[]) AS w (board, space, key)
  WHERE l.project = $1 AND l.board = w.board AND l.space = w.space AND l.key = w.key
  RETURNING l.board, l.space, l.rank, l.key),
counted AS (
  UPDATE {leaderboard_counts} c SET count = c.count - g.count
  FROM (SELECT board, space, count(*) AS count FROM gone GROUP BY board, space) g
  WHERE c.project = $1 AND c.board = g.board AND c.space = g.space)
SELECT board, space, rank, key, -1 AS change FROM gone`;

const DELETE_ZEROS = 'DELETE FROM {leaderboard_counts} WHERE project = $1 AND count = 0';

/** Writes rows of boards, and updates their counts and rank buckets. `counted`: whether the buckets of these boards are already counted. */
export async function upsert(tx: Transaction, rows: readonly Row[], counted: boolean): Promise<void> {
  if (rows.length === 0) return;
  const moved = await tx.run<RowChange>('boards-upsert', UPSERT, [
    rows.map((row) => row.board.id),
    rows.map((row) => row.space),
    rows.map((row) => row.key),
    rows.map((row) => row.value),
    rows.map((row) => rankOn(row.board, row.value)),
  ]);
  await (counted ? updateBuckets : moveBuckets)(tx, moved);
}

/** The number by which a board's rows are sorted, ascending. */
export function rankOn({ descending }: Board, value: number): number {
  return rankOf(value, descending ? 'desc' : 'asc');
}

/** Deletes rows of boards; otherwise like {@link upsert}. */
export async function remove(tx: Transaction, gone: readonly Omit<Row, 'value'>[], counted: boolean): Promise<void> {
  if (gone.length === 0) return;
  const values = [gone.map((row) => row.board.id), gone.map((row) => row.space), gone.map((row) => row.key)];
  await (counted ? updateBuckets : moveBuckets)(tx, await tx.run<RowChange>('boards-delete', DELETE, values));
  await dropZeros(tx);
}

/** Deletes counts of 0: spaces in which a board has no rows. */
export async function dropZeros(tx: Transaction): Promise<void> {
  await tx.run('boards-zeros', DELETE_ZEROS, []);
}
