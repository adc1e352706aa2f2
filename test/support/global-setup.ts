import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { createDatabase, type EmbeddedPostgres, startPostgres } from './embedded.ts';

/**
 * One Postgres for the whole run, shared by all test files. The first that asks starts it, so that a run of pure tests need not. Workers
 * ask over a loopback HTTP port (see `postgres.ts`); every request makes a new database, empty or with the tables of an installation.
 * `TEST_DATABASE_URL` (or `DATABASE_URL`) names a
 * server to use instead, whose account must be allowed to create databases.
 */
export async function setup(): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'] ?? process.env['DATABASE_URL'];
  const run = randomUUID().replaceAll('-', '').slice(0, 12);
  let embedded: Promise<EmbeddedPostgres> | undefined;
  let made = 0;

  const serverUrl = async () => {
    if (given !== undefined) return given;
    embedded ??= startPostgres();
    return (await embedded).url;
  };
  const fresh = async (like?: string) => createDatabase(await serverUrl(), `savepoint_test_${run}_${++made}`, like);
  let migrated: Promise<string> | undefined;
  const withTables = async () => {
    migrated ??= fresh().then(migrateInstallation);
    return fresh(await migrated);
  };

  const desk = createServer(({ url }, response) => {
    const database = url === '/migrated' ? withTables() : fresh();
    database.then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  process.env['SAVEPOINT_TEST_DATABASES'] = `http://127.0.0.1:${address.port}/`;

  return async () => {
    desk.closeAllConnections();
    desk.close();
    await (await embedded)?.stop();
    if (given !== undefined) await dropDatabases(given, run, made);
  };
}

/** Gives the name of the database, which no session uses afterwards, so that it can be copied. */
async function migrateInstallation(url: string): Promise<string> {
  const [{ migrate }, { LOG_MIGRATIONS }] = await Promise.all([
    import('../../projections/migrate.ts'),
    import('../../src/log/postgres/log.ts'),
  ]);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await migrate(pool, LOG_MIGRATIONS);
  await pool.end();
  return new URL(url).pathname.slice(1);
}

async function dropDatabases(url: string, run: string, made: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let n = 1; n <= made; n++) await client.query(`DROP DATABASE IF EXISTS savepoint_test_${run}_${n} WITH (FORCE)`);
  await client.end();
}
