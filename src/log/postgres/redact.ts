import type pg from 'pg';
import { isRedacted, redacted } from '../commitment.ts';
import { unavailable } from './connection.ts';

const READ = 'SELECT revision::float8 AS revision, data::text AS data FROM savepoint.log_events WHERE stream = $1 AND revision = ANY ($2)';
/** What was read must still be there: nothing else changes an event. */
const REPLACE = 'UPDATE savepoint.log_events SET data = $4::json WHERE stream = $1 AND revision = $2 AND data::text = $3';

/** Replaces the data of events by their commitments. If it breaks off, those before are replaced. Throws `LogUnavailable`. */
export async function redactEvents(pool: pg.Pool, stream: string, revisions: readonly number[]): Promise<void> {
  try {
    const { rows } = await pool.query<{ revision: number; data: string }>(READ, [stream, revisions]);
    for (const { revision, data } of rows) if (!isRedacted(data)) await pool.query(REPLACE, [stream, revision, data, redacted(data)]);
  } catch (error) {
    throw unavailable(error);
  }
}
