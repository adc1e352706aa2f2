import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { createPool } from '../../src/compose/pool.ts';
import { createReadBulkhead, withinTimeout } from '../../src/compose/read-bulkhead.ts';
import { AUTHORITY } from '../../src/domain/subjects.ts';
import { realScheduler } from '../../src/kernel/scheduler.ts';
import { freshPool } from '../projections/support.ts';

let fresh: pg.Pool;
let pool: pg.Pool;
let blocker: pg.Client;
beforeAll(async () => {
  fresh = await freshPool();
  const { connectionString } = fresh.options;
  if (connectionString === undefined) throw new Error('a pool of tests knows its database');
  pool = createPool(connectionString, pino({ level: 'silent' }), 6);
  blocker = new pg.Client({ connectionString });
  await blocker.connect();
});
afterAll(async () => {
  await blocker.end();
  await pool.end();
  await fresh.end();
});

test('a project whose reads are slow leaves connections to the others', async () => {
  const [reads, loads] = [createReadBulkhead(6, realScheduler), createReadBulkhead(6, realScheduler)];
  const views = createViewReader(pool, null, { run: withinTimeout(reads, realScheduler, 10_000) });
  const states = createStateReader(pool, loads.run);
  const filter = { space: 'live', collection: 'saves', platformId: 'p1' } as const;
  const ledger = (projectId: string) => views.ledger(projectId, filter, { limit: 1, after: null });
  // Every ledger waits for this lock while it is held.
  await blocker.query('BEGIN; LOCK TABLE savepoint.ledger_v1 IN ACCESS EXCLUSIVE MODE');
  const slow = Array.from({ length: 50 }, () => ledger('slow'));
  const settled = Promise.allSettled(slow);
  // If all six connections were taken, this would wait for the lock, too.
  expect(await states.load('quiet', [AUTHORITY])).toMatchObject({ states: [null] });
  expect(await views.publishes('quiet', { before: 1, limit: 1 })).toMatchObject({ publishes: [] });
  expect(await states.load('slow', [AUTHORITY])).toMatchObject({ states: [null] });
  expect(reads.inUse).toBe(2);
  // By now the others have waited in vain for their turn.
  expect(await Promise.race(slow.slice(2)).catch((error: unknown) => error)).toMatchObject({ code: 'BUSY', status: 503 });
  await blocker.query('COMMIT');
  await settled;
  expect(await ledger('slow')).toMatchObject({ entries: [] });
  expect(reads.inUse).toBe(0);
});

test('a request waits for a read of a view no longer than its timeout, even while the connection is still busy', async () => {
  const reads = createReadBulkhead(6, realScheduler);
  const views = createViewReader(pool, null, { run: withinTimeout(reads, realScheduler, 100) });
  const filter = { space: 'live', collection: 'saves', platformId: 'p1' } as const;
  const ledger = () => views.ledger('slow', filter, { limit: 1, after: null });
  await blocker.query('BEGIN; LOCK TABLE savepoint.ledger_v1 IN ACCESS EXCLUSIVE MODE');
  await expect(ledger()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 });
  expect(reads.inUse).toBe(1);
  await blocker.query('COMMIT');
  await expect.poll(() => reads.inUse).toBe(0);
});
