import pg from 'pg';
import { expect, test } from 'vitest';
import { migratedDatabase, testDatabase } from './postgres.ts';

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
}

test('every test database is fresh and holds UTF-8', async () => {
  const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
  await ask(one, 'CREATE TABLE mark ()');
  expect(await ask(other, `SELECT to_regclass('mark') AS mark, current_setting('server_encoding') AS encoding`)).toEqual({
    mark: null,
    encoding: 'UTF8',
  });
});

test('every migrated database is one of its own, too, with empty tables', async () => {
  const [one, other] = await Promise.all([migratedDatabase(), migratedDatabase()]);
  await ask(one, `INSERT INTO savepoint.migrations (name) VALUES ('mark')`);
  expect(await ask(other, `SELECT count(*)::int AS marks FROM savepoint.migrations WHERE name = 'mark'`)).toEqual({ marks: 0 });
  expect(await ask(other, 'SELECT count(*)::int AS events FROM savepoint.log_events')).toEqual({ events: 0 });
});
