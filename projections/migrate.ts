import { readFileSync } from 'node:fs';
import type { Pool, PoolClient } from 'pg';
import { level } from './checkpoints.ts';
import { REBUILDABLE } from './registry.ts';
import { type ProjectionName, schemaOf, tableName, tablesOf } from './tables.ts';

/** One migration of the database. Names are unique and never reused; a published migration is never changed. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/**
 * Advisory lock, held while the tables change, so that nodes that start at the same time wait for each other. The number has no meaning.
 */
const MIGRATION_LOCK = 7_203_114_001;

/**
 * Brings the database to this build's tables: `before` (such as the log's own tables), then those of the projections. It is safe to run
 * from several nodes at once and any number of times. Each migration is one transaction.
 */
export async function migrate(pool: Pool, before: readonly Migration[] = []): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query('CREATE SCHEMA IF NOT EXISTS savepoint');
    await client.query(
      'CREATE TABLE IF NOT EXISTS savepoint.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    for (const migration of [...before, ...own()]) await apply(client, migration);
    for (const name of REBUILDABLE) await install(client, name);
    await level(client, null);
  } finally {
    // A broken connection has lost the lock with its session.
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    client.release();
  }
}

/** The projector resumes at an event, which it looks up in the event's stream. A position alone cannot be checked on every engine. */
const FOLLOWED_EVENT = 'ALTER TABLE savepoint.follow_positions ADD COLUMN stream text, ADD COLUMN revision bigint';

/** All boards are made anew from the documents, because the projector finds no checkpoint of theirs. */
const BOARDS_ANEW = `
DO $$ DECLARE old text; BEGIN
  FOR old IN SELECT tablename FROM pg_tables WHERE schemaname = 'savepoint' AND tablename ~ '^leaderboard(s|_queries|_counts|_marks)_v[0-9]+$' LOOP
    EXECUTE format('DROP TABLE savepoint.%I CASCADE', old);
  END LOOP;
END $$;
DELETE FROM savepoint.checkpoints WHERE projection = 'leaderboards';
DELETE FROM savepoint.projection_versions WHERE name = 'leaderboards'`;

/**
 * The index of subjects in blocks, made from its earlier form of one row for each event. New databases do not have that form. The view is
 * dropped first. Otherwise a reader that holds the view and waits for the table would be in a deadlock with this, which holds the table and
 * wants the view.
 */
const SUBJECTS_IN_BLOCKS = `
DROP VIEW IF EXISTS savepoint.subjects;
DO $$
DECLARE version integer;
BEGIN
  FOR version IN
    SELECT v FROM savepoint.projection_versions, unnest(ARRAY[active, building]) v WHERE name = 'subjects' AND v IS NOT NULL
      AND to_regclass('savepoint.subjects_v' || v) IS NOT NULL
  LOOP
    EXECUTE format('ALTER TABLE savepoint.subjects_v%s RENAME TO subjects_rows', version);
    EXECUTE format('CREATE TABLE savepoint.subjects_v%s (project text COLLATE "C" NOT NULL, block bigint NOT NULL,
      hashes bigint[] NOT NULL, revisions bigint[] NOT NULL, PRIMARY KEY (project, block)) WITH (fillfactor = 70)', version);
    EXECUTE format('INSERT INTO savepoint.subjects_v%s (project, block, hashes, revisions)
      SELECT project, revision / 64, array_agg(hashtextextended(subject, 0) ORDER BY revision), array_agg(revision ORDER BY revision)
      FROM savepoint.subjects_rows GROUP BY project, revision / 64', version);
    DROP TABLE savepoint.subjects_rows CASCADE;
  END LOOP;
  ${showingActive('subjects', 'subjects')}
END $$`;

/**
 * Adds a column that a projection's table got in a later release. A new database has it from the start. An older one gets it in every
 * version of the table, and readers see it in the active one. `column`: name and type.
 */
function laterColumn(projection: ProjectionName, table: string, column: string): string {
  return `DO $$
DECLARE version integer;
BEGIN
  FOR version IN
    SELECT v FROM savepoint.projection_versions, unnest(ARRAY[active, building]) v WHERE name = '${projection}' AND v IS NOT NULL
  LOOP
    EXECUTE format('ALTER TABLE savepoint.${table}_v%s ADD COLUMN IF NOT EXISTS ${column}', version);
  END LOOP;
  ${showingActive(projection, table)}
END $$`;
}

/**
 * Keeps answers of all kinds of request, where earlier tables kept those of appends alone. Those had no expiry of their own and counted for
 * a day. The view is dropped first, for the same reason as above.
 */
const ANSWERS_OF_ALL = `
DROP VIEW IF EXISTS savepoint.idempotency;
DO $$
DECLARE version integer;
BEGIN
  FOR version IN
    SELECT v FROM savepoint.projection_versions, unnest(ARRAY[active, building]) v WHERE name = 'idempotency' AND v IS NOT NULL
      AND to_regclass('savepoint.idempotency_v' || v) IS NOT NULL
  LOOP
    EXECUTE format('ALTER TABLE savepoint.idempotency_v%s RENAME COLUMN collection TO scope', version);
    EXECUTE format('ALTER TABLE savepoint.idempotency_v%s RENAME COLUMN body_hash TO request', version);
    EXECUTE format('ALTER TABLE savepoint.idempotency_v%s ADD COLUMN outcome text, ADD COLUMN until bigint', version);
    EXECUTE format('UPDATE savepoint.idempotency_v%s SET until = recorded_at + 86400000,
      outcome = ''{"answer":{"recordId":"'' || record_id || ''","timestamp":'' || timestamp || ''}}''', version);
    EXECUTE format('ALTER TABLE savepoint.idempotency_v%s ALTER outcome SET NOT NULL, ALTER until SET NOT NULL,
      DROP COLUMN record_id, DROP COLUMN timestamp, DROP COLUMN recorded_at', version);
    EXECUTE format('CREATE INDEX ON savepoint.idempotency_v%s (project, until)', version);
  END LOOP;
  ${showingActive('idempotency', 'idempotency')}
END $$`;

/**
 * Adds the totals of ledgers, which earlier builds summed up for every read. They are computed once, for every version of the table. An
 * earlier build that is still running cannot add entries from then on, so that no entry is missing in the totals.
 */
const LEDGER_TOTALS = `
DO $$
DECLARE version integer;
BEGIN
  FOR version IN
    SELECT v FROM savepoint.projection_versions, unnest(ARRAY[active, building]) v WHERE name = 'ledger' AND v IS NOT NULL
      AND to_regclass('savepoint.ledger_v' || v) IS NOT NULL
  LOOP
    EXECUTE format('ALTER TABLE savepoint.ledger_v%s ADD COLUMN summed boolean NOT NULL DEFAULT true', version);
    EXECUTE format('ALTER TABLE savepoint.ledger_v%s ALTER COLUMN summed DROP DEFAULT', version);
    EXECUTE format('CREATE TABLE savepoint.ledger_totals_v%s (project text COLLATE "C" NOT NULL, space text COLLATE "C" NOT NULL,
      collection text COLLATE "C" NOT NULL, player text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, part text COLLATE "C" NOT NULL,
      field text COLLATE "C" NOT NULL, source text NOT NULL, count bigint NOT NULL, increase numeric NOT NULL, decrease numeric NOT NULL,
      PRIMARY KEY (project, space, collection, player, key, part)) WITH (fillfactor = 70)', version);
    EXECUTE format('INSERT INTO savepoint.ledger_totals_v%1$s (project, space, collection, player, key, part, field, source, count, increase, decrease)
      SELECT project, space, collection, player, key,
        encode(sha256(convert_to(length(field) || '':'' || field || source, ''UTF8'')), ''hex''), field, source,
        count(*), sum(greatest(exact, 0)), sum(least(exact, 0))
      FROM (SELECT *, CASE WHEN amount = 0 OR length(delta::text) > 400 THEN amount::numeric ELSE delta::text::numeric END AS exact
        FROM savepoint.ledger_v%1$s OFFSET 0) e
      GROUP BY project, space, collection, player, key, field, source', version);
  END LOOP;
  ${showingActive('ledger', 'ledger')}
  IF version IS NOT NULL THEN
    EXECUTE format('CREATE OR REPLACE VIEW savepoint.ledger_totals AS SELECT * FROM savepoint.ledger_totals_v%s', version);
  END IF;
END $$`;

/** Lists the collections that have rows, in every version of the table. A collection without rows is listed at its next publish. */
const LISTED_BEFORE = `DO $$
DECLARE version integer;
BEGIN
  FOR version IN
    SELECT v FROM savepoint.projection_versions, unnest(ARRAY[active, building]) v WHERE name = 'records' AND v IS NOT NULL
  LOOP
    EXECUTE format('INSERT INTO savepoint.record_lists_v%1$s (project, collection, phase)
      SELECT DISTINCT project, collection, ''complete'' FROM savepoint.records_v%1$s ON CONFLICT DO NOTHING', version);
  END LOOP;
END $$`;

/** Adds a table that a projection got in a later release, by the statement in today's schema. */
function laterTable(projection: ProjectionName, table: string): string {
  const made = schemaOf(projection, FIRST_VERSION).split(/(?=^CREATE TABLE )/m);
  const first = tableName(table, FIRST_VERSION);
  const create = made.find((text) => text.startsWith(`CREATE TABLE ${first} `))?.replace(/;[^;]*$/, '');
  if (create === undefined) throw new Error(`no table ${table} in the schema of ${projection}`);
  const versioned = create.replace(first, 'savepoint.%I').replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS');
  return `DO $do$
DECLARE version integer;
BEGIN
  FOR version IN
    SELECT v FROM savepoint.projection_versions, unnest(ARRAY[active, building]) v WHERE name = '${projection}' AND v IS NOT NULL
  LOOP
    EXECUTE format($sql$${versioned}$sql$, '${table}_v' || version);
  END LOOP;
  ${showingActive(projection, table)}
END $do$`;
}

const FIRST_VERSION = 1;

/** The end of a migration that changes the columns of a table: recreates the readers' view on the active version, if there is one. */
function showingActive(projection: ProjectionName, table: string): string {
  return `SELECT active INTO version FROM savepoint.projection_versions WHERE name = '${projection}';
  IF version IS NOT NULL THEN
    EXECUTE format('CREATE OR REPLACE VIEW savepoint.${table} AS SELECT * FROM savepoint.${table}_v%s', version);
  END IF;`;
}

function own(): readonly Migration[] {
  const sql = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
  return [
    { name: 'projections-0001', sql: sql('./schema.sql') },
    { name: 'projections-0002', sql: FOLLOWED_EVENT },
    { name: 'projectors-0001', sql: sql('./projectors.sql') },
    { name: 'leaderboards-0002', sql: BOARDS_ANEW },
    // Boards of fields below `additionalProperties` know defaults now, and have other names.
    { name: 'leaderboards-0003', sql: BOARDS_ANEW },
    { name: 'leaderboards-0004', sql: laterTable('leaderboards', 'leaderboard_fills') },
    { name: 'records-0002', sql: `${laterTable('records', 'record_lists')};${LISTED_BEFORE}` },
    { name: 'authority-0002', sql: laterColumn('authority', 'projects', 'package json') },
    { name: 'subjects-0002', sql: SUBJECTS_IN_BLOCKS },
    { name: 'idempotency-0002', sql: ANSWERS_OF_ALL },
    // The earlier log did not say which endpoint a player called last, so old rows have none. It did not keep the ledger balances of
    // documents either: `null` stands for unknown, and the next write of the document begins to keep them.
    { name: 'documents-0002', sql: laterColumn('documents', 'documents', "told json DEFAULT ''null''") },
    { name: 'ledger-0002', sql: LEDGER_TOTALS },
    { name: 'telemetry-0002', sql: laterColumn('telemetry', 'telemetry_players', 'last_endpoint_slug text') },
    { name: 'telemetry-0003', sql: laterColumn('telemetry', 'telemetry_players', 'online_until bigint') },
  ];
}

async function apply(client: PoolClient, { name, sql }: Migration): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM savepoint.migrations WHERE name = $1', [name]);
  if (rowCount === 1) return;
  await inTransaction(client, async () => {
    await client.query(sql);
    await client.query('INSERT INTO savepoint.migrations (name) VALUES ($1)', [name]);
  });
}

/** A projection that is new to this database starts at version 1 with empty tables. The projector fills them. */
async function install(client: PoolClient, name: ProjectionName): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM savepoint.projection_versions WHERE name = $1', [name]);
  if (rowCount === 1) return;
  await inTransaction(client, async () => {
    await client.query(schemaOf(name, 1));
    await showVersion(client, name, 1);
    await client.query('INSERT INTO savepoint.projection_versions (name, active) VALUES ($1, 1)', [name]);
  });
}

/** Points the readers' views at a version. It waits for readers at work, and keeps new ones waiting until the transaction ends. */
export async function showVersion(client: PoolClient, projection: ProjectionName, version: number): Promise<void> {
  for (const { name } of tablesOf(projection)) {
    const [view, table] = [`savepoint.${name}`, tableName(name, version)];
    const [shown, made] = [await columnsOf(client, view), await columnsOf(client, table)];
    // Replacing a view must keep the order of its columns. A table that got columns later has them in another order than a new one.
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
