import type { Pool } from 'pg';
import type { SubjectKey } from '../../../src/domain/subjects.ts';
import { throughViews } from '../../through-views.ts';

const REVISIONS = throughViews(`
SELECT revision FROM {subjects} WHERE project = $1 AND subject = $2 AND revision < $3 ORDER BY revision DESC LIMIT $4`);

/**
 * The revisions that changed a document, the definitions or the authority, newest first, below `before`: how a
 * rollback finds the events it needs. A document's history, `?at=` and ledger replay will find theirs so.
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
