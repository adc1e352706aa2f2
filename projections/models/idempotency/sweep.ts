import type { Pool } from 'pg';
import { throughViews } from '../../through-views.ts';

/** What there is to sweep. The rows go when the event that says so is projected, never here. */

/** Rows that one sweep removes at most, about: the project's other rows wait meanwhile. */
const STEP = 20_000;

const PROJECTS = throughViews(`
SELECT p.project FROM {projects} p
WHERE NOT p.deleted AND EXISTS (SELECT FROM {idempotency} k WHERE k.project = p.project AND k.until < $1)
ORDER BY p.project`);

const NEXT = throughViews(`
SELECT coalesce((SELECT until + 1 FROM {idempotency} WHERE project = $1 AND until < $2 ORDER BY until OFFSET ${STEP - 1} LIMIT 1), $2) AS before
WHERE EXISTS (SELECT FROM {idempotency} WHERE project = $1 AND until < $2)`);

/** Projects with answers that are kept no longer, as of `now`, unix ms. */
export async function projectsWithAnswers(pool: Pool, now: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ project: string }>(PROJECTS, [now]);
  return rows.map(({ project }) => project);
}

/** Up to which moment the next sweep of a project goes, unix ms; `null`: nothing is left. */
export async function nextAnswers(pool: Pool, projectId: string, now: number): Promise<number | null> {
  const { rows } = await pool.query<{ before: string }>(NEXT, [projectId, now]);
  return rows[0] === undefined ? null : Number(rows[0].before);
}
