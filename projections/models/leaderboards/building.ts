import type { Pool } from 'pg';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';

/** The progress of boards that are not complete; see fill.ts. */

/** From 0 to 1. Writing the rows takes nearly all of the time; counting the rank buckets follows. 0 until the documents are counted. */
export const FRACTION = `CASE f.phase WHEN 'rows' THEN least(coalesce(f.done::float8 / greatest(f.total, 1), 0), 1) * 0.98 WHEN 'buckets' THEN 0.98 ELSE 0 END`;

const OF_QUERY = {
  name: 'board-building',
  text: throughViews(`
SELECT ${FRACTION} AS fraction FROM {leaderboard_queries} q JOIN {leaderboard_fills} f ON f.project = q.project AND f.board = q.board
WHERE q.project = $1 AND q.query = $2 AND q.hash = $3`),
};

/**
 * The progress of a query's board, from 0 to below 1. `null` when the board is complete, or when the views have not yet projected its
 * publish.
 */
export async function readBuilding(
  pool: Pool,
  projectId: string,
  query: { readonly id: string; readonly hash: string },
): Promise<number | null> {
  const { rows } = await pool.query<{ fraction: number }>({ ...QUERY_TIMEOUT, ...OF_QUERY, values: [projectId, query.id, query.hash] });
  return rows[0]?.fraction ?? null;
}
