import type pg from 'pg';
import type { Logger } from 'pino';
import { createProcessTable } from '../../projections/processes.ts';
import { type Config, redactUrl } from '../config/config.ts';
import { misspeltSettings } from '../config/misspelt.ts';
import type { HealthDesk, HealthReport, JobSeen } from '../http/console/health.ts';
import type { Probes } from '../http/routes/system.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { cached } from '../kernel/cached.ts';
import type { Log } from '../log/port.ts';
import { DAY_MS } from './processes.ts';
import type { Shutdown } from './shutdown.ts';

/** What the console tells about the whole installation. */

export interface HealthBuild {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly probes: Probes;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

/** Width of a point of the day's plots, ms. */
const STEP_MS = 300_000;
/** A process that has not been seen for so long has ended, or its database does not answer. */
const GONE_MS = 120_000;
const LISTED = 20;
/** People who look at the same time share a look: a report asks the database several times, and its checks open connections. */
const REPORT_MS = 2_000;
const CHECKS_MS = 10_000;

export function createHealthDesk({ config, databaseUrl, pool, log, probes, logger, shutdown }: HealthBuild): HealthDesk {
  const table = createProcessTable(pool);
  const jobs = jobsWhenAsked({ config, databaseUrl, logger, shutdown });

  const report = cached(async (): Promise<HealthReport> => {
    const now = Date.now();
    const [ready, end, processes, pieces, work] = await Promise.all([
      probes.ready(),
      log.end().catch(() => null),
      table.seenSince(now - GONE_MS),
      table.day(now - DAY_MS, STEP_MS),
      jobs().then(workOf),
    ]);
    return {
      status: ready.status,
      behind: 'behind' in ready ? ready.behind : 0,
      log: { engine: config.eventStoreUrl === null ? 'postgres' : 'eventstore', end: end === null ? null : String(end) },
      processes,
      day: { stepMs: STEP_MS, pieces },
      jobs: work,
    };
  }, REPORT_MS);

  const checks = cached(async () => {
    const { examine } = await import('./doctor/examine.ts');
    const findings = await examine(config, misspeltSettings(process.env), logger.child({}, { level: 'silent' }));
    return { at: Date.now(), findings };
  }, CHECKS_MS);

  return {
    report,
    checks,
    async retry(which, person) {
      const retried = await (await jobs()).retry(which);
      logger.info({ person, retried }, 'jobs that failed for good wait again');
      return retried;
    },
  };
}

/** Jobs to be looked at. Loading the library takes a fifth of a second, so only a console that is asked does it. */
function jobsWhenAsked({ config, databaseUrl, logger, shutdown }: Pick<HealthBuild, 'config' | 'databaseUrl' | 'logger' | 'shutdown'>) {
  let opening: Promise<Jobs> | null = null;
  const open = async (): Promise<Jobs> => {
    const { createJobs } = await import('../jobs/jobs.ts');
    return createJobs({ redisUrl: config.redisUrl, databaseUrl, redact: redactUrl, logger, handlers: null });
  };
  shutdown.add(async () => (await opening)?.close());
  return (): Promise<Jobs> => {
    opening ??= open();
    return opening;
  };
}

async function workOf(jobs: Jobs): Promise<HealthReport['jobs']> {
  const { status, store, counts, reason } = await jobs.health();
  if (counts === null) return { status, store, counts, reason, listed: [] };
  const sums: Record<string, number> = {};
  for (const [state, count] of Object.values(counts).flatMap((ofQueue) => Object.entries(ofQueue)))
    sums[state] = (sums[state] ?? 0) + count;
  const listed = await jobs.list({ states: ['failed', 'active'], limit: LISTED });
  return { status, store, counts: sums, reason, listed: listed.map(seenOf) };
}

/** What a job was given and what it found may name players, so neither is shown. */
function seenOf({ id, name, state, attempts, of, progress, error, enqueuedAt, startedAt, finishedAt }: JobSeen): JobSeen {
  return { id, name, state, attempts, of, progress, error, enqueuedAt, startedAt, finishedAt };
}
