import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabase } from './postgres.ts';

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
