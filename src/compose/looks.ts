import type pg from 'pg';
import { createLookLog } from '../app/looking/look-log.ts';
import { retainLooks } from '../app/looking/retain.ts';
import type { Config } from '../config/config.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';

const DAY_MS = 86_400_000;

/** Gives up, in every project, who looked at whose data longer ago than is kept. Resolves to how many records went. */
export async function retainAllLooks(
  pool: pg.Pool,
  log: Log,
  { limits }: { readonly limits: Pick<Config['limits'], 'accessLogDays'> },
): Promise<number> {
  const looks = createLookLog(log, realScheduler);
  const before = realScheduler.now() - limits.accessLogDays * DAY_MS;
  const { rows } = await pool.query<{ project: string }>('SELECT project FROM savepoint.projects ORDER BY project');
  let removed = 0;
  for (const { project } of rows) removed += await retainLooks(log, looks, project, before);
  return removed;
}
