import { pino } from 'pino';
import { expect, test } from 'vitest';
import { checkDatabase } from '../../src/compose/doctor/database.ts';
import { createPool } from '../../src/compose/pool.ts';
import { readConfig } from '../../src/config/config.ts';
import { SESSION_SETTINGS } from '../../src/kernel/database-session.ts';
import { freshPool } from '../projections/support.ts';

test('sessions are what statements rest on, whatever the database sets, and doctor looks at them', async () => {
  const fresh = await freshPool();
  const { connectionString } = fresh.options;
  if (connectionString === undefined) throw new Error('a pool of tests knows its database');
  const { rows: named } = await fresh.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  const others = [
    'extra_float_digits = 0',
    'array_nulls = off',
    "TimeZone = 'Asia/Tokyo'",
    "DateStyle = 'German'",
    'bytea_output = escape',
  ];
  for (const other of others) await fresh.query(`ALTER DATABASE ${named[0]?.name} SET ${other}`);
  const pool = createPool(connectionString, pino({ level: 'silent' }), 2);
  try {
    const settings = async (name: string) =>
      (await pool.query<{ value: string }>('SELECT current_setting($1) AS value', [name])).rows[0]?.value;
    for (const [name, value] of Object.entries(SESSION_SETTINGS)) expect([name, await settings(name)]).toEqual([name, value]);
    const look = async () => (await checkDatabase(readConfig({}), pool)).find(({ what }) => what === 'session settings');
    expect(await look()).toMatchObject({ state: 'ok' });
    const [one, two] = [await pool.connect(), await pool.connect()];
    for (const client of [one, two]) {
      await client.query('SET extra_float_digits = 0');
      client.release();
    }
    expect(await look()).toMatchObject({ state: 'fail', found: 'extra_float_digits = 0' });
  } finally {
    await pool.end();
    await fresh.end();
  }
});
