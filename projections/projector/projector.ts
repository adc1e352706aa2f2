import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Checkpoint } from '../../src/app/ports/readers.ts';
import { Bulkhead } from '../../src/kernel/bulkhead.ts';
import { throttled } from '../../src/kernel/error-reporting.ts';
import { groupBy } from '../../src/kernel/group.ts';
import { Neighbours } from '../../src/kernel/neighbours.ts';
import { realScheduler } from '../../src/kernel/scheduler.ts';
import type { FollowStep, Log, RecordedEvent } from '../../src/log/port.ts';
import { PROJECT_PREFIX, projectOf, projectStream } from '../../src/log/streams.ts';
import { AT_ONCE } from '../fills.ts';
import type { ProjectorCounters, ProjectorLogger, WorkerContext } from './context.ts';
import { readFollowed, storeFollowed } from './followed.ts';
import { ProjectWorker } from './project-worker.ts';
import { retry } from './retry.ts';
import { ALL_PROJECTS, createShardAssignment } from './shard-assignment.ts';

export interface ProjectorOptions {
  readonly log: Log;
  /** At least 3 clients; with fewer, readers wait for the projector. */
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
  /** Whether other projectors may run on this database. They then divide the projects among them. */
  readonly shared?: boolean;
  /** Called whenever the state tables of a project moved, or were found to have moved: this is the working set's horizon. */
  readonly onProgress?: (projectId: string, checkpoint: Checkpoint) => void;
  /** The most documents over which a batch makes a list; see `Batch.atOnce`. */
  readonly atOnce?: number;
}

/** How far the read models of this database are, as this process knows it. */
export interface Progress {
  /** Revision of the project's state tables; −1 while nothing is known. */
  progress(projectId: string): number;
  /** Whether all views of the project reflect `revision`; waits for it for at most `timeoutMs`. */
  waitFor(projectId: string, revision: number, timeoutMs: number): Promise<boolean>;
}

export interface Projector extends Progress {
  readonly counters: Readonly<ProjectorCounters>;
  /** Projects that stopped, with the reason (an unknown event, two histories). */
  stopped(): ReadonlyMap<string, Error>;
  /** How many pairs of a project and a view that is paused for it this process knows. */
  pausedViews(): number;
  /** Boards that are being filled. */
  buildingBoards(): number;
  /** How many events the slowest view lacks, of those that its project's state tables show. */
  viewLag(): number;
  /** Starts to follow. Rejects when the database cannot be read. */
  start(): Promise<void>;
  /** Projects one project up to `revision`, which must be in its log, whether this projector follows or not. */
  bring(projectId: string, revision: number): void;
  /** Stops after the batches under way. */
  stop(): Promise<void>;
}

/** How many projects are written at the same time. Each needs a client, and Postgres gains nothing from more. */
const BATCH_SLOTS = 2;
/** The same for background work. A small pool can give no more than one at a time. */
const BACKGROUND_SLOTS = 2;
const LARGE_POOL = 8;
/** One project may hold any of them; those that wait get them in turn. */
const slots = (count: number) => new Bulkhead({ slots: count, perKey: count });
const TAKE_OVERS = 4;
const REFRESH_MS = 1_000;
const STORE_POSITION_MS = 5_000;
const AGAIN_MS = 500;

/**
 * Writes the read models: follows the streams of all projects, and gives each project's events to its {@link ProjectWorker}. Any number of
 * projectors may run on one database. They divide the projects among them, and each project's checkpoints decide whose batch counts.
 */
export function createProjector({
  log,
  pool,
  logger,
  shared = false,
  onProgress = () => undefined,
  atOnce = AT_ONCE,
}: ProjectorOptions): Projector {
  const counters: ProjectorCounters = { events: 0, batches: 0, failures: 0 };
  const workers = new Map<string, ProjectWorker>();
  const shard = shared ? createShardAssignment(pool, logger, () => workers.forEach((worker) => void worker.yield())) : ALL_PROJECTS;
  const context: WorkerContext = {
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
  };
  const stopping = new AbortController();
  const onError = throttled((error: unknown) => logger.warn({ err: error }, 'the log cannot be followed; trying again'));
  /** It ends early when the projector stops. */
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  const retrying = { stopping: stopping.signal, pause: () => pause(AGAIN_MS), onError };
  let following: Promise<void> | null = null;
  let followed: RecordedEvent | null = null;
  let storedAt = Number.NEGATIVE_INFINITY;
  let refreshedAt = Number.NEGATIVE_INFINITY;

  const workerOf = (projectId: string): ProjectWorker => {
    const worker = workers.get(projectId) ?? new ProjectWorker(projectId, context);
    workers.set(projectId, worker);
    return worker;
  };

  async function follow(after: bigint | null): Promise<void> {
    for await (const step of log.follow({ prefix: PROJECT_PREFIX, after, signal: stopping.signal, onError })) {
      for (const events of byStream(step.events)) workerOf(projectOf(events[0]?.stream ?? '') ?? '').offer(events);
      await housekeeping(step);
    }
  }

  async function housekeeping(step: FollowStep): Promise<void> {
    const last = step.events.at(-1);
    if (last) followed = last;
    if (!step.caughtUp) return;
    const now = performance.now();
    if (now - refreshedAt >= REFRESH_MS) {
      refreshedAt = now;
      for (const worker of workers.values()) worker.refresh();
    }
    if (now - storedAt < STORE_POSITION_MS) return;
    storedAt = now;
    await storePosition().catch((error: unknown) => logger.warn({ err: error }, 'the position of following was not stored'));
  }

  async function storePosition(): Promise<void> {
    if (followed === null || [...workers.values()].some((worker) => worker.isNew)) return;
    await storeFollowed(pool, followed);
  }

  async function takeOverOne(projectId: string): Promise<void> {
    const head = () => log.head(projectStream(projectId)).then((found) => found?.revision ?? -1);
    const revision = await retry(head, retrying);
    if (revision !== undefined) workerOf(projectId).open(revision);
  }

  /** Every project that has checkpoints is looked at once, whether or not anything new comes. */
  async function takeOver(projects: readonly string[]): Promise<void> {
    const rest = [...projects];
    const worker = async () => {
      for (let id = rest.shift(); id !== undefined && !stopping.signal.aborted; id = rest.shift()) {
        await takeOverOne(id);
      }
    };
    await Promise.all(Array.from({ length: TAKE_OVERS }, worker));
  }

  return {
    counters,
    stopped: () => new Map([...workers].flatMap(([id, { failure }]) => (failure === null ? [] : [[id, failure] as const]))),
    pausedViews: () => [...workers.values()].reduce((sum, worker) => sum + worker.pausedViews, 0),
    buildingBoards: () => [...workers.values()].reduce((sum, worker) => sum + worker.buildingBoards, 0),
    viewLag: () => Math.max(0, ...[...workers.values()].map((worker) => worker.viewLag)),
    progress: (projectId) => workers.get(projectId)?.revision ?? -1,
    waitFor: (projectId, revision, timeoutMs) => workerOf(projectId).waitFor(revision, timeoutMs),
    bring: (projectId, revision) => workerOf(projectId).open(revision),

    async start() {
      await shard.start();
      const projects = await pool.query<{ project: string }>('SELECT DISTINCT project FROM savepoint.checkpoints');
      const failed = (error: unknown) => {
        if (!stopping.signal.aborted) logger.error({ err: error }, 'following the log ended');
      };
      following = Promise.all([
        takeOver(projects.rows.map((known) => known.project)).catch(failed),
        retry(() => readFollowed(pool, log), retrying)
          .then((after) => (after === undefined ? undefined : follow(after)))
          .catch(failed),
      ]).then(() => undefined);
    },

    async stop() {
      stopping.abort();
      await following;
      await Promise.all([...workers.values()].map((worker) => worker.close()));
      await shard.stop();
      if (following !== null) await storePosition().catch(() => undefined);
    },
  };
}

/** Groups consecutive events of the same stream, each group in order. */
function byStream(events: readonly RecordedEvent[]): Iterable<RecordedEvent[]> {
  return groupBy(events, (event) => event.stream).values();
}
