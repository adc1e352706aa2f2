import type pg from 'pg';
import { unknownMigrations } from '../../../projections/migrate.ts';
import type { Config } from '../../config/config.ts';
import { SESSION_SETTINGS } from '../../kernel/database-session.ts';
import { LOG_MIGRATIONS } from '../../log/postgres/log.ts';
import { VERSION } from '../../version.ts';
import { OLDEST_POSTGRES } from '../database.ts';
import { allotConnections, connectionsOf, demandOf } from '../pool.ts';
import { checkApprovals } from './approvals.ts';
import { checkCallLog } from './call-log.ts';
import { checkDatabaseDisk } from './database-disk.ts';
import { checkEconomy } from './economy.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { checkSchedules } from './schedules.ts';

/** The Postgres that holds the read models and, without an EventStoreDB, the log. */

interface Row {
  readonly version: string;
  readonly number: number;
  readonly now: number;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly full_page_writes: string;
  readonly max_connections: number;
  readonly encoding: string;
  readonly recovery: boolean;
  readonly may_create: boolean;
}

const FACTS = `
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
  current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('full_page_writes') AS full_page_writes, current_setting('max_connections')::int AS max_connections,
  current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS recovery,
  has_database_privilege(current_database(), 'CREATE') AS may_create`;

/** Most migrations that a finding names. */
const MAX_NAMED = 3;
const SLOW_MS = 20;
const CLOCK_MS = 1_000;

/** Throws when it cannot connect. */
export async function checkDatabase(config: Config, pool: pg.Pool): Promise<readonly Finding[]> {
  // The first query also opens the connection, so it is not measured.
  await pool.query('SELECT 1');
  const before = Date.now();
  const { rows } = await pool.query<Row>(FACTS);
  const after = Date.now();
  const [row] = rows;
  if (row === undefined) return [fail('database', 'it answered nothing', 'Look at its log.')];
  return [
    version(row),
    writable(row),
    roundTrip(after - before),
    clock(row.now - (before + after) / 2),
    ...durability(row),
    connections(config, row.max_connections),
    encoding(row),
    await session(pool),
    await tables(pool),
    await checkCallLog(config, pool),
    await checkEconomy(pool),
    await checkApprovals(pool),
    await checkSchedules(pool),
    ...(row.recovery ? [] : [await checkDatabaseDisk(pool)]),
  ];
}

function version({ version: found, number }: Row): Finding {
  if (number >= OLDEST_POSTGRES * 10_000) return ok('database version', `Postgres ${found}`);
  return fail('database version', `Postgres ${found}`, `Use Postgres ${OLDEST_POSTGRES} or later, or unset DATABASE_URL.`);
}

function writable({ recovery, may_create }: Row): Finding {
  if (recovery) return fail('database rights', 'a standby, which cannot be written', 'Name the primary in DATABASE_URL.');
  if (may_create) return ok('database rights', 'tables may be made');
  return fail('database rights', 'this account may not make a schema', 'GRANT CREATE ON DATABASE … TO the account of DATABASE_URL.');
}

function roundTrip(ms: number): Finding {
  const found = `${ms} ms for a question and its answer`;
  if (ms <= SLOW_MS) return ok('database latency', found);
  return warn('database latency', found, 'Every group of commits waits for one such round trip: keep node and database close together.');
}

function clock(differenceMs: number): Finding {
  const found = `${Math.abs(Math.round(differenceMs))} ms between this machine and the database`;
  if (Math.abs(differenceMs) <= CLOCK_MS) return ok('clock', found);
  return warn('clock', found, 'Let both set their clocks by NTP: times of events and rate-limit windows come from the nodes.');
}

function durability({ fsync, synchronous_commit, full_page_writes }: Row): readonly Finding[] {
  const off = (name: string, value: string, why: string) =>
    value === 'off' ? fail(name, 'off', `ALTER SYSTEM SET ${name} = on, then reload: ${why}`) : ok(name, value);
  return [
    off('fsync', fsync, 'without it a power cut loses commits that were answered, or the whole database.'),
    off('full_page_writes', full_page_writes, 'without it a power cut may leave torn pages.'),
    synchronous_commit === 'off' || synchronous_commit === 'local'
      ? warn('synchronous_commit', synchronous_commit, 'The log raises it to on for its own sessions; set it to on for everything else.')
      : ok('synchronous_commit', synchronous_commit),
  ];
}

function connections(config: Config, most: number): Finding {
  const demand = demandOf(config);
  const wanted = connectionsOf(demand);
  const share = allotConnections(most, demand);
  const found = `${most}; this node takes up to ${wanted}`;
  const cure = 'ALTER SYSTEM SET max_connections = …, then restart Postgres; or lower WORKERS.';
  if (share === null) return fail('max_connections', found, cure);
  return connectionsOf(demand, share) === wanted ? ok('max_connections', found) : warn('max_connections', `${found}, and gets fewer`, cure);
}

function encoding({ encoding: found }: Row): Finding {
  if (found === 'UTF8') return ok('encoding', found);
  return fail('encoding', found, "Make the database anew: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'.");
}

/** Every connection sets them, so that the database's own defaults do not count. A pooler that shares sessions may lose what was set. */
async function session(pool: pg.Pool): Promise<Finding> {
  const names = Object.keys(SESSION_SETTINGS);
  const { rows } = await pool.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name',
    [names],
  );
  const wrong = rows.filter(({ name, value }) => !Object.entries(SESSION_SETTINGS).some(([one, set]) => one === name && set === value));
  if (wrong.length === 0) return ok('session settings', 'as this release sets them');
  const found = wrong.map(({ name, value }) => `${name} = ${value}`).join(', ');
  return fail('session settings', found, 'Name the server itself in DATABASE_URL: a pooler in between does not keep what a session sets.');
}

async function tables(pool: pg.Pool): Promise<Finding> {
  const unknown = await unknownMigrations(pool, LOG_MIGRATIONS);
  if (unknown.length > 0)
    return warn(
      'tables',
      `of a later release than ${VERSION} (${unknown.slice(0, MAX_NAMED).join(', ')})`,
      'Run that release, or restore the backup from before the upgrade.',
    );
  const { rows } = await pool.query<{ there: boolean }>("SELECT to_regclass('savepoint.projection_versions') IS NOT NULL AS there");
  return ok('tables', rows[0]?.there === true ? 'there' : 'not made yet: a node makes them when it starts');
}
