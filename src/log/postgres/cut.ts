import type pg from 'pg';
import { unavailable } from './connection.ts';

/** So few that nobody waits for them: appends take no lock that this holds, and replicas and the vacuum keep up. */
const AT_ONCE = 1000;

/** The last event stays, whatever is asked for: it is what the stream's head is an event of. */
const FIRST = `
SELECT e.revision AS first, least($2::bigint, s.revision) AS before FROM savepoint.log_streams s
JOIN savepoint.log_events e ON e.stream = s.stream WHERE s.stream = $1 ORDER BY e.revision LIMIT 1`;
const DELETE = 'DELETE FROM savepoint.log_events WHERE stream = $1 AND revision >= $2 AND revision < $3';

/**
 * Deletes a stream's events below a revision, oldest first and a few at a time, each in a transaction of its own: what is left when it
 * breaks off is the end of the stream. Throws `LogUnavailable`.
 */
export async function cutStream(pool: pg.Pool, stream: string, before: number): Promise<void> {
  try {
    const { rows } = await pool.query<{ first: string; before: string }>(FIRST, [stream, before]);
    const [row] = rows;
    if (row === undefined) return;
    const end = Number(row.before);
    for (let at = Number(row.first); at < end; at += AT_ONCE) await pool.query(DELETE, [stream, at, Math.min(at + AT_ONCE, end)]);
  } catch (error) {
    throw unavailable(error);
  }
}
