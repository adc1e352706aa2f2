import type pg from 'pg';
import { unavailable } from './connection.ts';

/**
 * Events deleted in one transaction: few enough that nobody waits, and that replicas and the vacuum keep up. Appends need no lock that this
 * holds.
 */
const EVENTS_PER_DELETE = 1000;

/** The last event always stays, because the stream's head is its revision. */
const FIRST = `
SELECT e.revision AS first, least($2::bigint, s.revision) AS before FROM savepoint.log_streams s
JOIN savepoint.log_events e ON e.stream = s.stream WHERE s.stream = $1 ORDER BY e.revision LIMIT 1`;
const DELETE = 'DELETE FROM savepoint.log_events WHERE stream = $1 AND revision >= $2 AND revision < $3';

/**
 * Deletes a stream's events below a revision, oldest first and a few at a time, each time in a transaction of its own. If it breaks off,
 * what is left is still the end of the stream without a gap. Throws `LogUnavailable`.
 */
export async function truncateStream(pool: pg.Pool, stream: string, before: number): Promise<void> {
  try {
    const { rows } = await pool.query<{ first: string; before: string }>(FIRST, [stream, before]);
    const [row] = rows;
    if (row === undefined) return;
    const end = Number(row.before);
    for (let at = Number(row.first); at < end; at += EVENTS_PER_DELETE)
      await pool.query(DELETE, [stream, at, Math.min(at + EVENTS_PER_DELETE, end)]);
  } catch (error) {
    throw unavailable(error);
  }
}
