import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { dropAbandoned } from '../../projections/maintenance/abandoned.ts';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { retainTelemetry } from '../../projections/models/telemetry/retain.ts';
import { truncateTelemetry } from '../../projections/models/telemetry/truncate.ts';
import { isProjectionName } from '../../projections/registry.ts';
import type { ProjectTests } from '../app/operator/project-tests.ts';
import { type Config, redactUrl } from '../config/config.ts';
import type { JobWork } from '../jobs/handlers.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { refusal } from '../kernel/errors.ts';
import type { Log } from '../log/port.ts';
import { sweepAccess } from './access-sweep.ts';
import { economyWatch } from './economy-alarms.ts';
import { type DriveGrant, grantDriver, watchGrants } from './grants.ts';
import { retainAllLooks } from './looks.ts';
import { exportJobs } from './metrics.ts';
import { projectTestsPerRun } from './project-tests.ts';
import { promotionWatch } from './promotions.ts';
import type { Shutdown } from './shutdown.ts';

interface JobsBuild {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly log: Log;
  /** The metrics of this process. */
  readonly registry: Registry;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

/** The share of the stopping time that a job may take to end. An unfinished job runs again elsewhere. */
const CLOSE_SHARE = 0.3;

/**
 * Starts background jobs, on Redis or in the database, if the node has the role. Loading the library takes a fifth of a second, so the node
 * serves first. Requests never wait for jobs, and go on without them.
 */
export function startJobs(build: JobsBuild): void {
  const { config, logger, shutdown } = build;
  if (!config.roles.includes('worker')) return;
  const opening = open(build).catch((error: unknown) => {
    logger.error({ err: error }, 'background jobs could not be started; requests go on');
    return null;
  });
  // The node may be stopped while the library still loads.
  shutdown.add(async () => {
    const opened = await opening;
    await opened?.stopWatching();
    await opened?.jobs.close(config.limits.shutdownTimeoutMs * CLOSE_SHARE);
  });
}

async function open({
  config,
  databaseUrl,
  pool,
  log,
  registry,
  logger,
}: JobsBuild): Promise<{ readonly jobs: Jobs; stopWatching(): Promise<void> }> {
  const [{ createJobs }, { createJobHandlers }] = await Promise.all([import('../jobs/jobs.ts'), import('../jobs/handlers.ts')]);
  const parts = {
    tests: projectTestsPerRun(config, pool, log, logger),
    retainLooks: () => retainAllLooks(pool, log, config),
    sweepAccess: () => sweepAccess(pool, log, config, logger),
    watchEconomies: economyWatch({ pool, log, config, logger, registry }),
    watchPromotions: promotionWatch({ pool, log, config, logger }),
    driveGrant: grantDriver({ pool, log, config, logger }),
  };
  const handlers = createJobHandlers(workOn(pool, log, parts));
  const jobs = createJobs({ redisUrl: config.redisUrl, databaseUrl, redact: redactUrl, logger, handlers });
  exportJobs(registry, jobs);
  jobs.start();
  return { jobs, stopWatching: watchGrants({ pool, logger }, jobs) };
}

/** Jobs that open projects. */
interface ProjectWork extends Pick<JobWork, 'retainLooks' | 'sweepAccess' | 'watchEconomies' | 'watchPromotions'> {
  readonly tests: ProjectTests;
  readonly driveGrant: DriveGrant;
}

/** The work of jobs, on this database and log. */
export function workOn(
  pool: pg.Pool,
  log: Log,
  { tests, retainLooks, sweepAccess, watchEconomies, watchPromotions, driveGrant }: ProjectWork,
): JobWork {
  return {
    async rebuild(names, onPercent) {
      const unknown = names.find((name) => !isProjectionName(name));
      if (unknown !== undefined) throw refusal('VALIDATION_FAILED', `There is no projection ${unknown}`);
      const chosen = names.filter(isProjectionName);
      const done = await rebuild(chosen.length === 0 ? 'all' : chosen, { log, pool, onProgress: ({ percent }) => onPercent(percent) });
      return { ...done };
    },
    verify: (onPercent) => verify({ log, pool, onProgress: ({ percent }) => onPercent(percent) }),
    runTests: (projectId, target, onPercent) => tests.run(projectId, target, (done, of) => onPercent((100 * done) / of)),
    dropAbandoned: () => dropAbandoned(pool),
    async retainTelemetry() {
      const now = Date.now();
      // The next run truncates what this run sweeps, because the rows have to go first.
      const cut = await truncateTelemetry({ log, pool, now });
      return { ...(await retainTelemetry({ log, pool, now })), cut };
    },
    retainLooks,
    sweepAccess,
    watchEconomies,
    watchPromotions,
    driveGrant,
  };
}
