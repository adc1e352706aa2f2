import { readFileSync } from 'node:fs';
import { FOREIGN_EVENTS, FOREIGN_EVENTS_OF_STREAMS } from './foreign-events.ts';
import { type ProjectionName, schemaOf, tableName } from './tables.ts';

/** One migration of the database. Names are unique and never reused; a published migration is never changed. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** The projections' own migrations, in their order. */
export function ownMigrations(): readonly Migration[] {
  const sql = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
  return [
    { name: 'projections-0001', sql: sql('./schema.sql') },
    { name: 'projections-0002', sql: FOLLOWED_EVENT },
    { name: 'foreign-events-0001', sql: FOREIGN_EVENTS },
    { name: 'projectors-0001', sql: sql('./projectors.sql') },
    { name: 'leaderboards-0002', sql: boardsAnew('s|_queries|_counts|_marks|_buckets') },
    // Boards of fields below `additionalProperties` now use defaults, and therefore have other names.
    { name: 'leaderboards-0003', sql: boardsAnew('s|_queries|_counts|_marks|_buckets') },
    { name: 'leaderboards-0004', sql: laterTable('leaderboards', 'leaderboard_fills') },
    { name: 'records-0002', sql: `${laterTable('records', 'record_lists')};${listedBefore()}` },
    { name: 'authority-0002', sql: laterColumn('authority', 'projects', 'package json') },
    { name: 'subjects-0002', sql: subjectsInBlocks() },
    { name: 'idempotency-0002', sql: answersOfAll() },
    // The earlier log did not store which endpoint a player called last, so old rows have none.  It did not store the ledger balances of
    // documents either: `null` stands for unknown, and the next write of the document stores them.
    { name: 'documents-0002', sql: laterColumn('documents', 'documents', "told json DEFAULT ''null''") },
    { name: 'ledger-0002', sql: ledgerTotals() },
    { name: 'telemetry-0002', sql: laterColumn('telemetry', 'telemetry_players', 'last_endpoint_slug text') },
    // Earlier releases did not say when a document reached a number; it counts as reached when the document was made.
    { name: 'documents-0003', sql: laterColumn('documents', 'documents', 'reached jsonb') },
    // Ties are ordered by when their value was reached. Boards are built anew of the documents.
    { name: 'leaderboards-0005', sql: boardsAnew('s|_queries|_counts|_marks|_buckets|_fills') },
    // Earlier publishes have no message.
    { name: 'publishes-0002', sql: laterColumn('publishes', 'publishes', 'message text') },
    { name: 'telemetry-0003', sql: laterColumn('telemetry', 'telemetry_players', 'online_until bigint') },
    { name: 'telemetry-0004', sql: playersByName() },
    { name: 'call-log-0001', sql: sql('./call-log.sql') },
    { name: 'foreign-events-0002', sql: FOREIGN_EVENTS_OF_STREAMS },
  ];
}

/** The projector resumes at an event, which it looks up in the event's stream, because a bare position cannot be checked on every engine. */
const FOLLOWED_EVENT = 'ALTER TABLE savepoint.follow_positions ADD COLUMN stream text, ADD COLUMN revision bigint';

/**
 * The projector builds all boards anew from the documents, because it finds no checkpoint of them. `tables`: ends of the names of the tables that
 * boards had until then.
 */
const boardsAnew = (tables: string) => `
DO $$ DECLARE old text; BEGIN
  FOR old IN SELECT tablename FROM pg_tables WHERE schemaname = 'savepoint' AND tablename ~ '^leaderboard(${tables})_v[0-9]+$' LOOP
    EXECUTE format('DROP TABLE savepoint.%I CASCADE', old);
  END LOOP;
END $$;
DELETE FROM savepoint.checkpoints WHERE projection = 'leaderboards';
DELETE FROM savepoint.projection_versions WHERE name = 'leaderboards'`;

/** Versions of a projection's tables. */
interface Tables {
  readonly projection: ProjectionName;
  /** Only versions that have this table; all when absent. */
  readonly having?: string;
}

/** Runs `each` for every version, whose number is `version`, and then `once`. */
function forEachVersion({ projection, having }: Tables, each: string, once = ''): string {
  const has = having === undefined ? '' : `AND to_regclass('savepoint.${having}_v' || v) IS NOT NULL`;
  return `DO $do$
DECLARE version integer;
BEGIN
  FOR version IN
    SELECT v FROM savepoint.projection_versions, unnest(ARRAY[active, building]) v WHERE name = '${projection}' AND v IS NOT NULL ${has}
  LOOP
    ${each}
  END LOOP;
  ${once}
END $do$`;
}

/** The end of a migration that changes the columns of a table: recreates the readers' view on the active version, if there is one. */
function showingActive(projection: ProjectionName, ...tables: readonly string[]): string {
  const views = tables.map(
    (table) => `EXECUTE format('CREATE OR REPLACE VIEW savepoint.${table} AS SELECT * FROM savepoint.${table}_v%s', version);`,
  );
  return `SELECT active INTO version FROM savepoint.projection_versions WHERE name = '${projection}';
  IF version IS NOT NULL THEN
    ${views.join('\n    ')}
  END IF;`;
}

/**
 * Turns the index of subjects from one row for each event into blocks. New databases never had the earlier form. The view is dropped first: a
 * reader that holds the view and waits for the table would otherwise deadlock with this migration, which holds the table and waits for the
 * view.
 */
function subjectsInBlocks(): string {
  const each = `EXECUTE format('ALTER TABLE savepoint.subjects_v%s RENAME TO subjects_rows', version);
EXECUTE format('CREATE TABLE savepoint.subjects_v%s (project text COLLATE "C" NOT NULL, block bigint NOT NULL,
  hashes bigint[] NOT NULL, revisions bigint[] NOT NULL, PRIMARY KEY (project, block)) WITH (fillfactor = 70)', version);
EXECUTE format('INSERT INTO savepoint.subjects_v%s (project, block, hashes, revisions)
  SELECT project, revision / 64, array_agg(hashtextextended(subject, 0) ORDER BY revision), array_agg(revision ORDER BY revision)
  FROM savepoint.subjects_rows GROUP BY project, revision / 64', version);
DROP TABLE savepoint.subjects_rows CASCADE;`;
  return `DROP VIEW IF EXISTS savepoint.subjects; ${forEachVersion({ projection: 'subjects', having: 'subjects' }, each, showingActive('subjects', 'subjects'))}`;
}

/**
 * Adds a column that a projection's table got in a later release. A new database has it from the start. An older one gets it in every
 * version of the table, and readers see it in the active one. `column`: name and type.
 */
function laterColumn(projection: ProjectionName, table: string, column: string): string {
  const each = `EXECUTE format('ALTER TABLE savepoint.${table}_v%s ADD COLUMN IF NOT EXISTS ${column}', version);`;
  return forEachVersion({ projection }, each, showingActive(projection, table));
}

/**
 * Stores answers of all kinds of request. Earlier tables stored those of appends alone, without an expiry; they count for a day. The view is
 * dropped first, for the same reason as above.
 */
function answersOfAll(): string {
  const each = `EXECUTE format('ALTER TABLE savepoint.idempotency_v%s RENAME COLUMN collection TO scope', version);
EXECUTE format('ALTER TABLE savepoint.idempotency_v%s RENAME COLUMN body_hash TO request', version);
EXECUTE format('ALTER TABLE savepoint.idempotency_v%s ADD COLUMN outcome text, ADD COLUMN until bigint', version);
EXECUTE format('UPDATE savepoint.idempotency_v%s SET until = recorded_at + 86400000,
  outcome = ''{"answer":{"recordId":"'' || record_id || ''","timestamp":'' || timestamp || ''}}''', version);
EXECUTE format('ALTER TABLE savepoint.idempotency_v%s ALTER outcome SET NOT NULL, ALTER until SET NOT NULL,
  DROP COLUMN record_id, DROP COLUMN timestamp, DROP COLUMN recorded_at', version);
EXECUTE format('CREATE INDEX ON savepoint.idempotency_v%s (project, until)', version);`;
  return `DROP VIEW IF EXISTS savepoint.idempotency; ${forEachVersion({ projection: 'idempotency', having: 'idempotency' }, each, showingActive('idempotency', 'idempotency'))}`;
}

/**
 * Adds the totals of ledgers, which earlier builds summed for every read. They are computed once, for every version of the table. An earlier
 * build that still runs can add no entries from then on, so the totals miss none.
 */
function ledgerTotals(): string {
  const each = `EXECUTE format('ALTER TABLE savepoint.ledger_v%s ADD COLUMN summed boolean NOT NULL DEFAULT true', version);
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
  GROUP BY project, space, collection, player, key, field, source', version);`;
  return forEachVersion({ projection: 'ledger', having: 'ledger' }, each, showingActive('ledger', 'ledger', 'ledger_totals'));
}

/** Players are found by how their name begins. A new database has the index from the start. */
function playersByName(): string {
  const each = `EXECUTE format('CREATE INDEX ON savepoint.telemetry_players_v%s (project, (lower(player_name) COLLATE "C"), platform_id)', version);`;
  return forEachVersion({ projection: 'telemetry' }, each);
}

/** Lists the collections that have rows, in every version of the table. A collection without rows is listed at its next publish. */
function listedBefore(): string {
  const each = `EXECUTE format('INSERT INTO savepoint.record_lists_v%1$s (project, collection, phase)
  SELECT DISTINCT project, collection, ''complete'' FROM savepoint.records_v%1$s ON CONFLICT DO NOTHING', version);`;
  return forEachVersion({ projection: 'records' }, each);
}

/** Adds a table that a projection got in a later release, by the statement in today's schema. */
function laterTable(projection: ProjectionName, table: string): string {
  const made = schemaOf(projection, FIRST_VERSION).split(/(?=^CREATE TABLE )/m);
  const first = tableName(table, FIRST_VERSION);
  const create = made.find((text) => text.startsWith(`CREATE TABLE ${first} `))?.replace(/;[^;]*$/, '');
  if (create === undefined) throw new Error(`no table ${table} in the schema of ${projection}`);
  const versioned = create.replace(first, 'savepoint.%I').replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS');
  return forEachVersion(
    { projection },
    `EXECUTE format($sql$${versioned}$sql$, '${table}_v' || version);`,
    showingActive(projection, table),
  );
}

const FIRST_VERSION = 1;
