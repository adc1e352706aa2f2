import type { Pool } from 'pg';
import type { SubjectKey } from '../../../src/domain/subjects.ts';
import { throughViews } from '../../through-views.ts';
import { BLOCK_REVISIONS, bucketOf, hashOfSubject, RANGE_REVISIONS } from './shape.ts';

/** Entries of the newest part. Only blocks that contain the subject are unpacked. */
const inBlocks = (hash: string) => `
SELECT r.revision FROM {subjects} s, unnest(s.hashes, s.revisions) AS r (hash, revision)
WHERE s.project = $1 AND ${hash} = ANY (s.hashes) AND r.hash = ${hash}`;

/** Entries of what was merged. */
const inBuckets = (hash: string) => `
SELECT r.revision FROM {subject_buckets} s, unnest(s.hashes, s.revisions) AS r (hash, revision)
WHERE s.project = $1 AND s.bucket = ${bucketOf(hash)} AND ${hash} = ANY (s.hashes) AND r.hash = ${hash}`;

const OF_SUBJECT = hashOfSubject('$2');
/** Of a bucket, Postgres reads the newest rows until the page is full. */
const REVISIONS = throughViews(`
SELECT DISTINCT revision FROM (
  (${inBlocks(OF_SUBJECT)} AND s.block <= $3::bigint / ${BLOCK_REVISIONS} AND r.revision < $3::bigint
   ORDER BY s.block DESC, r.revision DESC LIMIT $4)
  UNION ALL
  (${inBuckets(OF_SUBJECT)} AND s.first < $3::bigint AND r.revision < $3::bigint
   ORDER BY s.first DESC, s.part DESC, r.revision DESC LIMIT $4)) f
ORDER BY revision DESC LIMIT $4`);

const REVISIONS_AFTER = throughViews(`
SELECT DISTINCT revision FROM (
  (${inBlocks(OF_SUBJECT)} AND s.block >= $3::bigint / ${BLOCK_REVISIONS} AND r.revision > $3::bigint ORDER BY s.block, r.revision LIMIT $4)
  UNION ALL
  (${inBuckets(OF_SUBJECT)} AND s.first > $3::bigint - ${RANGE_REVISIONS} AND r.revision > $3::bigint
   ORDER BY s.first, s.part, r.revision LIMIT $4)) f
ORDER BY revision LIMIT $4`);

/** SQL that gives one row: the first revision, from another revision on, that changed a subject; null: there is none. */
export function firstRevision(subject: string, notBefore: string): string {
  const hash = hashOfSubject(subject);
  return `SELECT min(revision) FROM (
    (${inBlocks(hash)} AND s.block >= ${notBefore} / ${BLOCK_REVISIONS} AND r.revision >= ${notBefore} ORDER BY s.block, r.revision LIMIT 1)
    UNION ALL
    (${inBuckets(hash)} AND s.first > ${notBefore} - ${RANGE_REVISIONS} AND r.revision >= ${notBefore} ORDER BY s.first, s.part, r.revision LIMIT 1)) f`;
}

/**
 * The revisions below `before` that a subject stands in, newest first: see domain/commit/named.ts. A look-up reads the newest blocks, and
 * of each range before them a row or two of one bucket. The result may contain revisions of other subjects; the reader must ignore those
 * events.
 */
export async function readRevisions(
  pool: Pool,
  projectId: string,
  subject: SubjectKey,
  page: { readonly before: number; readonly limit: number },
): Promise<number[]> {
  const values = [projectId, subject, page.before, page.limit];
  const { rows } = await pool.query<{ revision: string }>({ name: 'subject-revisions', text: REVISIONS, values });
  return rows.map((row) => Number(row.revision));
}

/** The same above `after`, oldest first. */
export async function readRevisionsAfter(
  pool: Pool,
  projectId: string,
  subject: SubjectKey,
  page: { readonly after: number; readonly limit: number },
): Promise<number[]> {
  const values = [projectId, subject, page.after, page.limit];
  const { rows } = await pool.query<{ revision: string }>({ name: 'subject-revisions-after', text: REVISIONS_AFTER, values });
  return rows.map((row) => Number(row.revision));
}
