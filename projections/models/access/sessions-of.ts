import type { Pool } from 'pg';
import type { SessionPlace, SessionRow } from '../../../src/app/ports/readers.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';
import { sessionFrom } from './read.ts';

const OF_PLAYER = throughViews(`
SELECT family, expires_at, sessions::text AS text FROM {sessions}
WHERE project = $1 AND player = $2 AND (expires_at, family) < ($3::bigint, $4) ORDER BY expires_at DESC, family DESC LIMIT $5`);

interface Row {
  readonly family: string;
  readonly expires_at: string;
  readonly text: string;
}

/** Sessions of a player, the last to expire first. `before`: the last one of the page before. */
export async function readSessionsOf(
  pool: Pool,
  projectId: string,
  player: string,
  { before, limit }: { readonly before: SessionPlace | null; readonly limit: number },
): Promise<readonly SessionRow[]> {
  const values = [projectId, player, before?.expiresAt ?? Number.MAX_SAFE_INTEGER, before?.family ?? '', limit];
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, name: 'sessions-of', text: OF_PLAYER, values });
  return rows.map(({ family, expires_at, text }) => ({ family, expiresAt: Number(expires_at), state: sessionFrom(text, player) }));
}
