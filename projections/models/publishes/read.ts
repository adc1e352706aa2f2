import type { Pool } from 'pg';
import type { PublishPage, PublishRow } from '../../../src/app/ports/publishes.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

/** $1 project, $2 before, $3 rows wanted plus one. One row: revision and page, newest first. */
const PAGE = throughViews(`
SELECT ${revisionOf(['publishes'])} AS revision,
  (SELECT coalesce(json_agg(json_build_object('revision', p.revision, 'action', p.action, 'target', p.target, 'hash', p.hash,
      'generation', p.generation, 'restored', p.restored, 'changes', p.changes, 'actor', p.actor, 'cause', p.cause, 'message', p.message, 'at', p.at,
      'differences', d.differences, 'label', l.label, 'approval', a.body)
      ORDER BY p.revision DESC), '[]')::text
    FROM (SELECT * FROM {publishes} WHERE project = $1 AND revision < $2 ORDER BY revision DESC LIMIT $3) p
    LEFT JOIN {publish_differences} d ON d.project = $1 AND d.revision = p.revision
    LEFT JOIN {approvals} a ON a.project = $1 AND a.publish = p.revision
    LEFT JOIN {key_labels} l ON l.project = $1 AND l.key_id = p.actor->>'keyId') AS page`);

/** A page of publishes before a revision, newest first. */
export async function readPublishes(
  pool: Pool,
  projectId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<PublishPage> {
  const query = { ...QUERY_TIMEOUT, name: 'publishes', text: PAGE, values: [projectId, before, limit + 1] };
  const { rows } = await pool.query<{ revision: string; page: string }>(query);
  const found = JSON.parse(rows[0]?.page ?? '[]') as PublishRow[];
  const publishes = found.slice(0, limit);
  const last = publishes.at(-1);
  return { revision: Number(rows[0]?.revision ?? -1), publishes, next: found.length > limit && last ? last.revision : null };
}
