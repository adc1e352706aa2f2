import type { Pool } from 'pg';
import type { PublishPage, PublishRow } from '../../../src/app/ports/publishes.ts';
import { type Led, undoneBy } from '../../../src/domain/definition/release/undone.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

/** $1 project, $2 before, $3 rows wanted plus one, $4 rollbacks. One row: revision, page newest first, rollbacks since its oldest. */
const PAGE = throughViews(`
WITH listed AS MATERIALIZED (SELECT * FROM {publishes} WHERE project = $1 AND revision < $2 ORDER BY revision DESC LIMIT $3)
SELECT ${revisionOf(['publishes'])} AS revision,
  (SELECT coalesce(json_agg(json_build_object('revision', p.revision, 'action', p.action, 'target', p.target, 'hash', p.hash,
      'generation', p.generation, 'restored', p.restored, 'changes', p.changes, 'actor', p.actor, 'cause', p.cause, 'message', p.message, 'ticket', p.ticket, 'at', p.at,
      'differences', d.differences, 'label', l.label, 'approval', a.body)
      ORDER BY p.revision DESC), '[]')::text
    FROM listed p
    LEFT JOIN {publish_differences} d ON d.project = $1 AND d.revision = p.revision
    LEFT JOIN {approvals} a ON a.project = $1 AND a.publish = p.revision
    LEFT JOIN {key_labels} l ON l.project = $1 AND l.key_id = p.actor->>'keyId') AS page,
  (SELECT coalesce(json_agg(json_build_object('revision', r.revision, 'restored', r.restored) ORDER BY r.revision), '[]')::text
    FROM (SELECT revision, restored FROM {publishes} WHERE project = $1 AND action = 'rollback' AND revision > (SELECT min(revision) FROM listed)
      ORDER BY revision DESC LIMIT $4) r) AS rollbacks`);

/** Most rollbacks that are looked at for what they undid. Where there are more since a publish, nothing is said of it. */
const MAX_ROLLBACKS = 200;

/** A page of publishes before a revision, newest first. */
export async function readPublishes(
  pool: Pool,
  projectId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<PublishPage> {
  const query = { ...QUERY_TIMEOUT, name: 'publishes', text: PAGE, values: [projectId, before, limit + 1, MAX_ROLLBACKS] };
  const { rows } = await pool.query<{ revision: string; page: string; rollbacks: string }>(query);
  const found = JSON.parse(rows[0]?.page ?? '[]') as Omit<PublishRow, 'undoneBy'>[];
  const rollbacks = JSON.parse(rows[0]?.rollbacks ?? '[]') as Led[];
  const publishes = found.slice(0, limit).map((row) => ({ ...row, undoneBy: undoneOf(row, rollbacks) }));
  const last = publishes.at(-1);
  return { revision: Number(rows[0]?.revision ?? -1), publishes, next: found.length > limit && last ? last.revision : null };
}

/** Saved tests are not rolled back. */
function undoneOf({ revision, target, changes }: Omit<PublishRow, 'undoneBy'>, rollbacks: readonly Led[]): number | null {
  const mayBeUndone = target === 'live' && changes.some(({ kind }) => kind !== 'tests');
  const areAll = rollbacks.length < MAX_ROLLBACKS || revision >= (rollbacks[0]?.revision ?? 0);
  return mayBeUndone && areAll ? undoneBy(revision, rollbacks) : null;
}
