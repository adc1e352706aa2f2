import type pg from 'pg';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { remedyOf } from '../remedies.ts';
import { type Finding, ok, warn } from './finding.ts';

const BYPASSED = `SELECT project, body -> 'asked' -> 'by' ->> 'person' AS person FROM savepoint.approvals
WHERE body ->> 'phase' = 'bypassed' AND (body -> 'asked' ->> 'at')::float8 >= extract(epoch FROM now() - interval '7 days') * 1000
ORDER BY asked DESC LIMIT 20`;

/** What went live within a week although nobody had approved it, in projects that ask for a second person. */
export async function checkApprovals(pool: pg.Pool): Promise<Finding> {
  try {
    const { rows: made } = await pool.query("SELECT FROM pg_class WHERE oid = to_regclass('savepoint.approvals')");
    if (made.length === 0) return ok('approvals', 'its tables are not made yet; the start of a node makes them');
    const { rows } = await pool.query<{ project: string; person: string | null }>(BYPASSED);
    const [last] = rows;
    if (last === undefined) return ok('approvals', 'no owner went past a second person within a week');
    const found = `owners went past the second person ${rows.length === 20 ? '20 times or more' : `${rows.length} times`} within a week, last ${last.person ?? 'somebody'} in project ${last.project}`;
    return warn('approvals', found, 'savepoint publishes shows what went live so, and why (docs/publishing.md).');
  } catch (error) {
    return warn('approvals', `cannot be read: ${errorMessage(error)}`, remedyOf(error) ?? 'Look at the log of the server.');
  }
}
