import type { Pool } from 'pg';
import type { ScannedDocument } from '../../../src/app/ports/readers.ts';
import type { Space } from '../../../src/domain/events.ts';
import { inTransaction } from '../../migrate.ts';
import { IN_TIME } from '../../patience.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

const PAGE = 2_000;

const LIVE = `
SELECT d.key, d.document::text AS text FROM {documents} d
WHERE d.project = $1 AND d.space = $2 AND d.collection = $3 AND d.document IS NOT NULL ORDER BY d.key`;

/** Live documents shine through where the `next` space has none of that key, not even a deleted one. */
const NEXT = `
SELECT d.key, d.document::text AS text FROM {documents} d
WHERE d.project = $1 AND d.collection = $3 AND d.document IS NOT NULL AND (d.space = $2 OR (d.space = 'live' AND NOT EXISTS (
  SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = $3 AND n.key = d.key))) ORDER BY d.key`;

const REVISION = `SELECT ${revisionOf(['documents'])} AS revision`;

/**
 * Every document of the collections, one after the other, each in order of its keys; all of one snapshot, and no more than a page in
 * memory. What `take` throws ends it.
 */
export async function scanDocuments(
  pool: Pool,
  projectId: string,
  space: Space,
  collections: readonly string[],
  take: (collection: number, documents: readonly ScannedDocument[]) => void,
): Promise<{ readonly revision: number }> {
  const client = await pool.connect();
  try {
    return await inTransaction(
      client,
      async () => {
        const { rows } = await client.query<{ revision: string }>({ ...IN_TIME, text: REVISION, values: [projectId] });
        for (const [index, collection] of collections.entries()) {
          const text = `DECLARE documents NO SCROLL CURSOR FOR ${throughViews(space === 'live' ? LIVE : NEXT)}`;
          await client.query({ ...IN_TIME, text, values: [projectId, space, collection] });
          for (let full = true; full; ) {
            const page = await client.query<ScannedDocument>({ ...IN_TIME, text: `FETCH ${PAGE} FROM documents` });
            take(index, page.rows);
            full = page.rows.length === PAGE;
          }
          await client.query({ ...IN_TIME, text: 'CLOSE documents' });
        }
        return { revision: Number(rows[0]?.revision ?? -1) };
      },
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    );
  } finally {
    client.release();
  }
}
