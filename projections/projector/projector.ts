import type { Pool } from 'pg';
import type { Checkpoint } from '../../src/app/ports/state-reader.ts';
import { Bulkhead } from '../../src/kernel/bulkhead.ts';
import { Neighbours } from '../../src/kernel/neighbours.ts';
import { realScheduler } from '../../src/kernel/scheduler.ts';
import type { Log } from '../../src/log/port.ts';
import { AT_ONCE } from '../fills.ts';
import type { ProjectorCounters, ProjectorLogger } from './context.ts';
import { LogFollower } from './log-follower.ts';
import { ProjectWorkers } from './project-workers.ts';
import { ALL_PROJECTS, createShardAssignment } from './shard-assignment.ts';

export interface ProjectorOptions {
  readonly log: Log;
  /** At least 3 clients. With fewer, readers wait for the projector. */
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
  /** Whether other projectors may run on this database. They then divide the projects. */
  readonly shared?: boolean;
  /** Called when the state tables of a project have moved, here or elsewhere: this is the working set's horizon. */
  readonly onProgress?: (projectId: string, checkpoint: Checkpoint) => void;
  /** The most documents over which a batch builds a list; see `Batch.atOnce`. */
  readonly atOnce?: number;
}

/** How far the read models of this database are, as this process knows it. */
export interface Progress {
  /** Revision of the project's state tables; −1 while nothing is known. */
  progress(projectId: string): number;
  /** The revision up to which the project's views show everything, too, as far as is known here; without paused views. −1: nothing. */
  shown(projectId: string): number;
  /** Whether all views of the project reflect `revision`; waits up to `timeoutMs` for it. */
  waitFor(projectId: string, revision: number, timeoutMs: number): Promise<boolean>;
}

export interface Projector extends Progress {
  readonly counters: Readonly<ProjectorCounters>;
  /** Projects that stopped, with the reason (an unknown event, two histories). */
  stopped(): ReadonlyMap<string, Error>;
  /** The number of pairs of a project and a view that is paused for it, as far as this process knows. */
  pausedViews(): number;
  /** Boards that are being filled. */
  buildingBoards(): number;
  /** The number of events in a project's state tables that the slowest view lacks. */
  viewLag(): number;
  /** Starts to follow. Rejects when the database cannot be read. */
  start(): Promise<void>;
  /** Projects one project up to `revision`, which must be in its log, whether this projector follows or not. */
  bring(projectId: string, revision: number): void;
  /** Stops after the current batches. */
  stop(): Promise<void>;
}

/** The number of projects that are written at the same time. Each needs a client, and Postgres gains nothing from more. */
const BATCH_SLOTS = 2;
/** The same for background work. A small pool can spare only one. */
const BACKGROUND_SLOTS = 2;
const LARGE_POOL = 8;
/** One project may use all slots. Waiting projects get them in turn. */
const slots = (count: number) => new Bulkhead({ slots: count, perKey: count });

/**
 * Writes the read models: follows the streams of all projects, and gives each project's events to its worker (`project-worker.ts`). Any
 * number of projectors may run on one database. They divide the projects among them, and each project's checkpoints decide whose batch
 * counts.
 */
export function createProjector({
  log,
  pool,
  logger,
  shared = false,
  onProgress = () => undefined,
  atOnce = AT_ONCE,
}: ProjectorOptions): Projector {
  const counters: ProjectorCounters = { events: 0, batches: 0, failures: 0, foreign: 0 };
  const shard = shared ? createShardAssignment(pool, logger, () => workers.divided()) : ALL_PROJECTS;
  const workers: ProjectWorkers = new ProjectWorkers({
    log,
    pool,
    logger,
    onProgress,
    counters,
    gate: slots(BATCH_SLOTS),
    background: slots(pool.options.max < LARGE_POOL ? 1 : BACKGROUND_SLOTS),
    owns: shard.owns,
    neighbours: new Neighbours(realScheduler),
    tally: { characters: 0 },
    atOnce,
  });
  const follower = new LogFollower({ log, pool, logger, workers });

  return {
    counters,
    stopped: () => workers.stopped,
    pausedViews: () => workers.pausedViews,
    buildingBoards: () => workers.buildingBoards,
    viewLag: () => workers.viewLag,
    progress: (projectId) => workers.revisionOf(projectId),
    shown: (projectId) => workers.of(projectId).shown,
    waitFor: (projectId, revision, timeoutMs) => workers.of(projectId).waitFor(revision, timeoutMs),
    bring: (projectId, revision) => workers.of(projectId).open(revision),

    async start() {
      await shard.start();
      const { rows } = await pool.query<{ project: string }>('SELECT DISTINCT project FROM savepoint.checkpoints');
      follower.start(rows.map(({ project }) => project));
    },

    async stop() {
      await follower.stop();
      await workers.close();
      await shard.stop();
      await follower.storeLast();
    },
  };
}
