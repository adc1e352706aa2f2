import type pg from 'pg';
import type { Config } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { realScheduler } from '../../kernel/scheduler.ts';
import { lastSealed } from '../../log/foreign.ts';
import { readLookingEvent } from '../../log/looking.ts';
import type { Log } from '../../log/port.ts';
import { accessStream } from '../../log/streams.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const DAY_MS = 86_400_000;
/** How much longer than it is kept a look may stay: retention runs every six hours. */
const LATE_MS = 2 * DAY_MS;
/** Projects that are looked at. */
const MOST = 100;

/** Who looked at whose data: that it can be read, and that what is too old has gone. */
export async function checkLooks({ limits }: Config, pool: pg.Pool, log: Log): Promise<Finding> {
  const { rows } = await pool.query<{ project: string }>('SELECT project FROM savepoint.projects ORDER BY project LIMIT $1', [MOST]);
  const oldest = realScheduler.now() - limits.accessLogDays * DAY_MS - LATE_MS;
  let looks = 0;
  for (const { project } of rows) {
    const stream = accessStream(project);
    try {
      const last = await lastSealed(log, stream);
      if (last === null) continue;
      readLookingEvent(last);
      looks += 1;
      const page = await log.read(stream, { limit: 2, direction: 'forwards' });
      const first = page
        .map((event) => readLookingEvent(event))
        .find((event) => event?.type === 'look.recorded' || event?.type === 'look.revealed');
      if (first && first.metadata.recordedAt < oldest) {
        const found = `in project ${project} they are older than ACCESS_LOG_DAYS=${limits.accessLogDays}`;
        return warn('looks', found, 'A node with the role worker gives them up; savepoint jobs list shows why it did not.');
      }
    } catch (error) {
      const cure = 'People see no data of players there until it is put right: savepoint verify says where it is broken; restore the log.';
      return fail('looks', `the stream ${stream} cannot be read: ${errorMessage(error)}`, cure);
    }
  }
  return ok(
    'looks',
    looks === 0 ? 'no person looked at the data of a player' : `of people at players are recorded in ${counted(looks, 'project')}`,
  );
}
