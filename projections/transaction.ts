import type { Pool } from 'pg';
import { Session, type Versions } from './tables.ts';

/**
 * Rows and checkpoint are lost together or not at all, and the log has the events: waiting for the disk would protect nothing. A
 * statement that waits for an unusually long lock fails and is tried again.
 */
const BEGIN = `BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = '30s'`;

/** One transaction writing one project's rows. An error rolls back; a client that could not even do that is thrown away. */
export async function transaction<T>(
  pool: Pool,
  projectId: string,
  versions: Versions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN);
    const result = await work(new Session(client, projectId, versions));
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    const clean = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    client.release(!clean);
    throw error;
  }
}
