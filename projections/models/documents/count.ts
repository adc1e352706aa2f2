import type { Pool } from 'pg';
import type { CountedPage, DocumentRowKey } from '../../../src/app/ports/state-reader.ts';
import type { Space } from '../../../src/domain/events.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

/**
 * Compares all columns of the index with the cursor. With `project = $1` alone, the scan would begin at the project's first row instead of
 * at the cursor. $1 project, $2 to $4 the cursor, $5 rows, $6 whether bytes are wanted; only then are the texts of large documents read. $7
 * the space of staged data that counts beside live: rows of earlier ones stay, and nobody can reach or delete them.
 */
const PAGE = throughViews(`
WITH page AS MATERIALIZED (
  SELECT d.space, d.collection, d.key, d.document IS NOT NULL AND d.space IN ('live', $7) AS there,
    CASE WHEN $6::boolean AND d.space IN ('live', $7) THEN octet_length(d.document::text) END AS bytes
  FROM {documents} d WHERE d.project <= $1 AND (d.project, d.space, d.collection, d.key) > ($1, $2, $3, $4)
  ORDER BY d.project, d.space, d.collection, d.key LIMIT $5)
SELECT ${revisionOf(['documents'])} AS revision, count(*) AS rows, count(*) FILTER (WHERE there) AS documents, coalesce(sum(bytes), 0) AS bytes,
  (SELECT ARRAY[space, collection, key] FROM page ORDER BY space DESC, collection DESC, key DESC LIMIT 1) AS last
FROM page`);

interface Row {
  readonly revision: string;
  readonly rows: string;
  readonly documents: string;
  readonly bytes: string;
  readonly last: DocumentRowKey | null;
}

/**
 * Counts the documents of live and `staged` among the next `most` rows after a cursor (`null`: from the first), and their bytes if asked
 * for. `last` of the result is the next cursor, `null` after the last row.
 */
export async function countDocumentsAfter(
  pool: Pool,
  projectId: string,
  staged: Space,
  after: DocumentRowKey | null,
  most: number,
  withBytes: boolean,
): Promise<CountedPage> {
  const values = [projectId, ...(after ?? ['', '', '']), most, withBytes, staged];
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, name: 'documents-count', text: PAGE, values });
  const [row] = rows;
  if (row === undefined) throw new Error('a count answers one row');
  const { revision, documents, bytes, last } = row;
  return {
    revision: Number(revision),
    documents: Number(documents),
    bytes: Number(bytes),
    last: Number(row.rows) < most ? null : last,
  };
}
