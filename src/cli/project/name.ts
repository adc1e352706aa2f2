import type pg from 'pg';
import { refusal } from '../../kernel/errors.ts';

/** Finds a project by its id, or by a name that only one project has. Returns its id. Throws NOT_FOUND, or VALIDATION_FAILED. */
export async function findProject(pool: pg.Pool, named: string): Promise<string> {
  const { rows } = await pool.query<{ project: string; named: boolean }>(
    'SELECT project, project <> $1 AS named FROM savepoint.projects WHERE NOT deleted AND (project = $1 OR name = $1) ORDER BY named',
    [named],
  );
  const [first, second] = rows;
  // A project that the read models do not show yet is still found by its id.
  if (first === undefined) return named;
  if (first.named && second !== undefined)
    throw refusal('VALIDATION_FAILED', `${rows.length} projects are called ${named}: say which by its id`);
  return first.project;
}
