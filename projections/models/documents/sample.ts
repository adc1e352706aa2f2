import type { Pool } from 'pg';
import type { OwnedAddress, ScannedDocument } from '../../../src/app/ports/documents.ts';
import type { Space } from '../../../src/domain/events.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';

/** The live documents of one collection, a page at a time, and counts. A promotion looks at them. */

/**
 * $1 project, $2 collection, $3 the key before, $4 rows, $5 bytes as the table stores them. The first document is included whatever its
 * size.
 */
const PAGE = throughViews(`
SELECT key, document::text AS text FROM (
  SELECT key, document, sum(bytes) OVER (ORDER BY key) - bytes AS before FROM (
    SELECT d.key, d.document, pg_column_size(d.document) AS bytes FROM {documents} d
    WHERE d.project = $1 AND d.space = 'live' AND d.collection = $2 AND d.key > $3 AND d.document IS NOT NULL ORDER BY d.key LIMIT $4) r) w
WHERE before < $5 ORDER BY key`);

const COUNT = throughViews(`
SELECT count(*)::int AS count FROM (
  SELECT FROM {documents} d WHERE d.project = $1 AND d.space = 'live' AND d.collection = $2 AND d.document IS NOT NULL LIMIT $3) c`);

const STAGED = throughViews(`
SELECT count(*)::int AS count FROM (SELECT FROM {documents} d WHERE d.project = $1 AND d.space = $2 LIMIT $3) c`);

/**
 * A player's keys are the player's id, and what begins with it and `_`, which is followed by a backquote in the order of characters. $5,
 * $6: the address before. Each collection gives no more than a page, by the primary key.
 */
const OF_PLAYER = throughViews(`
SELECT c.collection, d.key FROM unnest($2::text[]) AS c (collection) CROSS JOIN LATERAL (
  (SELECT d.key FROM {documents} d
    WHERE d.project = $1 AND d.space = 'live' AND d.collection = c.collection AND d.key = $3 AND (c.collection > $5 COLLATE "C" OR d.key > $6))
  UNION ALL
  (SELECT d.key FROM {documents} d
    WHERE d.project = $1 AND d.space = 'live' AND d.collection = c.collection AND d.key >= $3 || '_' AND d.key < $3 || '\`'
      AND d.key > CASE WHEN c.collection > $5 COLLATE "C" THEN '' ELSE $6 END ORDER BY d.key LIMIT $4)) d
WHERE c.collection COLLATE "C" >= $5
ORDER BY c.collection COLLATE "C", d.key COLLATE "C" LIMIT $4`);

/** The next live documents of a collection after a key, up to the given rows and bytes. */
export async function readDocumentsAfter(
  pool: Pool,
  projectId: string,
  collection: string,
  after: string,
  { rows: most, bytes }: { readonly rows: number; readonly bytes: number },
): Promise<readonly ScannedDocument[]> {
  const values = [projectId, collection, after, most, bytes];
  return (await pool.query<ScannedDocument>({ ...QUERY_TIMEOUT, name: 'documents-after', text: PAGE, values })).rows;
}

/** The number of live documents of a collection; counting stops at `most`. */
export async function countDocuments(pool: Pool, projectId: string, collection: string, most: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...QUERY_TIMEOUT, text: COUNT, values: [projectId, collection, most] });
  return rows[0]?.count ?? 0;
}

/** The number of documents that a `next` space has of its own; counting stops at `most`. */
export async function countStagedDocuments(pool: Pool, projectId: string, space: Space, most: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...QUERY_TIMEOUT, text: STAGED, values: [projectId, space, most] });
  return rows[0]?.count ?? 0;
}

/** The documents that a player has or had in live, in these collections. */
export async function readDocumentsOf(
  pool: Pool,
  projectId: string,
  player: string,
  { collections, limit, after }: { readonly collections: readonly string[]; readonly limit: number; readonly after?: OwnedAddress },
): Promise<readonly OwnedAddress[]> {
  const values = [projectId, collections, player, limit, after?.collection ?? '', after?.key ?? ''];
  return (await pool.query<OwnedAddress>({ ...QUERY_TIMEOUT, name: 'documents-of', text: OF_PLAYER, values })).rows;
}
