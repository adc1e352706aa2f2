import pg from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { verify } from '../../projections/maintenance/verify.ts';
import { migrate } from '../../projections/migrate.ts';
import { createProjector, type Projector } from '../../projections/projector/projector.ts';
import { REBUILDABLE } from '../../projections/registry.ts';
import { schemaOf } from '../../projections/tables.ts';
import type { ProjectTests } from '../../src/app/operator/project-tests.ts';
import { sweepAccess } from '../../src/compose/access-sweep.ts';
import { workOn } from '../../src/compose/jobs.ts';
import { readConfig } from '../../src/config/config.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { forgottenAfter } from '../../src/domain/security/request-id.ts';
import { createJobHandlers } from '../../src/jobs/handlers.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log } from '../../src/log/port.ts';
import { createLogger } from '../../src/logger.ts';
import { Feed, fillAll, reached } from '../projections/support.ts';
import { testDatabase } from '../support/postgres.ts';
import { jobIn, jobsOn, type TestJobs } from './support.ts';

/** The real work, wired as in a node, on one Postgres for read models and jobs. */
const NO_TESTS: ProjectTests = { run: async () => ({ results: [], total: 0, passed: 0, failed: 0 }) };
let pool: pg.Pool;
let log: Log;
let jobs: TestJobs;
let projector: Projector;

beforeEach(async () => {
  const databaseUrl = await testDatabase();
  pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
  await migrate(pool);
  log = createMemoryLog();
  const feed = new Feed(log, 'busy');
  await fillAll(feed);
  // As in a node: the sweep that is due at the start is an event, too.
  projector = createProjector({ pool, log, logger: createLogger({ level: 'silent' }) });
  await projector.start();
  await reached(projector, feed);
  const sweep = () => sweepAccess(pool, log, readConfig({}), createLogger({ level: 'silent' }));
  const handlers = createJobHandlers(
    workOn(pool, log, {
      tests: NO_TESTS,
      retainLooks: async () => 0,
      sweepAccess: sweep,
      watchEconomies: async () => ({ raised: 0 }),
      watchPromotions: async () => ({ promoted: 0, missed: 0 }),
      driveGrant: async () => 0,
    }),
  );
  jobs = jobsOn({ redisUrl: null, databaseUrl }, handlers);
  jobs.start();
});

afterEach(async () => {
  await jobs.close();
  await projector.stop();
  await pool.end();
});

it('a rebuild as a job builds the named read models, and verify finds every row right afterwards', async () => {
  const some = await jobs.enqueue('projection.rebuild', { names: ['ledger', 'subjects'] });
  expect(await jobIn(jobs, some, 'completed')).toMatchObject({ progress: 100, result: { names: ['subjects', 'ledger'] } });
  const all = await jobs.enqueue('projection.rebuild', { names: [] });
  expect(await jobIn(jobs, all, 'completed')).toMatchObject({ result: { names: REBUILDABLE } });
  expect(await jobIn(jobs, await jobs.enqueue('verify.run', {}), 'completed')).toMatchObject({ result: { ok: true } });
});

it('a rebuild of an unknown read model fails at once', async () => {
  const id = await jobs.enqueue('projection.rebuild', { names: ['nonsense'] });
  expect(await jobIn(jobs, id, 'failed')).toMatchObject({ attempts: 1, error: 'There is no projection nonsense' });
});

it('a row that does not follow from the log makes verify.run a dead letter', async () => {
  await pool.query(`DELETE FROM savepoint.ledger_v1 WHERE ctid = (SELECT ctid FROM savepoint.ledger_v1 LIMIT 1)`);
  const id = await jobs.enqueue('verify.run', {});
  expect((await jobIn(jobs, id, 'failed')).error).toContain('1 problems, the first:');
});

/** A job may be verifying, and only one verification may run at a time. */
const verifiedOnce = () => vi.waitFor(() => verify({ log, pool }), { timeout: 60_000, interval: 200 });

it('upkeep removes abandoned tables and old telemetry, and verify stays green', async () => {
  await pool.query(schemaOf('ledger', 9));
  const cleanup = await jobs.enqueue('tables.cleanup', {});
  const forgetting = await jobs.enqueue('jobs.forget', {});
  await jobIn(jobs, cleanup, 'completed');
  expect(await jobIn(jobs, forgetting, 'completed')).toMatchObject({ result: { removed: 0 } });
  const { rows } = await pool.query(`SELECT 1 FROM pg_tables WHERE tablename = 'ledger_v9'`);
  expect(rows).toEqual([]);
  expect(await verifiedOnce()).toMatchObject({ ok: true });
});

it('expired sessions and request ids are swept by an event of their project, and verify stays green', async () => {
  const rows = async () => {
    const { rows } = await pool.query<{ what: string }>(
      `SELECT 's ' || family AS what FROM savepoint.sessions WHERE project = 'played' UNION ALL SELECT 'r ' || request FROM savepoint.used_requests WHERE project = 'played' ORDER BY 1`,
    );
    return rows.map(({ what }) => what);
  };
  const feed = new Feed(log, 'played');
  const session = (sessionId: string, expiresAt: number): DomainEvent => {
    return { type: 'session.created', data: { sessionId, player: 'p', hash: 'h', expiresAt } };
  };
  const request = (requestId: string): DomainEvent => {
    return { type: 'request.consumed', data: { identityType: 'platform', identity: 'p', requestId, until: forgottenAfter(requestId) } };
  };
  const young = `${Math.floor(Date.now() / 1000)}_abcdef`;
  await feed.commit(
    { type: 'project.created', data: { projectId: 'played', name: 'played' } },
    ...[
      session('old', 5_000),
      session('just expired', Date.now()),
      session('young', Date.now() + 3_600_000),
      request('1760000000_abcdef'),
      request(young),
    ],
  );
  await reached(projector, feed);
  const id = await jobs.enqueue('access.sweep', {});
  // What was swept is checked in the rows, because the run that is due at the start may have come first.
  await jobIn(jobs, id, 'completed');
  expect(await rows()).toEqual([`r ${young}`, 's just expired', 's young']);
  const again = await jobs.enqueue('access.sweep', {});
  expect(await jobIn(jobs, again, 'completed')).toMatchObject({ result: { swept: [] } });
  const [last] = await log.read('project-played', { limit: 1, direction: 'backwards' });
  expect(last?.type).toBe('access.swept');
  expect(await verify({ log, pool })).toMatchObject({ ok: true, behind: 0 });
});

it('a project that cannot be swept stops no other, and the failed job names it', async () => {
  const [stuck, well] = ['a-stuck', 'well'].map((name) => new Feed(log, name));
  if (!stuck || !well) throw new Error('unreachable');
  for (const feed of [stuck, well]) {
    const session = { sessionId: 'old', player: 'p', hash: 'h', expiresAt: Date.now() - 3_600_000 };
    const { projectId } = feed;
    await feed.commit({ type: 'project.created', data: { projectId, name: projectId } }, { type: 'session.created', data: session });
  }
  for (const feed of [stuck, well]) await reached(projector, feed);
  await stuck.append([stuck.seal('of.another.release', '{}', 1)]);
  const id = await jobs.enqueue('access.sweep', {});
  const { error } = await jobIn(jobs, id, 'failed');
  expect(error).toMatch(/^could not sweep a-stuck: .*of\.another\.release/);
  const [last] = await log.read('project-well', { limit: 1, direction: 'backwards' });
  expect(last?.type).toBe('access.swept');
});
