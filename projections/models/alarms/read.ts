import type { Pool } from 'pg';
import type { AlarmPage, AlarmRow } from '../../../src/app/ports/economy.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

/** $1 project, $2 before, $3 rows wanted plus one. One row: revision and page, newest first. */
const PAGE = throughViews(`
SELECT ${revisionOf(['alarms'])} AS revision,
  (SELECT coalesce(json_agg(json_build_object('revision', a.revision, 'alarm', a.alarm, 'window', a.time_window, 'currency', a.currency,
      'source', a.source, 'player', a.player, 'amount', a.amount, 'threshold', a.threshold, 'at', a.at) ORDER BY a.revision DESC), '[]')::text
    FROM (SELECT * FROM {alarms} WHERE project = $1 AND revision < $2 ORDER BY revision DESC LIMIT $3) a) AS page`);

/** A page of raised alarms before a revision, newest first. */
export async function readAlarms(
  pool: Pool,
  projectId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<AlarmPage> {
  const query = { ...QUERY_TIMEOUT, name: 'alarms', text: PAGE, values: [projectId, before, limit + 1] };
  const { rows } = await pool.query<{ revision: string; page: string }>(query);
  const found = JSON.parse(rows[0]?.page ?? '[]') as AlarmRow[];
  const alarms = found.slice(0, limit);
  return { revision: Number(rows[0]?.revision ?? -1), alarms, next: found.length > limit ? (alarms.at(-1)?.revision ?? null) : null };
}

/** Projects that have alarms, and are neither deleted nor disabled. */
const WATCHED = throughViews(`
SELECT p.project FROM {projects} p WHERE NOT p.deleted AND json_typeof(p.settings -> 'economyAlarms') = 'array'
  AND json_array_length(p.settings -> 'economyAlarms') > 0 ORDER BY p.project`);

export async function projectsWithAlarms(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ project: string }>({ ...QUERY_TIMEOUT, name: 'projects-with-alarms', text: WATCHED });
  return rows.map(({ project }) => project);
}
