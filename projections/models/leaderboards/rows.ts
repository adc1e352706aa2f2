import type { Pool } from 'pg';
import type { BoardQuery, BoardRow } from '../../../src/app/ports/boards.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { BOARD, inPages, OWN } from './read.ts';

/**
 * $1 project, $2 space, $3 query, $4 its hash. Every row of a board in the order of its index; one row without a key where the board is
 * empty.
 */
const ROWS = throughViews(`
SELECT ${revisionOf(['leaderboards', 'documents'])} AS revision, b.board IS NOT NULL AS found, p.key, p.rank, p.reached::float8 AS reached
FROM (SELECT) one LEFT JOIN (${BOARD}) b ON true LEFT JOIN LATERAL (${OWN} ORDER BY l.rank, l.reached, l.key) p ON true`);

interface Row {
  readonly revision: string;
  readonly found: boolean;
  readonly key: string | null;
  readonly rank: number | null;
  readonly reached: number | null;
}

/** Reads all rows of a live board from one snapshot, a page at a time. When `take` throws, reading ends. */
export async function readBoard(
  pool: Pool,
  projectId: string,
  query: BoardQuery,
  take: (rows: readonly BoardRow[]) => Promise<void>,
): Promise<{ readonly revision: number }> {
  const first = await inPages<Row>(
    pool,
    ROWS,
    [projectId, 'live', query.id, query.hash],
    (rows) =>
      take(rows.flatMap(({ key, rank, reached }) => (key === null || rank === null || reached === null ? [] : [{ key, rank, reached }]))),
    ({ key }) => (key?.length ?? 0) + 16,
  );
  // An incomplete board counts as none.
  return { revision: first === undefined || !first.found ? -1 : Number(first.revision) };
}
