import type pg from 'pg';
import type { Logger } from 'pino';
import { unfinishedGrants } from '../../projections/models/corrections/read.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { driveGrant } from '../app/correction/drive-grant.ts';
import { openProject } from '../app/operator/open-project.ts';
import { createPast } from '../app/past/past.ts';
import type { Config } from '../config/config.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import { pause } from '../kernel/pause.ts';
import { RoundRobin } from '../kernel/round-robin.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createProjects, NO_OBSERVER, watchCheckpoints } from './projects.ts';

export type DriveGrant = (projectId: string, grant: string, onPercent: (percent: number) => void) => Promise<number>;

interface Parts {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly config: Config;
  readonly logger: Logger;
}

/** Drives grants through writers of its own: for the nodes that serve the project it is another node that writes. */
export function grantDriver({ pool, log, config, logger }: Parts): DriveGrant {
  return async (projectId, grant, onPercent) => {
    const reader = createStateReader(pool);
    const projects = createProjects(config, log, reader, logger, NO_OBSERVER);
    const stopWatching = watchCheckpoints(projects, reader, logger);
    const views = createViewReader(pool, null);
    const { documentBytes, commandTimeoutMs: commandMs } = config.limits;
    const scheduler = realScheduler;
    const past = createPast({ views, scheduler, roundRobin: new RoundRobin(scheduler), limits: { commandMs } });
    try {
      const project = await openProject(projects, projectId);
      return await driveGrant({ views, past, scheduler, documentBytes }, project, grant, onPercent);
    } finally {
      await stopWatching();
      await projects.close();
    }
  };
}

const LOOK_MS = 1_000;
/** Grants that are looked for at once; others come when these are through. A grant that moved to another phase gets another job. */
const MOST = 100;
/** A grant whose job became a dead letter gets another one after this time. */
const AGAIN_AFTER_MS = 5 * 60_000;
const LOGGED_EVERY_MS = 60_000;

/**
 * Makes a job for every grant that has to go on. What a grant needs is said by its events, so a lost queue loses nothing. The first look of
 * a process makes jobs whatever the queue holds: the one that is there may be that of a process which was killed, and is taken over late.
 * Returns a function that stops it.
 */
export function watchGrants({ pool, logger }: Pick<Parts, 'pool' | 'logger'>, jobs: Pick<Jobs, 'enqueue'>): () => Promise<void> {
  const stopping = new AbortController();
  const report = throttled((reason: string) => logger.warn({ reason }, 'grants cannot be looked for; looking again'), LOGGED_EVERY_MS);
  const enqueued = new Map<string, number>();
  let isFirst = true;

  const look = async () => {
    const found = await unfinishedGrants(pool, MOST);
    const due = found.map((work) => ({ ...work, name: `${work.project} ${work.grant} ${work.revision}` }));
    const names = new Set(due.map(({ name }) => name));
    for (const name of enqueued.keys()) if (!names.has(name)) enqueued.delete(name);
    for (const { project, grant, name } of due) {
      const at = enqueued.get(name);
      if (at !== undefined && performance.now() - at <= AGAIN_AFTER_MS) continue;
      await jobs.enqueue('grants.run', { projectId: project, grant }, isFirst ? {} : { unique: `grants.run ${name}` });
      enqueued.set(name, performance.now());
    }
    isFirst = false;
  };
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await look().catch((error: unknown) => report(errorMessage(error)));
      await pause(LOOK_MS, stopping.signal, { ref: false });
    }
  };
  const watching = watch();
  return async () => {
    stopping.abort();
    await watching;
  };
}
