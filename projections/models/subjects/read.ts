import type { Pool } from 'pg';
import type { SubjectKey } from '../../../src/domain/subjects.ts';
import { throughViews } from '../../through-views.ts';
import { BLOCK_REVISIONS, hashOfSubject } from './block.ts';

/** Revisions of the project `$1` in which the subject changed that this SQL names. Only blocks that have it are taken apart. */
const found = (subject: string) => `
SELECT r.revision FROM {subjects} s, unnest(s.hashes, s.revisions) AS r (hash, revision)
WHERE s.project = $1 AND ${hashOfSubject(subject)} = ANY (s.hashes) AND r.hash = ${hashOfSubject(subject)}`;

const REVISIONS = throughViews(`${found('$2')}
AND s.block <= $3::bigint / ${BLOCK_REVISIONS} AND r.revision < $3::bigint ORDER BY s.block DESC, r.revision DESC LIMIT $4`);

/** SQL, of one row at most: the revision in which a subject changed first, not before another revision. */
export function firstRevision(subject: string, notBefore: string): string {
  return `${found(subject)} AND s.block >= ${notBefore} / ${BLOCK_REVISIONS} ORDER BY s.block, r.revision LIMIT 1`;
}

/**
 * The revisions that changed a document, the definitions or the authority, newest first, below `before`: how a
 * rollback finds the events it needs. Looks through the blocks from the newest on, so what changed long ago is found late: about
 * 20 ms for a million events. Whoever reads the events passes over those of another subject.
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
