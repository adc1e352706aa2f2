import type { Pool, PoolClient } from 'pg';
import { ADVISORY_LOCKS } from '../src/kernel/advisory-locks.ts';
import { type Migration, ownMigrations } from './migrations.ts';
import { REBUILDABLE } from './registry.ts';
import { type ProjectionName, schemaOf, tableName, tablesOf } from './tables.ts';
import { inTransaction } from './transaction.ts';

/**
 * Brings the database to this build's tables: `before` (such as the log's own tables), then those of the projections. It is safe to run
 * from several nodes at once and any number of times. Each migration is one transaction. Returns the names of migrations that this build
 * does not know: those of a later release.
 */
export async function migrate(pool: Pool, before: readonly Migration[] = []): Promise<readonly string[]> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    await client.query('CREATE SCHEMA IF NOT EXISTS savepoint');
    await client.query(
      'CREATE TABLE IF NOT EXISTS savepoint.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    for (const migration of [...before, ...ownMigrations()]) await apply(client, migration);
    for (const name of REBUILDABLE) await install(client, name);
    return await unknownMigrations(client, before);
  } finally {
    // A broken connection has already lost the lock with its session.
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]).catch(() => undefined);
    client.release();
  }
}

/** The names of migrations that the database has and this build does not know. None if the database has no tables yet. */
export async function unknownMigrations(client: Pool | PoolClient, before: readonly Migration[] = []): Promise<readonly string[]> {
  const { rows: tables } = await client.query("SELECT FROM pg_class WHERE oid = to_regclass('savepoint.migrations')");
  if (tables.length === 0) return [];
  const known = new Set([...before, ...ownMigrations()].map(({ name }) => name));
  const { rows } = await client.query<{ name: string }>('SELECT name FROM savepoint.migrations ORDER BY name');
  return rows.flatMap(({ name }) => (known.has(name) ? [] : [name]));
}

async function apply(client: PoolClient, { name, sql }: Migration): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM savepoint.migrations WHERE name = $1', [name]);
  if (rowCount === 1) return;
  await inTransaction(client, async () => {
    await client.query(sql);
    await client.query('INSERT INTO savepoint.migrations (name) VALUES ($1)', [name]);
  });
}

/** A projection that is new to this database starts at version 1 with empty tables, which the projector fills. */
async function install(client: PoolClient, name: ProjectionName): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM savepoint.projection_versions WHERE name = $1', [name]);
  if (rowCount === 1) return;
  await inTransaction(client, async () => {
    await client.query(schemaOf(name, 1));
    await showVersion(client, name, 1);
    await client.query('INSERT INTO savepoint.projection_versions (name, active) VALUES ($1, 1)', [name]);
  });
}

/** Points the readers' views at a version. It waits for running readers and blocks new ones until the transaction ends. */
export async function showVersion(client: PoolClient, projection: ProjectionName, version: number): Promise<void> {
  for (const { name } of tablesOf(projection)) {
    const [view, table] = [`savepoint.${name}`, tableName(name, version)];
    const [shown, made] = [await columnsOf(client, view), await columnsOf(client, table)];
    // `CREATE OR REPLACE VIEW` must keep the order of columns. A table that got columns in a later release has another order than a new
    // one.
    if (shown.some((column, index) => column !== made[index])) await client.query(`DROP VIEW ${view}`);
    await client.query(`CREATE OR REPLACE VIEW ${view} AS SELECT * FROM ${table}`);
  }
}

/** The columns in their order, with their types. Empty for a relation that does not exist. */
async function columnsOf(client: PoolClient, relation: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly column: string }>(
    `SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), attcollation) AS column FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [relation],
  );
  return rows.map(({ column }) => column);
}

export async function dropVersion(client: PoolClient, projection: ProjectionName, version: number): Promise<void> {
  for (const { name } of tablesOf(projection)) await client.query(`DROP TABLE IF EXISTS ${tableName(name, version)}`);
}
