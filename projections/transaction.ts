import type { Pool, PoolClient } from 'pg';
import { Transaction, type Versions } from './tables.ts';

/**
 * Commits do not wait for the disk: rows and checkpoint are lost together or not at all, and the log has the events, so waiting would
 * protect nothing. A statement that waits unusually long for a lock fails and is tried again.
 */
const BEGIN = `BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = '30s'`;

/**
 * Runs `work` in one transaction that writes one project's rows. An error rolls back; a client that cannot roll back is thrown away. After
 * `timeoutMs` the connection is broken off, because a dead connection would hold the transaction for ever. The server releases its locks
 * after the same time, because the next try waits for them.
 */
export async function transaction<T>(
  pool: Pool,
  projectId: string,
  versions: Versions,
  work: (tx: Transaction) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const begin = timeoutMs === undefined ? BEGIN : `${BEGIN}; ${limits(timeoutMs)}`;
  return inOwnTransaction(pool, begin, (client) => work(new Transaction(client, projectId, versions)), timeoutMs);
}

/** Limits statement, lock and idle time in the server, which does not notice a broken connection while it computes or waits for a lock. */
const limits = (ms: number) =>
  ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'].map((name) => `SET LOCAL ${name} = ${ms}`).join('; ');

/** Runs `work` with a client of its own, which is always returned to the pool. */
export async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** Runs `work` in a transaction on this client. An error rolls back and is thrown again. */
export async function inTransaction<T>(client: PoolClient, work: () => Promise<T>, begin = 'BEGIN'): Promise<T> {
  await client.query(begin);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Runs `work` in a read-only transaction whose statements all see the same state. */
export function readSnapshot<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return withClient(pool, (client) => inTransaction(client, () => work(client), 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
}

async function inOwnTransaction<T>(pool: Pool, begin: string, work: (client: PoolClient) => Promise<T>, timeoutMs?: number): Promise<T> {
  const client = await pool.connect();
  const late = timeoutMs === undefined ? undefined : setTimeout(() => breakOff(client), timeoutMs);
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
 * Reads one project's rows as of one moment, however long that takes. It locks nothing that a writer needs, but keeps the tables from being
 * dropped until the end. `tables`: full names; they are locked before the snapshot is taken. Only its own tables may be written.
 *
 * Sequential scans are off: the tables may be too young for statistics, and folding the rest would then scan all of them for every batch.
 */
export async function snapshot<T>(
  pool: Pool,
  projectId: string,
  versions: Versions,
  tables: readonly string[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL synchronous_commit = off; SET LOCAL enable_seqscan = off`;
  return inOwnTransaction(pool, `${begin}; LOCK TABLE ${tables.join(', ')} IN ACCESS SHARE MODE`, (client) =>
    work(new Transaction(client, projectId, versions)),
  );
}

/**
 * Ends the connection with a query that times out at once. The library breaks off a connection whose pipelined query is late; `end` would
 * wait for the query that hangs.
 */
function breakOff(client: PoolClient): void {
  const late = { text: 'SELECT', query_timeout: 1 };
  client.query(late).catch(() => undefined);
}
