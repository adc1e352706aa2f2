import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { jobsCommand } from '../../src/cli/jobs.ts';
import { migrateCommand } from '../../src/cli/migrate.ts';
import { WrongUsage } from '../../src/cli/wrong-usage.ts';
import { testDatabase } from '../support/postgres.ts';
import { jobIn, jobsOn, type TestJobs } from './support.ts';

let jobs: TestJobs;
let broken: boolean;

beforeEach(async () => {
  const databaseUrl = await testDatabase();
  vi.stubEnv('DATABASE_URL', databaseUrl);
  vi.stubEnv('REDIS_URL', '');
  await printed(() => migrateCommand().parseAsync([], { from: 'user' }));
  broken = true;
  const rebuild = async () => {
    if (broken) throw new Error('the log is away');
    return { events: 3 };
  };
  jobs = jobsOn(
    { redisUrl: null, databaseUrl },
    { 'projection.rebuild': rebuild, 'verify.run': async () => ({ ok: true }) },
    { retryMs: 1 },
  );
});

afterEach(async () => {
  await jobs.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What a command prints. */
async function printed(run: () => Promise<unknown>): Promise<string> {
  let text = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    text += String(part);
    return true;
  });
  try {
    await run();
  } finally {
    out.mockRestore();
  }
  return text;
}

function savepointJobs(...words: readonly string[]): Promise<string> {
  const command = jobsCommand();
  // As in the whole program: what is wrong is thrown, and does not end the process.
  for (const each of command.commands) each.exitOverride();
  return printed(() => command.parseAsync(words, { from: 'user' }));
}

it('dead letters are listed for people and machines, and run again when retried', async () => {
  expect(await savepointJobs('list', '--failed')).toBe('No dead letters.\n');
  const id = await jobs.enqueue('projection.rebuild', { names: ['ledger'] });
  jobs.start();
  await jobIn(jobs, id, 'failed');
  expect(await savepointJobs('list', '--failed')).toMatch(new RegExp(`^${id} +projection.rebuild +failed +4/4 .* the log is away$`, 'm'));
  const listed = JSON.parse(await savepointJobs('list', '--failed', '--json'));
  expect(listed).toMatchObject([{ id, data: { names: ['ledger'] }, error: 'the log is away', state: 'failed' }]);
  broken = false;
  expect(JSON.parse(await savepointJobs('retry', id, '--json'))).toEqual({ retried: [id] });
  expect(await jobIn(jobs, id, 'completed')).toMatchObject({ result: { events: 3 } });
  expect(await savepointJobs('retry', '--all')).toBe('No dead letters.\n');
});

it('a job can be enqueued for a node; a second time adds none while it waits', async () => {
  const { id } = JSON.parse(await savepointJobs('add', 'verify.run', '--json'));
  expect(await savepointJobs('add', 'verify.run')).toContain(`Enqueued as ${id};`);
  await savepointJobs('add', 'projection.rebuild', 'ledger');
  expect(await savepointJobs('list')).toMatch(/projection.rebuild +waiting +0\/4/);
  jobs.start();
  expect(await jobIn(jobs, id, 'completed')).toMatchObject({ result: { ok: true } });
});

it('invalid arguments are refused', async () => {
  await expect(savepointJobs('retry')).rejects.toBeInstanceOf(WrongUsage);
  await expect(savepointJobs('retry', 'long-1', '--all')).rejects.toBeInstanceOf(WrongUsage);
  await expect(savepointJobs('retry', 'long-77')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(savepointJobs('add', 'verify.walk')).rejects.toBeInstanceOf(WrongUsage);
  await expect(savepointJobs('add', 'projection.rebuild', 'ledgers')).rejects.toBeInstanceOf(WrongUsage);
  await expect(savepointJobs('list', '--limit', 'many')).rejects.toMatchObject({ code: 'commander.invalidArgument' });
});
