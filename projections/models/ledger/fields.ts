import type { Pool } from 'pg';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';

/** $1 project, $2 collection, $3 entries. */
const FIELDS = throughViews(`
SELECT DISTINCT field FROM (
  SELECT l.field FROM {ledger} l WHERE l.project = $1 AND l.space = 'live' AND l.collection = $2 LIMIT $3) e ORDER BY field`);

/** The fields of the first entries of a collection's ledgers, over all players, in live. */
export async function readLedgerFields(pool: Pool, projectId: string, collection: string, most: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ field: string }>({ ...QUERY_TIMEOUT, text: FIELDS, values: [projectId, collection, most] });
  return rows.map(({ field }) => field);
}
