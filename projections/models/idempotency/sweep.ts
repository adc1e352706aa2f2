import type { Pool } from 'pg';
import { throughViews } from '../../through-views.ts';

/** Finds what can be swept. It removes nothing itself: the rows are removed when the sweep's event is projected. */

/** The approximate number of rows that one sweep removes at most. The project's other rows wait meanwhile. */
const STEP = 20_000;

const PROJECTS = throughViews(`
SELECT p.project FROM {projects} p
WHERE NOT p.deleted AND EXISTS (SELECT FROM {idempotency} k WHERE k.project = p.project AND k.until < $1)
ORDER BY p.project`);

const NEXT = throughViews(`
SELECT coalesce((SELECT until + 1 FROM {idempotency} WHERE project = $1 AND until < $2 ORDER BY until OFFSET ${STEP - 1} LIMIT 1), $2) AS before
WHERE EXISTS (SELECT FROM {idempotency} WHERE project = $1 AND until < $2)`);

/** Projects with answers that had expired at `now`, unix ms. */
export async function projectsWithAnswers(pool: Pool, now: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ project: string }>(PROJECTS, [now]);
  return rows.map(({ project }) => project);
}

/** The time up to which the next sweep of a project reaches, unix ms; `null` when nothing is left to sweep. */
export async function nextAnswers(pool: Pool, projectId: string, now: number): Promise<number | null> {
  const { rows } = await pool.query<{ before: string }>(NEXT, [projectId, now]);
  return rows[0] === undefined ? null : Number(rows[0].before);
}
