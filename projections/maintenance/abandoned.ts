import type { Pool, PoolClient } from 'pg';
import { ADVISORY_LOCKS } from '../../src/kernel/advisory-locks.ts';
import { SCRATCH_VERSION, TABLES, tableName } from '../tables.ts';

/**
 * Drops tables that nobody reads or fills: the scratch tables of a killed verification or truncation, and versions that a rebuild failed to
 * drop. It holds the locks of all three, so that it never takes a table in use for abandoned.
 */

const LOCKS = [ADVISORY_LOCKS.rebuild, ADVISORY_LOCKS.verification, ADVISORY_LOCKS.truncation];

/**
 * Drops abandoned tables and their checkpoints. Resolves to the tables' names. Drops nothing while a rebuild, verification or truncation
 * runs.
 */
export async function dropAbandoned(pool: Pool): Promise<readonly string[]> {
  const client = await pool.connect();
  const held: number[] = [];
  try {
    for (const lock of LOCKS) {
      const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [lock]);
      if (!rows[0]?.free) return [];
      held.push(lock);
    }
    return await drop(client);
  } finally {
    for (const lock of held) await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(() => undefined);
    client.release();
  }
}

/**
 * A version that is still marked as building belongs to a rebuild that has ended, because this function holds the rebuild lock. The next
 * rebuild drops that version itself.
 */
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
    // A projection that is unknown here or has no row belongs to a newer release.
    if (!known || !used.rows.some(({ name }) => name === known.projection)) continue;
    const version = Number(digits);
    if (version !== SCRATCH_VERSION && isUsed.has(`${known.projection} ${version}`)) continue;
    await client.query('DELETE FROM savepoint.checkpoints WHERE projection = $1 AND version = $2', [known.projection, version]);
    await client.query(`DROP TABLE IF EXISTS ${tableName(known.name, version)}`);
    dropped.push(tableName(known.name, version));
  }
  return dropped.sort();
}
