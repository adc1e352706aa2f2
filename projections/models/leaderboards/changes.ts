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
  /** The revision at which the value was reached; `null`: the document's row says so, unless the board's already does. */
  readonly reached: number | null;
}

/**
 * Returns the rows that were added and removed. A row whose value stays the same, and was not left meanwhile, is not written, nor are its
 * index entries. The old values come from the statement's own snapshot. They are looked up by order and not by equality: without
 * statistics, as on a new board, Postgres rates the index by rank as good as the one by key, and would read the whole board for every row
 * (measured: minutes for 100 000). They are looked up first, so that no look-up passes over rows that this statement has just written.
 */
const UPSERT = `
WITH w AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::double precision[], $6::double precision[], $7::bigint[], $8::text[], $9::text[])
    AS w (board, space, key, value, rank, reached, collection, path)),
old AS MATERIALIZED (
  SELECT w.*, l.key IS NOT NULL AS known, l.value AS old_value, l.rank AS old_rank, l.reached AS old_reached
  FROM w LEFT JOIN LATERAL (
    SELECT l.key, l.value, l.rank, l.reached FROM {leaderboards} l
    WHERE l.project = $1 AND l.board = w.board AND l.space = w.space AND l.key >= w.key AND l.key <= w.key
    ORDER BY l.project, l.board, l.space, l.key LIMIT 1) l ON l.key = w.key),
changed AS MATERIALIZED (
  SELECT o.board, o.space, o.key, o.value, o.rank, o.known, o.old_rank, o.old_reached, coalesce(o.reached, o.old_reached, (
    SELECT coalesce((d.reached ->> o.path)::bigint, d.created_revision) FROM {documents} d
    WHERE d.project = $1 AND d.space = o.space AND d.collection = o.collection AND d.key = o.key)) AS reached
  FROM old o WHERE NOT o.known OR o.value <> o.old_value OR o.reached <> o.old_reached),
written AS (
  INSERT INTO {leaderboards} AS l (project, board, space, key, value, rank, reached)
  SELECT $1, board, space, key, value, rank, reached FROM changed
  ON CONFLICT (project, board, space, key) DO UPDATE SET value = excluded.value, rank = excluded.rank, reached = excluded.reached
  RETURNING board, space, key, rank, reached, xmax = 0 AS added),
counted AS (
  INSERT INTO {leaderboard_counts} AS c (project, board, space, count)
  SELECT $1, board, space, count(*) FROM written WHERE added GROUP BY board, space
  ON CONFLICT (project, board, space) DO UPDATE SET count = c.count + excluded.count)
SELECT board, space, rank, reached::float8 AS reached, key, 1 AS change FROM written
UNION ALL SELECT board, space, old_rank, old_reached::float8, key, -1 FROM changed WHERE known`;

const DELETE = `
WITH gone AS (
  DELETE FROM {leaderboards} l USING unnest($2::text[], $3::text[], $4::text[]) AS w (board, space, key)
  WHERE l.project = $1 AND l.board = w.board AND l.space = w.space AND l.key = w.key
  RETURNING l.board, l.space, l.rank, l.reached, l.key),
counted AS (
  UPDATE {leaderboard_counts} c SET count = c.count - g.count
  FROM (SELECT board, space, count(*) AS count FROM gone GROUP BY board, space) g
  WHERE c.project = $1 AND c.board = g.board AND c.space = g.space)
SELECT board, space, rank, reached::float8 AS reached, key, -1 AS change FROM gone`;

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
    rows.map((row) => row.reached),
    rows.map((row) => row.board.collection),
    rows.map((row) => row.board.path),
  ]);
  await (counted ? updateBuckets : moveBuckets)(tx, moved);
}

/** The number by which a board's rows are sorted, ascending. */
export function rankOn({ descending }: Board, value: number): number {
  return rankOf(value, descending ? 'desc' : 'asc');
}

/** Deletes rows of boards; otherwise like {@link upsert}. */
export async function remove(tx: Transaction, gone: readonly Omit<Row, 'value' | 'reached'>[], counted: boolean): Promise<void> {
  if (gone.length === 0) return;
  const values = [gone.map((row) => row.board.id), gone.map((row) => row.space), gone.map((row) => row.key)];
  await (counted ? updateBuckets : moveBuckets)(tx, await tx.run<RowChange>('boards-delete', DELETE, values));
  await dropZeros(tx);
}

/** Deletes counts of 0: spaces in which a board has no rows. */
export async function dropZeros(tx: Transaction): Promise<void> {
  await tx.run('boards-zeros', DELETE_ZEROS, []);
}
