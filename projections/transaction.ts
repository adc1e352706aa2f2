import type { Pool, PoolClient } from 'pg';
import { Session, type Versions } from './tables.ts';

/**
 * Rows and checkpoint are lost together or not at all, and the log has the events: waiting for the disk would protect nothing. A
 * statement that waits for an unusually long lock fails and is tried again.
 */
const BEGIN = `BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = '30s'`;

/**
 * One transaction writing one project's rows. An error rolls back; a client that could not even do that is thrown away. After
 * `patienceMs` its connection is broken off: one that died without a word would hold the transaction for ever. The server then lets go
 * of its locks as early, since whoever tries again waits for them.
 */
export async function transaction<T>(
  pool: Pool,
  projectId: string,
  versions: Versions,
  work: (session: Session) => Promise<T>,
  patienceMs?: number,
): Promise<T> {
  const begin = patienceMs === undefined ? BEGIN : `${BEGIN}; SET LOCAL idle_in_transaction_session_timeout = ${patienceMs}`;
  return within(pool, begin, (client) => work(new Session(client, projectId, versions)), patienceMs);
}

async function within<T>(pool: Pool, begin: string, work: (client: PoolClient) => Promise<T>, patienceMs?: number): Promise<T> {
  const client = await pool.connect();
  const late = patienceMs === undefined ? undefined : setTimeout(() => breakOff(client), patienceMs);
  try {
    await client.query(begin);
    const result = await work(client);
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
  } finally {
    clearTimeout(late);
  }
}

/**
 * Reads one project's rows as they are at one moment, however long that takes: nothing is locked that a writer asks for, and tables that
 * are read stay until the end. `tables` by their full names; they are locked before the snapshot is taken. Only own tables may be written.
 *
 * Without sequential scans: the tables read may be too young for statistics, and what is left to fold would pass over all of them for every batch.
 */
export async function snapshot<T>(
  pool: Pool,
  projectId: string,
  versions: Versions,
  tables: readonly string[],
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL synchronous_commit = off; SET LOCAL enable_seqscan = off`;
  return within(pool, `${begin}; LOCK TABLE ${tables.join(', ')} IN ACCESS SHARE MODE`, (client) =>
    work(new Session(client, projectId, versions)),
  );
}

/** A query that is late in a pipeline makes the library break the connection, and so fails what waits; `end` would wait for it. */
function breakOff(client: PoolClient): void {
  const late = { text: 'SELECT', query_timeout: 1 };
  client.query(late).catch(() => undefined);
}
