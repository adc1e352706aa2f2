import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { dropAbandoned } from '../../projections/abandoned.ts';
import { nextSweep, sweepableProjects } from '../../projections/access/sweep.ts';
import { rebuild } from '../../projections/rebuild.ts';
import { isProjectionName } from '../../projections/registry.ts';
import { createStateReader } from '../../projections/state-reader.ts';
import { verify } from '../../projections/verify.ts';
import { createOperator } from '../app/operator.ts';
import type { StateReader } from '../app/readers.ts';
import { type Config, redactUrl } from '../config.ts';
import type { JobWork } from '../jobs/handlers.ts';
import { refusal } from '../kernel/errors.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { exportJobs } from './metrics.ts';
import { createProjects, SILENT } from './projects.ts';
import type { Stops } from './stops.ts';

interface JobsBuild {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly log: Log;
  /** What this process measures. */
  readonly registry: Registry;
  readonly logger: Logger;
  readonly stops: Stops;
}

/** Share of the stop's time that a job may take to end; an unfinished one runs again elsewhere. */
const CLOSE_SHARE = 0.3;

/**
 * Background work, where the node has the role: on Redis, or in the database. The library takes a fifth of a second to load, so it comes
 * after the node serves; requests never wait for it, and go on without it.
 */
export function startJobs(build: JobsBuild): void {
  if (!build.config.roles.includes('worker')) return;
  open(build).catch((error: unknown) => build.logger.error({ err: error }, 'background jobs could not be started; requests go on'));
}

async function open({ config, databaseUrl, pool, log, registry, logger, stops }: JobsBuild): Promise<void> {
  const [{ createJobs }, { createJobHandlers }] = await Promise.all([import('../jobs/jobs.ts'), import('../jobs/handlers.ts')]);
  const handlers = createJobHandlers(workOn(pool, log, config, logger));
  const jobs = createJobs({ redisUrl: config.redisUrl, databaseUrl, redact: redactUrl, logger, handlers });
  stops.add(() => jobs.close(config.limits.shutdownTimeoutMs * CLOSE_SHARE));
  exportJobs(registry, jobs);
  jobs.start();
}

/** What jobs do, on this database and log. */
export function workOn(pool: pg.Pool, log: Log, config: Config, logger: Logger): JobWork {
  return {
    async rebuild(names, onPercent) {
      const unknown = names.find((name) => !isProjectionName(name));
      if (unknown !== undefined) throw refusal('VALIDATION_FAILED', `There is no projection ${unknown}`);
      const chosen = names.filter(isProjectionName);
      const done = await rebuild(chosen.length === 0 ? 'all' : chosen, { log, pool, onProgress: ({ percent }) => onPercent(percent) });
      return { ...done };
    },
    verify: (onPercent) => verify({ log, pool, onProgress: ({ percent }) => onPercent(percent) }),
    dropAbandoned: () => dropAbandoned(pool),
    sweepAccess: () => sweepAccess(pool, log, config, logger),
  };
}

/** How long a sweep is given to be projected before the next: two at once would be one that takes as long as both. */
const SWEEP_SHOWN_MS = 30_000;

/**
 * Every project that has something expired, step by step, through writers of this run's own: to the nodes that serve the projects it is
 * one more node that wrote. Ends early where nobody projects; what a run leaves over is the next one's.
 */
async function sweepAccess(pool: pg.Pool, log: Log, config: Config, logger: Logger): Promise<readonly string[]> {
  const reader = createStateReader(pool);
  const projects = createProjects(config, log, reader, logger, SILENT);
  const operator = createOperator(projects, config.keyPrefix);
  const now = realScheduler.now();
  const swept = new Set<string>();
  try {
    for (const projectId of await sweepableProjects(pool, now)) {
      for (let before = await nextSweep(pool, projectId, now); before !== null; before = await nextSweep(pool, projectId, now)) {
        const { revision } = await operator.sweepAccess(projectId, before);
        swept.add(projectId);
        if (!(await isShown(reader, projectId, revision))) return [...swept];
      }
    }
    return [...swept];
  } finally {
    await projects.close();
  }
}

async function isShown(reader: StateReader, projectId: string, revision: number): Promise<boolean> {
  const until = realScheduler.monotonic() + SWEEP_SHOWN_MS;
  while (realScheduler.monotonic() < until) {
    if (((await reader.checkpoint(projectId))?.revision ?? -1) >= revision) return true;
    await realScheduler.sleep(50);
  }
  return false;
}
