import type { Pool } from 'pg';
import type { DocumentKeys } from '../../../src/app/ports/state-reader.ts';
import type { Space } from '../../../src/domain/events.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

/** $1 project, $2 space, $3 collection, $4 the number of keys. */
const LIVE = `d.space = $2`;
/** A live document is visible in the `next` space unless that space has a row of the same key, even of a deleted document. */
const NEXT = `(d.space = $2 OR (d.space = 'live' AND NOT EXISTS (
  SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = $3 AND n.key = d.key)))`;

function statement(spaces: string): string {
  return throughViews(`
SELECT ${revisionOf(['documents'])} AS revision, k.key, k.bytes
FROM (SELECT) one LEFT JOIN (
  SELECT d.key, pg_column_size(d.document) AS bytes FROM {documents} d
  WHERE d.project = $1 AND d.collection = $3 AND d.document IS NOT NULL AND ${spaces} ORDER BY d.key LIMIT $4) k ON true`);
}

const KEYS = { live: { name: 'keys-live', text: statement(LIVE) }, next: { name: 'keys-next', text: statement(NEXT) } };

interface Row {
  readonly revision: string;
  readonly key: string | null;
  readonly bytes: number | null;
}

/** At most `most` keys of the documents that a collection shows in a space, their bytes, and the revision that the table shows. */
export async function readDocumentKeys(
  pool: Pool,
  projectId: string,
  space: Space,
  collection: string,
  most: number,
): Promise<DocumentKeys> {
  const values = [projectId, space, collection, most];
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, ...KEYS[space === 'live' ? 'live' : 'next'], values });
  return {
    revision: Number(rows[0]?.revision ?? -1),
    keys: rows.flatMap(({ key }) => (key === null ? [] : [key])),
    bytes: rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
  };
}
