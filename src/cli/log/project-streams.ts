import type { Installation } from '../../compose/installation.ts';
import { PROJECT_PREFIX } from '../../log/streams.ts';
import { scan } from './scan.ts';

/**
 * The projects' streams of an installation's log, sorted. If the engine keeps no list of its streams, the whole log is read, because the
 * callers need all projects and the read models could lack one.
 */
export async function projectStreams({ config, pool, log }: Pick<Installation, 'config' | 'pool' | 'log'>): Promise<readonly string[]> {
  if (config.eventStoreUrl === null) {
    const { rows } = await pool.query<{ stream: string }>(
      "SELECT stream FROM savepoint.log_streams WHERE stream LIKE 'project-%' ORDER BY stream",
    );
    return rows.map(({ stream }) => stream);
  }
  const streams = new Set<string>();
  for await (const { stream } of scan(log, PROJECT_PREFIX)) streams.add(stream);
  return [...streams].sort();
}
