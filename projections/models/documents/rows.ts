import type { Pool } from 'pg';
import type { DocumentRow, DocumentRowsRequest } from '../../../src/app/ports/documents.ts';
import type { Space } from '../../../src/domain/events.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';

/** The rows of a collection in the order of their keys, also those of deleted documents: no key is ever gone. */

const COLUMNS = 'd.key, d.document, d.version, d.updated_at, d.revision, coalesce(pg_column_size(d.document), 0) AS bytes';
const rowsIn = (space: string, begins: string, and = '') => `(
  SELECT ${COLUMNS} FROM {documents} d WHERE d.project = $1 AND d.space = ${space} AND d.collection = $3 AND d.key ${begins} $4 ${and}
  ORDER BY d.key LIMIT $5)`;

/** A live document is visible in the `next` space unless that space has a row of the same key, even of a deleted one. */
const UNHIDDEN = `AND NOT EXISTS (SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = $3 AND n.key = d.key)`;

/** $1 project, $2 space, $3 collection, $4 a key, $5 rows, $6 bytes as the table stores them. The first comes whatever its size. */
function statement(rows: string): string {
  return throughViews(`
SELECT key, version, updated_at, revision, document::text AS text FROM (
  SELECT r.*, sum(bytes) OVER (ORDER BY key) - bytes AS before FROM (SELECT u.* FROM (${rows}) u ORDER BY key LIMIT $5) r) w
WHERE before < $6::bigint ORDER BY key`);
}

const statements = (name: string, begins: string) => ({
  live: { name: `document-rows-live-${name}`, text: statement(rowsIn('$2', begins)) },
  next: { name: `document-rows-next-${name}`, text: statement(`${rowsIn('$2', begins)} UNION ALL ${rowsIn(`'live'`, begins, UNHIDDEN)}`) },
});

const FROM = statements('from', '>=');
const BEHIND = statements('behind', '>');

interface Row {
  readonly key: string;
  readonly version: string;
  readonly updated_at: string;
  readonly revision: string;
  readonly text: string | null;
}

export async function readDocumentRows(
  pool: Pool,
  projectId: string,
  space: Space,
  collection: string,
  { key, isIncluded, rows: most, bytes }: DocumentRowsRequest,
): Promise<readonly DocumentRow[]> {
  const statement = (isIncluded ? FROM : BEHIND)[space === 'live' ? 'live' : 'next'];
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, ...statement, values: [projectId, space, collection, key, most, bytes] });
  return rows.map(({ version, updated_at, revision, ...row }) => ({
    ...row,
    version: Number(version),
    updatedAt: Number(updated_at),
    revision: Number(revision),
  }));
}
