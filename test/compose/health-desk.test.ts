import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProcessTable } from '../../projections/processes.ts';
import { probesOf } from '../../src/compose/health.ts';
import { createHealthDesk } from '../../src/compose/health-desk.ts';
import { noteProcess, quantileOf } from '../../src/compose/processes.ts';
import { Shutdown } from '../../src/compose/shutdown.ts';
import { readConfig } from '../../src/config/config.ts';
import type { HealthDesk } from '../../src/http/console/health.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { createLogger } from '../../src/logger.ts';
import { jobIn, jobsOn, until } from '../jobs/support.ts';
import { migratedDatabase } from '../support/postgres.ts';

const logger = createLogger({ level: 'silent' });
const shutdown = new Shutdown(logger);
let databaseUrl: string;
let pool: pg.Pool;
let desk: HealthDesk;

beforeAll(async () => {
  databaseUrl = await migratedDatabase();
  pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  const config = readConfig({ DATABASE_URL: databaseUrl });
  const log = createMemoryLog();
  desk = createHealthDesk({ config, databaseUrl, pool, log, probes: probesOf(pool, null, { behind: 0 }), logger, shutdown });
});
afterAll(async () => {
  await shutdown.run(5_000);
  await pool.end();
});

test('a process notes what it did, without probes and streams, and the report shows it among the others', async () => {
  const { registry, observeRequest } = createMetrics();
  for (const status of [200, 200, 403, 500]) observeRequest('GET /v3/storage/{project}/{collection}/{key}', status, 0.004);
  observeRequest('GET /health', 200, 0.001);
  observeRequest('GET /v3/live/{project}', 200, 3_000);
  const end = noteProcess({ config: readConfig({}), pool, registry, outages: logger });
  const table = createProcessTable(pool);
  await until(async () => (await table.seenSince(0)).length > 0);
  await end();
  const { processes, day, status, jobs } = await desk.report();
  const did = { requests: 4, refused: 1, failed: 1, p99: expect.closeTo(5, 0) };
  expect([status, jobs.status]).toEqual(['ready', 'ok']);
  expect(processes).toEqual([
    expect.objectContaining({ pid: process.pid, roles: 'api,projector,worker', last: expect.objectContaining(did) }),
  ]);
  expect(day.pieces).toEqual([expect.objectContaining(did)]);
});

test('a day is put together of all processes, minute by minute, and what is older goes', async () => {
  const table = createProcessTable(pool);
  const day = 20_000 * 86_400_000;
  const note = (id: string, minute: number, requests: number, busy: number) =>
    table.note({ id, host: 'h', pid: 1, version: 'v', roles: 'api', startedAt: day, seenAt: day }, day / 60_000 + minute, {
      requests,
      refused: 0,
      failed: 0,
      p50: busy * 10,
      p99: null,
      busy,
      memory: 100,
      behind: minute,
    });
  for (const [id, minute, requests, busy] of [
    ['a', 0, 1, 0.1],
    ['b', 0, 2, 0.5],
    ['a', 4, 4, 0.2],
    ['a', 4, 8, 0.3],
    ['a', 5, 16, 0.4],
  ] as const)
    await note(id, minute, requests, busy);
  const read = async () => (await table.day(day, 300_000)).filter(({ at }) => at < day + 3_600_000);
  const all = { refused: 0, failed: 0, p99: null };
  expect(await read()).toEqual([
    { ...all, at: day, requests: 11, p50: expect.closeTo(5), busy: expect.closeTo(0.5), memory: 200, behind: 4 },
    { ...all, at: day + 300_000, requests: 16, p50: expect.closeTo(4), busy: expect.closeTo(0.4), memory: 100, behind: 5 },
  ]);
  await table.sweep(day + 300_000);
  expect((await read()).map(({ requests }) => requests)).toEqual([16]);
  expect((await table.seenSince(0)).map(({ id }) => id)).not.toContain('a');
});

test('a job that failed for good is listed without what it was given, and runs again when it is told to', async () => {
  let isBroken = true;
  const work = async () => {
    if (isBroken) throw new Error('a table is missing');
    return {};
  };
  const jobs = jobsOn({ redisUrl: null, databaseUrl }, { 'projection.rebuild': work }, { retryMs: 1 });
  jobs.start();
  try {
    const id = await jobs.enqueue('projection.rebuild', { names: ['documents'] });
    await jobIn(jobs, id, 'failed');
    const listed = await until(async () => (await desk.report()).jobs.listed.find((job) => job.id === id));
    expect(listed).toMatchObject({ name: 'projection.rebuild', state: 'failed', error: 'a table is missing' });
    expect(JSON.stringify(listed)).not.toContain('documents');
    isBroken = false;
    expect(await desk.retry({ id }, 'per_0')).toEqual([id]);
    await jobIn(jobs, id, 'completed');
    await expect(desk.retry({ id }, 'per_0')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  } finally {
    await jobs.close();
  }
});

test('the checks are those of doctor', async () => {
  const { findings } = await desk.checks();
  expect(findings.map(({ what }) => what)).toEqual(expect.arrayContaining(['node', 'disk', 'database', 'queue']));
});

test('a quantile lies in the bucket that holds it, and beyond the last bound it is that bound', () => {
  const counts = [
    { bound: 0.01, count: 50 },
    { bound: 0.1, count: 99 },
    { bound: Number.POSITIVE_INFINITY, count: 100 },
  ];
  expect([0.25, 0.5, 0.99, 1].map((quantile) => quantileOf(counts, quantile))).toEqual([5, 10, expect.closeTo(100), 100]);
  expect(quantileOf([{ bound: 1, count: 0 }], 0.5)).toBeNull();
  expect(quantileOf([], 0.5)).toBeNull();
});
