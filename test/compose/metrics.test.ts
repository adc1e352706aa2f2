import type pg from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportJobs, exportProjector } from '../../src/compose/metrics.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { Feed, freshPool, projecting, reached, written } from '../projections/support.ts';
import { testDatabase } from '../support/postgres.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

/** The sample lines of the exposition, as a scraper reads them. */
async function samples(registry: Registry): Promise<readonly string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('a projector reports what it has written, what failed, and which projects are stopped', async () => {
  const registry = new Registry();
  const log = createMemoryLog();
  const [poisoned, newer] = [new Feed(log, 'poisoned'), new Feed(log, 'newer')];
  await pool.query(`ALTER TABLE savepoint.ledger_v1 ADD CONSTRAINT poison CHECK (project <> 'poisoned')`);
  await poisoned.commit(written('p1', {}, 1, { ledger: [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }] }));
  await newer.commit(written('p1', {}));
  await newer.append([newer.seal('document.merged', '{}', 1)]);
  await projecting({ pool, log }, async (projector) => {
    exportProjector(registry, projector);
    await reached(projector, newer, 0);
    await expect
      .poll(() => samples(registry))
      .toEqual([
        'savepoint_projector_events_total 3',
        expect.stringMatching(/^savepoint_projector_batches_total [1-9]/),
        expect.stringMatching(/^savepoint_projector_failures_total ([5-9]|\d\d)$/),
        'savepoint_projector_foreign_total 0',
        'savepoint_projector_stopped_projects 1',
        'savepoint_projector_paused_views 1',
        expect.stringMatching(/^savepoint_projector_view_lag [1-9]/),
        'savepoint_projector_building_boards 0',
      ]);
  });
});

test('jobs are counted by queue and state, and not at all while the store does not answer', async () => {
  const registry = new Registry();
  const silent = { redact: () => 'here', logger: pino({ level: 'silent' }), handlers: null };
  const jobs = createJobs({ redisUrl: null, databaseUrl: await testDatabase(), ...silent });
  exportJobs(registry, jobs);
  await jobs.enqueue('projection.rebuild', { names: [] });
  expect(await samples(registry)).toEqual(
    expect.arrayContaining(['savepoint_jobs{queue="long",state="waiting"} 1', 'savepoint_jobs{queue="upkeep",state="waiting"} 0']),
  );
  await jobs.close();
  expect(await samples(registry)).toEqual([]);
});
