import type { Pool } from 'pg';
import type { Checkpoint } from '../src/app/readers.ts';
import type { FollowStep, Log, RecordedEvent } from '../src/log/port.ts';
import { PROJECT_PREFIX, projectOf, projectStream } from '../src/log/streams.ts';
import { type FollowedTo, followedTo, reaches } from './followed.ts';
import { createGate } from './gate.ts';
import { groupBy } from './group.ts';
import { Lane, type LaneContext, type ProjectorCounters, type ProjectorLogger } from './lane.ts';
import { Sleeper } from './sleeper.ts';

export interface ProjectorOptions {
  readonly log: Log;
  /** At least 3 clients, or readers wait for the projector. */
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
  /** Told whenever the state tables of a project moved, or were found to have: the working set's horizon. */
  readonly onProgress?: (projectId: string, checkpoint: Checkpoint) => void;
}

/** How far the read models of this database are, as this process knows it. */
export interface Progress {
  /** Revision of the project's state tables; −1 while nothing is known. */
  progress(projectId: string): number;
  /** Whether all views of the project reflect `revision`, waiting for it `timeoutMs` at most. */
  waitFor(projectId: string, revision: number, timeoutMs: number): Promise<boolean>;
}

export interface Projector extends Progress {
  readonly counters: Readonly<ProjectorCounters>;
  /** Projects that stopped, with the reason (an unknown event, two histories). */
  stopped(): ReadonlyMap<string, Error>;
  /** Begins to follow. Rejects when the database cannot be read. */
  start(): Promise<void>;
  /** Ends after the batches under way. */
  stop(): Promise<void>;
}

/** Projects written at the same time; each needs a client, and Postgres gains nothing from more. */
const PLACES = 2;
const TAKE_OVERS = 4;
/** Beyond this many characters of waiting events the log is not read on. */
const QUEUED = 16 * 1024 * 1024;
const REFRESH_MS = 1_000;
const STORE_POSITION_MS = 5_000;

/**
 * Writes the read models: follows the streams of all projects, and gives each project's events to its {@link Lane}. Any number of
 * projectors may run on one database; each project's checkpoints decide whose batch counts.
 */
export function createProjector({ log, pool, logger, onProgress = () => undefined }: ProjectorOptions): Projector {
  const counters: ProjectorCounters = { events: 0, batches: 0, failures: 0, pausedViews: 0, stoppedProjects: 0 };
  const context: LaneContext = { log, pool, logger, onProgress, counters, gate: createGate(PLACES) };
  const lanes = new Map<string, Lane>();
  const stopping = new AbortController();
  const sleeper = new Sleeper();
  let following: Promise<void> | null = null;
  let followed: FollowedTo | null = null;
  let storedAt = 0;
  let refreshedAt = 0;

  const laneOf = (projectId: string): Lane => {
    const lane = lanes.get(projectId) ?? new Lane(projectId, context);
    lanes.set(projectId, lane);
    return lane;
  };

  async function follow(stored: FollowedTo | null): Promise<void> {
    let check = stored && (await untilAnswered('following begins later', () => reaches(log, stored))) ? stored : null;
    // One event again: when it is not the one we know, the log is another one, or an older state of it, and positions say nothing.
    const after = check && check.position - 1n;
    for await (const step of log.follow({ prefix: PROJECT_PREFIX, after, signal: stopping.signal })) {
      if (check && (step.events.length > 0 || step.caughtUp)) {
        if (step.events[0]?.id !== check.eventId) return follow(null);
        check = null;
      }
      for (const events of byStream(step.events)) laneOf(projectOf(events[0]?.stream ?? '') ?? '').offer(events);
      await keepHouse(step);
    }
  }

  async function keepHouse(step: FollowStep): Promise<void> {
    const last = step.events.at(-1);
    if (last) followed = { position: last.position, eventId: last.id };
    while (!stopping.signal.aborted && queued() > QUEUED) await sleeper.sleep(5);
    if (!step.caughtUp) return;
    const now = performance.now();
    if (now - refreshedAt >= REFRESH_MS) {
      refreshedAt = now;
      for (const lane of lanes.values()) lane.refresh();
    }
    if (now - storedAt < STORE_POSITION_MS) return;
    storedAt = now;
    await storePosition().catch((error: unknown) => logger.warn({ err: error }, 'the position of following was not stored'));
  }

  function queued(): number {
    let characters = 0;
    for (const lane of lanes.values()) characters += lane.queued;
    return characters;
  }

  async function storePosition(): Promise<void> {
    if (followed === null || [...lanes.values()].some((lane) => lane.isNew)) return;
    await pool.query(
      `INSERT INTO savepoint.follow_positions (prefix, position, event_id) VALUES ($1, $2, $3)
       ON CONFLICT (prefix) DO UPDATE SET position = excluded.position, event_id = excluded.event_id`,
      [PROJECT_PREFIX, followed.position.toString(), followed.eventId],
    );
  }

  /** Asks the log until it answers; `null` when the projector stops before. */
  async function untilAnswered<T>(meanwhile: string, question: () => Promise<T>): Promise<T | null> {
    while (!stopping.signal.aborted) {
      try {
        return await question();
      } catch (error) {
        logger.warn({ err: error }, `the log does not answer; ${meanwhile}`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    return null;
  }

  async function takeOverOne(projectId: string): Promise<void> {
    const head = () => log.head(projectStream(projectId)).then((found) => found?.revision ?? -1);
    const revision = await untilAnswered(`project ${projectId} is taken over later`, head);
    if (revision !== null) laneOf(projectId).open(revision);
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
    stopped: () => new Map([...lanes].flatMap(([id, { failure }]) => (failure === null ? [] : [[id, failure] as const]))),
    progress: (projectId) => lanes.get(projectId)?.revision ?? -1,
    waitFor: (projectId, revision, timeoutMs) => laneOf(projectId).waitFor(revision, timeoutMs),

    async start() {
      const projects = await pool.query<{ project: string }>('SELECT DISTINCT project FROM savepoint.checkpoints');
      const stored = await followedTo(pool);
      const failed = (error: unknown) => {
        if (!stopping.signal.aborted) logger.error({ err: error }, 'following the log ended');
      };
      following = Promise.all([takeOver(projects.rows.map((known) => known.project)).catch(failed), follow(stored).catch(failed)]).then(
        () => undefined,
      );
    },

    async stop() {
      stopping.abort();
      sleeper.wake();
      await following;
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
      if (following !== null) await storePosition().catch(() => undefined);
    },
  };
}

/** Runs of events of one stream, each in order. */
function byStream(events: readonly RecordedEvent[]): Iterable<RecordedEvent[]> {
  return groupBy(events, (event) => event.stream).values();
}
