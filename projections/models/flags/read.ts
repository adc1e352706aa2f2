import type { Pool } from 'pg';
import type { FlagFilter, FlagPage, FlagRow } from '../../../src/app/ports/readers.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

const COLUMNS = `json_build_object('revision', f.revision, 'collection', f.collection, 'key', f.key, 'rule', f.rule, 'window', f.time_window,
  'start', f.start, 'platformId', f.subject, 'amount', f.amount, 'limit', f.most, 'at', f.at, 'eventId', f.event_id)`;

/** $1 project, $2 space, $3 before, $4 rows wanted plus one, $5 the player. One row: revision and page, newest first. */
const pageOf = (whose: string) =>
  throughViews(`
SELECT ${revisionOf(['flags'])} AS revision,
  (SELECT coalesce(json_agg(${COLUMNS} ORDER BY f.revision DESC), '[]')::text
    FROM (SELECT * FROM {flags} WHERE project = $1 AND space = $2 AND revision < $3 ${whose} ORDER BY revision DESC LIMIT $4) f) AS page`);

const ALL = { name: 'flags', text: pageOf('') };
const OF_ONE = { name: 'flags-of-one', text: pageOf('AND subject = $5') };

/** A page of flagged writes, newest first, before a revision. `next` is the `before` of the next page, `null` on the last. */
export async function readFlags(pool: Pool, projectId: string, { space, player, before, limit }: FlagFilter): Promise<FlagPage> {
  const values = [projectId, space, before, limit + 1];
  const query = player === null ? { ...ALL, values } : { ...OF_ONE, values: [...values, player] };
  const { rows } = await pool.query<{ revision: string; page: string }>({ ...QUERY_TIMEOUT, ...query });
  const found = JSON.parse(rows[0]?.page ?? '[]') as FlagRow[];
  const flags = found.slice(0, limit);
  return { revision: Number(rows[0]?.revision ?? -1), flags, next: found.length > limit ? (flags.at(-1)?.revision ?? null) : null };
}
