import type pg from 'pg';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { remedyOf } from '../remedies.ts';
import { type Finding, ok, warn } from './finding.ts';

const RAISED = `SELECT project, alarm, currency FROM savepoint.alarms
WHERE at >= extract(epoch FROM now() - interval '1 day') * 1000 ORDER BY at DESC LIMIT 20`;

/** Alarms of economies that the last day has seen. */
export async function checkEconomy(pool: pg.Pool): Promise<Finding> {
  try {
    const { rows: made } = await pool.query("SELECT FROM pg_class WHERE oid = to_regclass('savepoint.alarms')");
    if (made.length === 0) return ok('economy', 'its tables are not made yet; the start of a node makes them');
    const { rows } = await pool.query<{ project: string; alarm: string; currency: string }>(RAISED);
    const [last] = rows;
    if (last === undefined) return ok('economy', 'no alarm was raised within a day');
    const found = `${rows.length === 20 ? '20 or more' : rows.length} alarms within a day, the last: ${last.alarm} of ${last.currency} in project ${last.project}`;
    return warn('economy', found, 'savepoint economy --by source shows where it comes from (docs/economy.md).');
  } catch (error) {
    return warn('economy', `cannot be read: ${errorMessage(error)}`, remedyOf(error) ?? 'Look at the log of the server.');
  }
}
