import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropAbandoned } from '../../projections/maintenance/abandoned.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { schemaOf } from '../../projections/tables.ts';
import { ADVISORY_LOCKS } from '../../src/kernel/advisory-locks.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { Feed, fillAll, freshPool, projecting, reached, rowsOf } from './support.ts';

let pool: pg.Pool;
beforeEach(async () => {
  pool = await freshPool();
});
afterEach(() => pool.end());

test('tables of killed rebuilds and verifications are dropped; tables that are read or being filled stay', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'kept');
  await fillAll(feed);
  await projecting({ pool, log }, (projector) => reached(projector, feed));
  await pool.query(schemaOf('ledger', 0));
  await pool.query(schemaOf('leaderboards', 7));
  await pool.query(schemaOf('records', 2));
  await pool.query(`UPDATE savepoint.projection_versions SET building = 2 WHERE name = 'records'`);
  await pool.query(
    `INSERT INTO savepoint.checkpoints (projection, version, project, revision, hash) VALUES ('leaderboards', 7, 'kept', 3, '')`,
  );
  await pool.query('CREATE TABLE savepoint.somebodys_v7 ()');

  const dropped = [
    'leaderboard_buckets_v7',
    'leaderboard_counts_v7',
    'leaderboard_fills_v7',
    'leaderboard_queries_v7',
    'leaderboards_v7',
    'ledger_totals_v0',
    'ledger_v0',
  ];
  expect(await dropAbandoned(pool)).toEqual(dropped.map((name) => `savepoint.${name}`));
  expect(await rowsOf(pool, `SELECT 1 FROM savepoint.checkpoints WHERE version = 7`)).toEqual([]);
  expect(await rowsOf(pool, `SELECT tablename FROM pg_tables WHERE tablename IN ('records_v2', 'somebodys_v7') ORDER BY 1`)).toHaveLength(
    2,
  );
  expect(await verify({ log, pool })).toMatchObject({ ok: true, problems: [] });
  expect(await dropAbandoned(pool)).toEqual([]);
});

test('nothing is dropped while a rebuild runs', async () => {
  await pool.query(schemaOf('ledger', 0));
  const rebuilding = await pool.connect();
  await rebuilding.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.rebuild]);
  expect(await dropAbandoned(pool)).toEqual([]);
  await rebuilding.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.rebuild]);
  rebuilding.release();
  expect(await dropAbandoned(pool)).toEqual(['savepoint.ledger_totals_v0', 'savepoint.ledger_v0']);
});
