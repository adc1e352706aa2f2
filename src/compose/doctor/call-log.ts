import type pg from 'pg';
import type { Config } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { remedyOf } from '../remedies.ts';
import { type Finding, ok, warn } from './finding.ts';

const STORED = `SELECT coalesce(sum(requests), 0)::float8 AS requests, count(DISTINCT project) FILTER (WHERE requests > 0)::int AS projects,
  (SELECT coalesce(sum(missed), 0)::float8 FROM savepoint.call_log WHERE missed > 0 AND at >= extract(epoch FROM now() - interval '1 day') * 1000) AS missed
FROM savepoint.call_log_counts`;

/** What the call log holds, and whether requests were left out of it. */
export async function checkCallLog({ limits: { callLogDays } }: Config, pool: pg.Pool): Promise<Finding> {
  if (callLogDays === 0) return ok('call log', 'not stored: CALL_LOG_DAYS is 0');
  try {
    const { rows: made } = await pool.query("SELECT FROM pg_class WHERE oid = to_regclass('savepoint.call_log')");
    if (made.length === 0) return ok('call log', 'its table is not made yet; the start of a node makes it');
    const { rows } = await pool.query<{ requests: number; projects: number; missed: number }>(STORED);
    const [{ requests, projects, missed } = { requests: 0, projects: 0, missed: 0 }] = rows;
    const found = `${counted(requests, 'request')} of ${counted(projects, 'project')}`;
    if (missed === 0) return ok('call log', found);
    return warn(
      'call log',
      `${found}; ${missed} of the last day were left out`,
      'The database did not take them in time: look at its load. Games go on.',
    );
  } catch (error) {
    return warn('call log', `cannot be read: ${errorMessage(error)}`, remedyOf(error) ?? 'Look at the log of the server.');
  }
}
