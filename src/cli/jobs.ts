import { Command } from 'commander';
import { isProjectionName, REBUILDABLE } from '../../projections/registry.ts';
import { redactUrl } from '../config/config.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { isJobName, JOB_KINDS, JOB_NAMES, type JobName } from '../jobs/kinds.ts';
import type { JobView } from '../jobs/view.ts';
import { type CommonOptions, command, configOf, printResult, table, withInstallation } from './context.ts';
import { withLimit } from './limit-option.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint jobs`: background jobs, and those that failed for good. It may run beside a node, and runs no job itself. */
export function jobsCommand(): Command {
  return new Command('jobs')
    .description('list, retry and enqueue background jobs')
    .addCommand(list())
    .addCommand(retry())
    .addCommand(add());
}

interface ListOptions extends CommonOptions {
  readonly failed?: boolean;
  readonly limit: number;
}

function list(): Command {
  const made = command(
    'list',
    'list the jobs: at work, waiting, delayed, failed for good, done',
    'savepoint jobs list',
    'savepoint jobs list --failed',
  );
  return withLimit(made, 'most jobs of each queue and state', { to: 9999, preset: 50 })
    .option('--failed', 'only dead letters: what failed for good')
    .action(async (options: ListOptions) => {
      const { limit } = options;
      const jobs = await withJobs(options, (open) => open.list({ limit, ...(options.failed ? { states: ['failed'] } : {}) }));
      printResult(options, jobs, () => (jobs.length === 0 ? `No ${options.failed ? 'dead letters' : 'jobs'}.` : listing(jobs)));
    });
}

function listing(jobs: readonly JobView[]): string {
  const rows = jobs.map((job) => [job.id, job.name, stateOf(job), `${job.attempts}/${job.of}`, job.enqueuedAt, job.error ?? '']);
  return table(['ID', 'JOB', 'STATE', 'TRIES', 'ENQUEUED', 'LAST ERROR'], rows);
}

function stateOf({ state, progress }: JobView): string {
  return state === 'active' && progress !== null ? `active ${progress} %` : state;
}

function retry(): Command {
  return command('retry', 'let a dead letter run again, with all its tries', 'savepoint jobs retry --all')
    .argument('[id]', 'as `savepoint jobs list --failed` shows it')
    .option('--all', 'every dead letter')
    .action(async (id: string | undefined, options: CommonOptions & { readonly all?: boolean }) => {
      if ((id === undefined) !== (options.all === true)) throw new WrongUsage('Give the ID of one job, or --all');
      const retried = await withJobs(options, (open) => open.retry(id === undefined ? 'all' : { id }));
      printResult(options, { retried }, () => (retried.length === 0 ? 'No dead letters.' : `Waiting again: ${retried.join(', ')}`));
    });
}

function add(): Command {
  return command(
    'add',
    'enqueue a job for a running node',
    'savepoint jobs add projection.rebuild leaderboards',
    'savepoint jobs add tests.run p1 next',
  )
    .argument('<job>', JOB_NAMES.map((name) => `${name}: ${JOB_KINDS[name].about}`).join('; '))
    .argument(
      '[names...]',
      'for projection.rebuild: which read models; for tests.run: the project, and live or next; for grants.run: the project and the grant',
    )
    .action(async (name: string, names: readonly string[], options: CommonOptions) => {
      if (!isJobName(name)) throw new WrongUsage(`There is no job ${name}; there are ${JOB_NAMES.join(', ')}`);
      const id = await withJobs(options, (open) => enqueue(open, name, names));
      printResult(options, { id }, () => `Enqueued as ${id}; \`savepoint jobs list\` shows how it goes.`);
    });
}

function enqueue(jobs: Jobs, name: JobName, names: readonly string[]): Promise<string> {
  if (name === 'projection.rebuild') {
    const unknown = names.find((one) => !isProjectionName(one));
    if (unknown !== undefined) throw new WrongUsage(`There is no projection ${unknown}; there are ${REBUILDABLE.join(', ')}`);
    return jobs.enqueue(name, { names });
  }
  if (name === 'tests.run') {
    const [projectId, target = 'live', ...more] = names;
    if (projectId === undefined || more.length > 0 || (target !== 'live' && target !== 'next')) {
      throw new WrongUsage('tests.run takes a project, and live or next');
    }
    return jobs.enqueue(name, { projectId, target }, { unique: `${name} ${projectId} ${target}` });
  }
  if (name === 'grants.run') {
    const [projectId, grant, ...more] = names;
    if (projectId === undefined || grant === undefined || more.length > 0) throw new WrongUsage('grants.run takes a project and a grant');
    return jobs.enqueue(name, { projectId, grant }, { unique: `${name} ${projectId} ${grant}` });
  }
  if (names.length > 0) throw new WrongUsage(`${name} takes no names`);
  return jobs.enqueue(name, {}, { unique: name });
}

/** With Redis the database is not opened, so that dead letters can be seen during its outage. */
async function withJobs<T>(options: CommonOptions, work: (jobs: Jobs) => Promise<T>): Promise<T> {
  const { redisUrl } = configOf(options);
  if (redisUrl !== null) return using(redisUrl, '', work);
  return withInstallation(options, ({ databaseUrl }) => using(null, databaseUrl, work));
}

async function using<T>(redisUrl: string | null, databaseUrl: string, work: (jobs: Jobs) => Promise<T>): Promise<T> {
  // Loading the library takes a fifth of a second, so only this command does it.
  const [{ createJobs }, { createLogger }] = await Promise.all([import('../jobs/jobs.ts'), import('../logger.ts')]);
  const jobs = createJobs({ redisUrl, databaseUrl, redact: redactUrl, logger: createLogger({ level: 'error' }), handlers: null });
  try {
    return await work(jobs);
  } finally {
    await jobs.close();
  }
}
