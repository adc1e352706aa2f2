import type { Pool } from 'pg';
import type { ScanSource, SortedDocument } from '../../../src/app/ports/documents.ts';
import type { Space } from '../../../src/domain/events.ts';
import { pagesByBytes } from '../../pages-by-bytes.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { readSnapshot } from '../../transaction.ts';

/** $4: path of the number that rows are sorted by; empty where they are sorted by something else. */
const REACHED = `CASE WHEN $4 = '' THEN d.revision ELSE coalesce((d.reached ->> $4)::bigint, d.created_revision) END::float8 AS reached`;

const LIVE = throughViews(`
SELECT d.key, d.document::text AS text, ${REACHED} FROM {documents} d
WHERE d.project = $1 AND d.space = $2 AND d.collection = $3 AND d.document IS NOT NULL ORDER BY d.key`);

/** A live document is visible in the `next` space unless that space has a row of the same key, even of a deleted document. */
const NEXT = throughViews(`
SELECT d.key, d.document::text AS text, ${REACHED} FROM {documents} d
WHERE d.project = $1 AND d.collection = $3 AND d.document IS NOT NULL AND (d.space = $2 OR (d.space = 'live' AND NOT EXISTS (
  SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = $3 AND n.key = d.key))) ORDER BY d.key`);

const REVISION = `SELECT ${revisionOf(['documents'])} AS revision`;

/**
 * Passes over every document of the sources, one source after the other, each in order of its keys. All come from one snapshot, and
 * no more than a page is in memory. When `take` throws, the scan ends.
 */
export async function scanDocuments(
  pool: Pool,
  projectId: string,
  space: Space,
  sources: readonly ScanSource[],
  take: (source: number, documents: readonly SortedDocument[]) => Promise<void>,
): Promise<{ readonly revision: number }> {
  return readSnapshot(pool, async (client) => {
    const { rows } = await client.query<{ revision: string }>({ ...QUERY_TIMEOUT, text: REVISION, values: [projectId] });
    for (const [index, { collection, sortedBy }] of sources.entries()) {
      const values = [projectId, space, collection, sortedBy ?? ''];
      const pages = pagesByBytes<SortedDocument>(client, space === 'live' ? LIVE : NEXT, values, ({ text }) => text.length);
      for await (const page of pages) await take(index, page);
    }
    return { revision: Number(rows[0]?.revision ?? -1) };
  });
}
