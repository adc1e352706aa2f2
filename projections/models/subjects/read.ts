import type { Pool } from 'pg';
import type { SubjectKey } from '../../../src/domain/subjects.ts';
import { throughViews } from '../../through-views.ts';
import { BLOCK_REVISIONS, hashOfSubject } from './block.ts';

/** Revisions of the project `$1` that changed the subject named by this SQL. Only blocks that contain it are unpacked. */
const found = (subject: string) => `
SELECT r.revision FROM {subjects} s, unnest(s.hashes, s.revisions) AS r (hash, revision)
WHERE s.project = $1 AND ${hashOfSubject(subject)} = ANY (s.hashes) AND r.hash = ${hashOfSubject(subject)}`;

const REVISIONS = throughViews(`${found('$2')}
AND s.block <= $3::bigint / ${BLOCK_REVISIONS} AND r.revision < $3::bigint ORDER BY s.block DESC, r.revision DESC LIMIT $4`);

/** SQL that gives at most one row: the first revision, from another revision on, that changed a subject. */
export function firstRevision(subject: string, notBefore: string): string {
  return `${found(subject)} AND s.block >= ${notBefore} / ${BLOCK_REVISIONS} ORDER BY s.block, r.revision LIMIT 1`;
}

/**
 * The revisions below `before` that changed a document, the definitions or the authority, newest first. A rollback finds its events this way.
 * The search starts at the newest block, so an old change is found late: after about 20 ms for a million events. The result may contain
 * revisions of other subjects; the reader must ignore those events.
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
