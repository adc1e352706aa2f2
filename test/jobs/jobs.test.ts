import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJobHandlers, type JobHandlers } from '../../src/jobs/handlers.ts';
import type { Timing } from '../../src/jobs/jobs.ts';
import { createDatabase, type EmbeddedPostgres, startPostgres } from '../support/embedded.ts';
import { testDatabase } from '../support/postgres.ts';
import { hasRedis, REDIS_PASSWORD, startRedis, type TestRedis } from './redis.ts';
import { gate, jobIn, jobsOn, type TestJobs, type TestStore, until } from './support.ts';

const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';

describe.skipIf(!hasRedis)('jobs on Redis', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.remove());

  const store = async (): Promise<TestStore> => ({ ...redis, name: 'redis', redisUrl: redis.url, databaseUrl: NOWHERE });
  rules(store);
  outages(store);

  it('a Redis that accepts connections but does not answer is refused in time, and nothing is sent later', async () => {
    const jobs = jobsOn({ redisUrl: redis.url, databaseUrl: NOWHERE }, {}, { answerMs: 1500 });
    await jobs.enqueue('verify.run', {});
    redis.freeze();
    await expect(jobs.enqueue('verify.run', {})).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 });
    expect((await jobs.health()).status).toBe('unavailable');
    redis.thaw();
    await until(async () => (await jobs.health()).status === 'ok');
    await jobs.close();
  });

  it('a wrong password is reported without showing the right or the wrong one', async () => {
    const jobs = jobsOn({ redisUrl: redis.url.replace(REDIS_PASSWORD, 'wrong-secret-77'), databaseUrl: NOWHERE });
    const { status, reason } = await jobs.health();
    expect(status).toBe('unavailable');
    expect(reason).toContain('WRONGPASS');
    jobs.start();
    await until(async () => jobs.logged.length > 0);
    expect(`${jobs.logged.join('')}${reason}`).not.toContain('wrong-secret-77');
    await jobs.close();
  });
});

describe('jobs on Postgres', () => {
  rules(async () => ({
    name: 'postgres',
    redisUrl: null,
    databaseUrl: await testDatabase(),
    kill: async () => undefined,
    start: async () => undefined,
  }));

  describe('an outage of the server', () => {
    let server: EmbeddedPostgres;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());
    let made = 0;
    outages(async () => ({
      name: 'postgres',
      redisUrl: null,
      databaseUrl: await createDatabase(server.url, `jobs_${++made}`),
      kill: () => server.crash(),
      start: () => server.start(),
    }));
  });
});

/** Jobs of a test, closed when it ends. */
function opener(makeStore: () => Promise<TestStore>) {
  let open: TestJobs[] = [];
  const place: { store: TestStore | undefined } = { store: undefined };
  beforeEach(async () => {
    place.store = await makeStore();
  });
  afterEach(async () => {
    await Promise.all(open.map((jobs) => jobs.close(0)));
    open = [];
  });
  const store = () => {
    if (place.store === undefined) throw new Error('no store');
    return place.store;
  };
  const jobsWith = (handlers: Partial<JobHandlers> = {}, timing: Partial<Timing> = {}, now: () => number = Date.now) => {
    const jobs = jobsOn(store(), handlers, timing, now);
    open.push(jobs);
    return jobs;
  };
  return { store, jobsWith };
}

function rules(makeStore: () => Promise<TestStore>): void {
  const { jobsWith } = opener(makeStore);

  it('a job runs with its data, shows its progress, and leaves its result', async () => {
    const door = gate();
    const jobs = jobsWith({
      'projection.rebuild': async ({ names }, { progress }) => {
        progress(12.7);
        progress(37.9);
        await door.opened;
        return { built: names };
      },
    });
    jobs.start();
    const id = await jobs.enqueue('projection.rebuild', { names: ['ledger'] });
    const active = await until(async () => (await jobs.list({ states: ['active'] })).find((job) => job.id === id && job.progress === 37));
    expect(active).toMatchObject({ name: 'projection.rebuild', data: { names: ['ledger'] }, finishedAt: null });
    door.open();
    expect(await jobIn(jobs, id, 'completed')).toMatchObject({ result: { built: ['ledger'] }, error: null, attempts: 1 });
  });

  it('a job that fails is retried after a pause, and is a dead letter after its last attempt', async () => {
    let runs = 0;
    const fail = async () => {
      runs += 1;
      throw new Error(`try ${runs} went wrong`);
    };
    const jobs = jobsWith({ 'projection.rebuild': fail });
    jobs.start();
    const id = await jobs.enqueue('projection.rebuild', { names: [] });
    expect(await jobIn(jobs, id, 'failed')).toMatchObject({ error: 'try 4 went wrong', attempts: 4, of: 4 });
    expect(runs).toBe(4);
    await until(async () => jobs.logged.join('').includes('a job is a dead letter'));
  });

  it('between two attempts a job is delayed', async () => {
    const jobs = jobsWith({ 'projection.rebuild': () => Promise.reject(new Error('not yet')) }, { retryMs: 3_600_000 });
    jobs.start();
    const id = await jobs.enqueue('projection.rebuild', { names: [] });
    expect(await jobIn(jobs, id, 'delayed')).toMatchObject({ error: 'not yet', attempts: 1 });
    await until(async () => jobs.logged.join('').includes('will be tried again'));
    expect(jobs.logged.join('')).not.toContain('dead letter');
  });

  it('a permanent failure makes a dead letter at once; a retry gives it all its attempts again', async () => {
    let problems = [{ detail: 'a row is missing' }, { detail: 'another' }];
    const work = {
      rebuild: async () => ({}),
      verify: async () => ({ ok: problems.length === 0, problems, events: 7 }),
      runTests: async () => ({ results: [], total: 0, passed: 0, failed: 0 }),
      retainTelemetry: async () => ({ projects: 0, events: 0, cut: 0 }),
      dropAbandoned: async () => [],
      sweepAccess: async () => [],
      retainLooks: async () => 0,
      watchEconomies: async () => ({ raised: 0 }),
      watchPromotions: async () => ({ promoted: 0, missed: 0 }),
      driveGrant: async () => 0,
    };
    const jobs = jobsWith(createJobHandlers(work));
    jobs.start();
    const id = await jobs.enqueue('verify.run', {});
    expect(await jobIn(jobs, id, 'failed')).toMatchObject({
      attempts: 1,
      error: expect.stringContaining('2 problems, the first: a row is missing'),
    });
    problems = [];
    expect(await jobs.retry({ id })).toEqual([id]);
    expect(await jobIn(jobs, id, 'completed')).toMatchObject({ result: { ok: true, events: 7 }, error: null });
  });

  it('all dead letters can be retried at once; any other job is refused', async () => {
    let broken = true;
    const jobs = jobsWith(
      {
        'projection.rebuild': async () => {
          if (broken) throw new Error('broken');
          return {};
        },
      },
      { retryMs: 1 },
    );
    jobs.start();
    const ids = [await jobs.enqueue('projection.rebuild', { names: ['a'] }), await jobs.enqueue('projection.rebuild', { names: ['b'] })];
    for (const id of ids) await jobIn(jobs, id, 'failed');
    broken = false;
    expect([...(await jobs.retry('all'))].sort()).toEqual([...ids].sort());
    for (const id of ids) await jobIn(jobs, id, 'completed');
    await expect(jobs.retry({ id: ids[0] ?? '' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(jobs.retry({ id: 'long-999999' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(jobs.retry({ id: 'nonsense' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await jobs.retry('all')).toEqual([]);
  });

  it('two workers run each job once', async () => {
    const taken: string[] = [];
    const one = jobsWith({ 'projection.rebuild': async (_, { id }) => ({ by: 'one', at: taken.push(id) }) });
    const two = jobsWith({ 'projection.rebuild': async (_, { id }) => ({ by: 'two', at: taken.push(id) }) });
    one.start();
    two.start();
    const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => one.enqueue('projection.rebuild', { names: [String(n)] })));
    await until(
      async () => (await one.list({ states: ['completed'], limit: 100 })).filter(({ name }) => name === 'projection.rebuild').length === 60,
    );
    expect([...taken].sort()).toEqual([...ids].sort());
  });

  it('closing waits for running jobs and takes no others', async () => {
    const door = gate();
    const jobs = jobsWith({ 'projection.rebuild': () => door.opened.then(() => ({ done: true })) });
    jobs.start();
    const first = await jobs.enqueue('projection.rebuild', { names: ['first'] });
    const second = await jobs.enqueue('projection.rebuild', { names: ['second'] });
    await jobIn(jobs, first, 'active');
    const closed = jobs.close(60_000);
    const later = jobsWith();
    expect(await jobIn(later, first, 'active')).toMatchObject({ finishedAt: null });
    door.open();
    await closed;
    expect(await jobIn(later, first, 'completed')).toMatchObject({ result: { done: true } });
    expect(await jobIn(later, second, 'waiting')).toMatchObject({ attempts: 0 });
  });

  it('a job whose worker has died is taken over', async () => {
    const never = gate();
    const dying = jobsWith({ 'projection.rebuild': () => never.opened.then(() => ({})) }, { lockMs: 500 });
    dying.start();
    const id = await dying.enqueue('projection.rebuild', { names: [] });
    await jobIn(dying, id, 'active');
    await dying.close(0);
    const other = jobsWith({ 'projection.rebuild': async () => ({ by: 'other' }) }, { lockMs: 500 });
    other.start();
    expect(await jobIn(other, id, 'completed')).toMatchObject({ result: { by: 'other' } });
  });

  it('data that does not fit its kind is refused and not stored', async () => {
    const jobs = jobsWith();
    const wrong: unknown = { names: 'ledger' };
    await expect(jobs.enqueue('projection.rebuild', wrong as { names: string[] })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await jobs.health()).counts?.long).toMatchObject({ waiting: 0, active: 0 });
  });

  it('a job enqueued twice under one name is one job while it waits', async () => {
    const jobs = jobsWith();
    const ids = [1, 2, 3].map(() => jobs.enqueue('projection.rebuild', { names: [] }, { unique: 'rebuild' }));
    expect(new Set(await Promise.all(ids)).size).toBe(1);
    expect((await jobs.health()).counts).toMatchObject({ long: { waiting: 1 }, upkeep: { waiting: 0 } });
  });

  it('each scheduled job runs once in its period, however many nodes there are', async () => {
    const ran: string[] = [];
    const note = async (_: unknown, { id }: { readonly id: string }) => ({ at: ran.push(id) });
    let now = 1_000 * 3_600_000;
    const nodes = [1, 2, 3].map(() => jobsWith({ 'tables.cleanup': note, 'jobs.forget': note }, { lookMs: 20 }, () => now));
    for (const node of nodes) node.start();
    await until(async () => nodes.every(({ logged }) => logged.join('').includes('jobs are running')));
    const first = ['upkeep-jobs.forget@166', 'upkeep-tables.cleanup@1000'];
    for (const id of first) await jobIn(nodes[0] ?? jobsWith(), id, 'completed');
    expect([...ran].sort()).toEqual(first);
    now += 3_600_000;
    const next = 'upkeep-tables.cleanup@1001';
    await jobIn(nodes[0] ?? jobsWith(), next, 'completed');
    expect([...ran].sort()).toEqual([...first, next].sort());
  });
}

/** Kills the store and later starts it with what it held. */
function outages(makeStore: () => Promise<TestStore>): void {
  const { store, jobsWith } = opener(makeStore);

  it('during an outage of the store enqueue refuses and health reports it; the workers resume by themselves', async () => {
    const ran: string[] = [];
    const jobs = jobsWith({ 'projection.rebuild': async ({ names }) => ({ at: ran.push(names[0] ?? '') }) });
    jobs.start();
    await jobIn(jobs, await jobs.enqueue('projection.rebuild', { names: ['before'] }), 'completed');
    await store().kill();
    await expect(jobs.enqueue('projection.rebuild', { names: ['during'] })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      status: 503,
    });
    expect(await jobs.health()).toMatchObject({ status: 'unavailable', store: store().name, counts: null });
    await store().start();
    const id = await until(() => jobs.enqueue('projection.rebuild', { names: ['after'] }).catch(() => undefined));
    await jobIn(jobs, id, 'completed');
    expect(ran).toEqual(['before', 'after']);
    const said = jobs.logged.join('');
    expect(said).toContain('the job queue fails');
    expect(said).not.toContain(REDIS_PASSWORD);
  });

  it('jobs that wait when the store dies run when it is back', async () => {
    const jobs = jobsWith();
    const id = await jobs.enqueue('projection.rebuild', { names: ['kept'] });
    await store().kill();
    await store().start();
    const later = jobsWith();
    later.start();
    await jobIn(later, id, 'completed');
  });

  it('a node starts without its store, and its jobs run as soon as the store answers', async () => {
    await store().kill();
    const jobs = jobsWith();
    jobs.start();
    await expect(jobs.enqueue('verify.run', {})).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await store().start();
    const id = await until(() => jobs.enqueue('verify.run', {}).catch(() => undefined));
    await jobIn(jobs, id, 'completed');
  });

  it('closing does not wait for a store that does not answer', async () => {
    const jobs = jobsWith();
    jobs.start();
    await jobIn(jobs, await jobs.enqueue('verify.run', {}), 'completed');
    await store().kill();
    await jobs.close(600_000);
    await store().start();
  });
}
