import type { Pool, PoolClient } from 'pg';
import { CUT_LOCK } from '../models/telemetry/cut.ts';
import { SCRATCH_VERSION, TABLES, tableName } from '../tables.ts';
import { REBUILD_LOCK } from './rebuild.ts';
import { VERIFY_LOCK } from './verify.ts';

/**
 * Tables that nobody reads or fills any more: the scratch tables of a verification or a cut that was killed, and the versions that
 * a rebuild was killed before dropping. Their locks are held meanwhile, so that no table of one at work is taken for abandoned.
 */

const LOCKS = [REBUILD_LOCK, VERIFY_LOCK, CUT_LOCK];

/** Drops them and their checkpoints; resolves to the tables' names. Drops nothing while any of those that make such tables runs. */
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
