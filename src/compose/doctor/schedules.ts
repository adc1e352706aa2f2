import type pg from 'pg';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { remedyOf } from '../remedies.ts';
import { type Finding, ok, warn } from './finding.ts';

const ENDED = `SELECT project, body -> 'schedule' ->> 'phase' AS phase, body -> 'schedule' -> 'ended' ->> 'reason' AS reason
FROM savepoint.releases WHERE body -> 'schedule' ->> 'phase' IN ('missed', 'void')
  AND (body -> 'schedule' -> 'ended' ->> 'at')::float8 >= extract(epoch FROM now() - interval '7 days') * 1000
ORDER BY (body -> 'schedule' -> 'ended' ->> 'at')::float8 DESC LIMIT 20`;

/** What was to go live at a chosen time within a week, and did not. */
export async function checkSchedules(pool: pg.Pool): Promise<Finding> {
  try {
    const { rows: made } = await pool.query("SELECT FROM pg_class WHERE oid = to_regclass('savepoint.releases')");
    if (made.length === 0) return ok('scheduled promotions', 'its tables are not made yet; the start of a node makes them');
    const { rows } = await pool.query<{ project: string; phase: string; reason: string | null }>(ENDED);
    const [last] = rows;
    if (last === undefined) return ok('scheduled promotions', 'none was missed or void within a week');
    const why = last.phase === 'void' ? 'what was staged, or live, was changed before its time' : (last.reason ?? 'it was missed');
    const found = `${rows.length === 20 ? '20 projects or more' : `${rows.length} of the projects`} had one that did not go live, last ${last.project}: ${why}`;
    return warn('scheduled promotions', found, 'Mend the reason, and promote or schedule anew: savepoint promote (docs/publishing.md).');
  } catch (error) {
    return warn('scheduled promotions', `cannot be read: ${errorMessage(error)}`, remedyOf(error) ?? 'Look at the log of the server.');
  }
}
