import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasRedis, startRedis, type TestRedis } from '../jobs/redis.ts';
import { jobIn, jobsOn, type TestJobs } from '../jobs/support.ts';
import { eventually, isRunning } from '../node/support/program.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';
import type { Writing } from './support/writers.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** Redis holds the queue of background jobs and nothing else, so requests must not notice whether it is there. */

describe.skipIf(!hasRedis)('a node whose queue is in Redis', () => {
  let redis: TestRedis;
  let place: Place;
  /** The queue as another process sees it, which runs no jobs. */
  let jobs: TestJobs;
  beforeAll(async () => {
    redis = await startRedis();
    // It is not there at the start.
    await redis.kill();
    place = await openPlace({ env: { DATABASE_URL: await migratedDatabase(), REDIS_URL: redis.url } });
    jobs = jobsOn({ redisUrl: redis.url, databaseUrl: '' });
  });
  afterAll(async () => {
    await jobs?.close();
    await place?.close();
    await redis?.remove();
  });

  /** Every write that began while `work` ran must have been answered with 200, and none may have waited. */
  const unnoticed = async (writing: Writing, work: () => Promise<void>) => {
    const before = writing.acknowledged();
    await work();
    await eventually('writes went on meanwhile', async () => writing.acknowledged() > before + 50);
    expect(isRunning(place.node.pid)).toBe(true);
  };

  test('it is not there at the start: requests are served; when it comes, jobs run', async () => {
    await endure({
      name: 'Redis, not there at the start',
      project: place.project,
      rounds: 1,
      refusals: false,
      inject: (writing) => unnoticed(writing, () => redis.start()),
    });
    await jobIn(jobs, await jobs.enqueue('verify.run', {}), 'completed');
  });

  test('it is killed, and comes back: no request waits or fails, and what was enqueued runs', async () => {
    await endure({
      name: 'Redis, kill -9 and back',
      project: place.project,
      refusals: false,
      inject: (writing) =>
        unnoticed(writing, async () => {
          await redis.kill();
          await sleep(500);
          await expect(jobs.enqueue('projection.rebuild', { names: ['ledger'] })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
          await redis.start();
        }),
    });
    const id = await eventually('jobs are taken again', () => jobs.enqueue('projection.rebuild', { names: ['ledger'] }).catch(() => null));
    await jobIn(jobs, id, 'completed');
  });

  test('it hangs: it takes connections and says nothing', async () => {
    await endure({
      name: 'Redis, frozen 1 s',
      project: place.project,
      refusals: false,
      inject: (writing) =>
        unnoticed(writing, async () => {
          redis.freeze();
          await sleep(1_000);
          redis.thaw();
        }),
    });
    expect(await place.verify()).toMatchObject({ code: 0 });
  });
});
