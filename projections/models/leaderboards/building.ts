import type { Pool } from 'pg';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';

/** How far boards have come that are not complete; see fill.ts. */

/** From 0 to 1. First come the rows, which take nearly all of the time, then the counting of rank buckets. 0 until the documents were counted. */
export const FRACTION = `CASE f.phase WHEN 'rows' THEN least(coalesce(f.done::float8 / greatest(f.total, 1), 0), 1) * 0.98 WHEN 'marks' THEN 0.98 ELSE 0 END`;

const OF_QUERY = {
  name: 'board-building',
  text: throughViews(`
SELECT ${FRACTION} AS fraction FROM {leaderboard_queries} q JOIN {leaderboard_fills} f ON f.project = q.project AND f.board = q.board
WHERE q.project = $1 AND q.query = $2 AND q.hash = $3`),
};

/** How far the board of a query has come, from 0 to below 1. `null` when it is complete, or when the views have not seen its publish. */
export async function readBuilding(
  pool: Pool,
  projectId: string,
  query: { readonly id: string; readonly hash: string },
): Promise<number | null> {
  const { rows } = await pool.query<{ fraction: number }>({ ...QUERY_TIMEOUT, ...OF_QUERY, values: [projectId, query.id, query.hash] });
  return rows[0]?.fraction ?? null;
}
