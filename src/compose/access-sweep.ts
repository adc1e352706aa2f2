import type pg from 'pg';
import type { Logger } from 'pino';
import { nextSweep, sweepableProjects } from '../../projections/models/access/sweep.ts';
import { nextAnswers, projectsWithAnswers } from '../../projections/models/idempotency/sweep.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createOperator } from '../app/operator/operator.ts';
import type { StateReader } from '../app/ports/state-reader.ts';
import type { Config } from '../config/config.ts';
import { errorMessage } from '../kernel/error-reporting.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createProjects, NO_OBSERVER } from './projects.ts';

/** How long to wait until a sweep is projected before the next one starts, ms. Two at once would take as long as one after the other. */
const PROJECTION_TIMEOUT_MS = 30_000;

/** After this many failures in a row the cause is not a project: the log does not answer, or no node projects. */
const MAX_FAILURES = 3;

/**
 * How long expired entries stay, ms. A command that was decided just before may still be on its way to the log, and a node whose clock is
 * slow would accept an expired session or request id.
 */
const GRACE_MS = 10 * 60_000;

/** One kind of entries that expire. */
interface Expiring {
  projects(pool: pg.Pool, now: number): Promise<readonly string[]>;
  next(pool: pg.Pool, projectId: string, now: number): Promise<number | null>;
  readonly sweep: 'sweepAccess' | 'sweepAnswers';
}

const EXPIRING: readonly Expiring[] = [
  { projects: sweepableProjects, next: nextSweep, sweep: 'sweepAccess' },
  { projects: projectsWithAnswers, next: nextAnswers, sweep: 'sweepAnswers' },
];

/**
 * Sweeps every project with expired entries, step by step, through writers of its own: for the nodes that serve the projects it is another
 * node that writes. A project that fails is skipped, and the job fails once the others are done. The next run sweeps the rest.
 */
export async function sweepAccess(pool: pg.Pool, log: Log, config: Config, logger: Logger): Promise<readonly string[]> {
  const reader = createStateReader(pool);
  const projects = createProjects(config, log, reader, logger, NO_OBSERVER);
  const operator = createOperator(projects, config.keyPrefix);
  const settled = realScheduler.now() - GRACE_MS;
  const swept = new Set<string>();
  const failed: string[] = [];

  async function sweep(projectId: string, kind: Expiring): Promise<'done' | 'failed'> {
    for (let before = await kind.next(pool, projectId, settled); before !== null; before = await kind.next(pool, projectId, settled)) {
      const { revision } = await operator[kind.sweep](projectId, before);
      swept.add(projectId);
      if (!(await isShown(reader, projectId, revision))) return 'failed';
    }
    return 'done';
  }

  function failing(projectId: string, error: unknown): 'failed' {
    failed.push(`${projectId}: ${errorMessage(error)}`);
    return 'failed';
  }

  try {
    let failures = 0;
    for (const kind of EXPIRING) {
      for (const projectId of await kind.projects(pool, settled)) {
        if (failures === MAX_FAILURES) break;
        const ended = await sweep(projectId, kind).catch((error: unknown) => failing(projectId, error));
        failures = ended === 'done' ? 0 : failures + 1;
      }
    }
  } finally {
    await projects.close();
  }
  if (failed.length > 0) throw new Error(`could not sweep ${failed.join('; ')}`);
  return [...swept];
}

async function isShown(reader: StateReader, projectId: string, revision: number): Promise<boolean> {
  const until = realScheduler.monotonic() + PROJECTION_TIMEOUT_MS;
  while (realScheduler.monotonic() < until) {
    if (((await reader.checkpoint(projectId))?.revision ?? -1) >= revision) return true;
    await realScheduler.sleep(50);
  }
  return false;
}
