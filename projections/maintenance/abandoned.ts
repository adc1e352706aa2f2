import type { Pool, PoolClient } from 'pg';
import { SCRATCH_VERSION, TABLES, tableName } from '../tables.ts';
import { REBUILD_LOCK } from './rebuild.ts';
import { VERIFY_LOCK } from './verify.ts';

/**
 * Tables that nobody reads or fills any more: the scratch tables of a verification that was killed, and the versions that a rebuild
 * was killed before dropping. Both locks are held meanwhile, so that no table of one at work is taken for abandoned.
 */

/** Drops them and their checkpoints; resolves to the tables' names. Drops nothing while a rebuild or verification runs. */
export async function dropAbandoned(pool: Pool): Promise<readonly string[]> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [REBUILD_LOCK]);
    if (!rows[0]?.free) return [];
    return await beforeVerifications(client);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [REBUILD_LOCK]).catch(() => undefined);
    client.release();
  }
}

async function beforeVerifications(client: PoolClient): Promise<readonly string[]> {
  const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [VERIFY_LOCK]);
  if (!rows[0]?.free) return [];
  try {
    return await drop(client);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [VERIFY_LOCK]).catch(() => undefined);
  }
}

/** Whatever a rebuild is filling was begun by one that is gone: it held the lock. The next one throws it away itself. */
async function drop(client: PoolClient): Promise<readonly string[]> {
  const used = await client.query<{ name: string; version: number }>(
    `SELECT name, active AS version FROM savepoint.projection_versions
     UNION SELECT name, building FROM savepoint.projection_versions WHERE building IS NOT NULL`,
  );
  const isUsed = new Set(used.rows.map(({ name, version }) => `${name} ${version}`));
  const there = await client.query<{ table: string }>("SELECT tablename AS table FROM pg_tables WHERE schemaname = 'savepoint'");
  const dropped: string[] = [];
  for (const { table } of there.rows) {
    const [, base, digits] = /^(\w+)_v(\d+)$/.exec(table) ?? [];
    const known = TABLES.find(({ name }) => name === base);
    // A projection without a row belongs to a newer release.
    if (!known || !used.rows.some(({ name }) => name === known.projection)) continue;
    const version = Number(digits);
    if (version !== SCRATCH_VERSION && isUsed.has(`${known.projection} ${version}`)) continue;
    await client.query('DELETE FROM savepoint.checkpoints WHERE projection = $1 AND version = $2', [known.projection, version]);
    await client.query(`DROP TABLE IF EXISTS ${tableName(known.name, version)}`);
    dropped.push(tableName(known.name, version));
  }
  return dropped.sort();
}
