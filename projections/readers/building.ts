import type { Pool } from 'pg';
import type { Building } from '../../src/app/ports/boards.ts';
import { FRACTION as OF_BOARD } from '../models/leaderboards/building.ts';
import { FRACTION as OF_LIST } from '../models/records/building.ts';
import { QUERY_TIMEOUT } from '../query-timeout.ts';
import { throughViews } from '../through-views.ts';

const MAX = 100;

const ALL = throughViews(`
SELECT * FROM (
  SELECT f.project, 'query' AS kind, array_agg(DISTINCT q.query) AS ids, ${OF_BOARD} AS fraction
  FROM {leaderboard_fills} f JOIN {leaderboard_queries} q ON q.project = f.project AND q.board = f.board
  GROUP BY f.project, f.board, f.phase, f.done, f.total
  UNION ALL
  SELECT f.project, 'collection', ARRAY[f.collection], ${OF_LIST} FROM {record_lists} f WHERE f.phase = 'rows') b
WHERE $1::text IS NULL OR b.project = $1 ORDER BY project, kind, ids LIMIT ${MAX}`);

/** Boards and lists that queries need and that are not complete, of one project or of all. */
export async function readBuildings(pool: Pool, projectId: string | null): Promise<readonly Building[]> {
  const { rows } = await pool.query<Building>({ ...QUERY_TIMEOUT, text: ALL, values: [projectId] });
  return rows;
}
