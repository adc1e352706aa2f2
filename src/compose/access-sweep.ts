import type pg from 'pg';
import type { Logger } from 'pino';
import { nextSweep, sweepableProjects } from '../../projections/access/sweep.ts';
import { createStateReader } from '../../projections/state-reader.ts';
import { createOperator } from '../app/operator.ts';
import type { StateReader } from '../app/readers.ts';
import type { Config } from '../config.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createProjects, SILENT } from './projects.ts';

/** How long a sweep is given to be projected before the next: two at once would be one that takes as long as both. */
const SWEEP_SHOWN_MS = 30_000;

/**
 * Every project that has something expired, step by step, through writers of this run's own: to the nodes that serve the projects it is
 * one more node that wrote. Ends early where nobody projects; what a run leaves over is the next one's.
 */
export async function sweepAccess(pool: pg.Pool, log: Log, config: Config, logger: Logger): Promise<readonly string[]> {
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
