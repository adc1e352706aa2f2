import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { ProjectEvent } from '../../src/domain/events.ts';
import { ADVISORY_LOCKS } from '../../src/kernel/advisory-locks.ts';
import { readProjectEvent } from '../../src/log/decode.ts';
import { checkpointHash } from '../../src/log/foreign.ts';
import type { Log } from '../../src/log/port.ts';
import { projectStream } from '../../src/log/streams.ts';
import type { Projection } from '../batch.ts';
import { HistoryMismatch } from '../checkpoints.ts';
import { eventsAfter, LARGE_PAGE, SMALL_PAGE } from '../event-pages.ts';
import { AT_ONCE, fillAll, IN_PAGES } from '../fills.ts';
import { noteForeign } from '../foreign-events.ts';
import { dropVersion, showVersion } from '../migrate.ts';
import { rebuildTelemetry } from '../models/telemetry/rebuild.ts';
import { projectsAfter, readFollowed } from '../projector/followed.ts';
import { type Contention, hasFallenBehind, OF_REBUILDS, pauseAfter } from '../projector/turns.ts';
import { PROJECTION_NAMES, PROJECTIONS, STATE_NAMES, TELEMETRY } from '../registry.ts';
import { type ProjectionName, schemaOf, Transaction, type Versions } from '../tables.ts';
import { inTransaction, transaction, withClient } from '../transaction.ts';
import { type Memory, NOTHING, writeBatch } from '../write.ts';

/**
 * Rebuilds without downtime. A new version of the tables is *building* beside the active one. The log is folded into it, project by
 * project, up to the active version's checkpoint, in rounds until little is left. Then one transaction *switches*: it locks every active
 * checkpoint, folds the rest, points the readers' views at the new tables and removes the old checkpoints. A running projector then finds
 * its checkpoints gone and reads them again. The old tables are dropped last. Lists over many documents are filled in pages at the end of a
 * round, once for all publishes in it. While others write to the log, each page is followed by a pause.
 */

interface RebuildProgress {
  readonly phase: 'folding' | 'switching' | 'done';
  readonly events: number;
  /** Events to fold, as far as known. */
  readonly total: number;
  readonly percent: number;
  readonly eventsPerSecond: number;
}

export interface RebuildOptions {
  readonly log: Log;
  readonly pool: Pool;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

export interface Rebuilt {
  readonly names: readonly ProjectionName[];
  readonly projects: number;
  readonly events: number;
  readonly seconds: number;
}

/** The switch folds the rest when fewer events than this are left. */
const LITTLE = 500;
const ROUNDS = 20;

interface Active {
  readonly revision: number;
  readonly hash: string;
}

/** How far a project is in the building version. */
interface ProjectProgress {
  revision: number;
  memory: Memory;
  target: number;
}

/**
 * Builds new versions of the named projections and switches to them. Telemetry has no versions and is rebuilt in place. Views that follow
 * from `documents` are built together with `documents` and `definitions`. Throws {@link HistoryMismatch} when only some are named and the
 * log holds another history.
 */
export async function rebuild(names: readonly ProjectionName[] | 'all', options: RebuildOptions): Promise<Rebuilt> {
  const lock = await options.pool.connect();
  try {
    const { rows } = await lock.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [ADVISORY_LOCKS.rebuild]);
    if (!rows[0]?.free) throw new Error('another rebuild is running');
    const projections = withPrerequisites(names === 'all' ? PROJECTION_NAMES : names);
    const rebuilt = projections.length === 0 ? NOTHING_REBUILT : await new Rebuild(projections, options).run();
    if (names !== 'all' && !names.includes(TELEMETRY)) return rebuilt;
    return withTelemetry(rebuilt, await rebuildTelemetry(options));
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.rebuild]).catch(() => undefined);
    lock.release();
  }
}

const NOTHING_REBUILT: Rebuilt = { names: [], projects: 0, events: 0, seconds: 0 };

function withTelemetry(rebuilt: Rebuilt, { projects, events, seconds }: Omit<Rebuilt, 'names'>): Rebuilt {
  return {
    names: [...rebuilt.names, TELEMETRY],
    projects: Math.max(rebuilt.projects, projects),
    events: rebuilt.events + events,
    seconds: rebuilt.seconds + seconds,
  };
}

function withPrerequisites(names: readonly ProjectionName[]): readonly Projection[] {
  const derived = PROJECTIONS.some(({ name, derived }) => derived && names.includes(name));
  return PROJECTIONS.filter(({ name }) => names.includes(name) || (derived && (name === 'documents' || name === 'definitions')));
}

const MAX_ATTEMPTS = 20;

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}

class Rebuild {
  readonly #projections: readonly Projection[];
  readonly #names: readonly ProjectionName[];
  readonly #options: RebuildOptions;
  readonly #started = performance.now();
  readonly #projects = new Map<string, ProjectProgress>();
  #old: Versions = new Map();
  #new: Versions = new Map();
  #events = 0;
  /** Position of the log's last event when it was last asked for; `undefined` before the first page. */
  #end: bigint | null | undefined;
  /** Whether nobody else wrote to the log when that was last asked. */
  #isAlone = true;
  /** Events of the next page. */
  #pageEvents = SMALL_PAGE;

  constructor(projections: readonly Projection[], options: RebuildOptions) {
    this.#projections = projections;
    this.#names = projections.map(({ name }) => name);
    this.#options = options;
  }

  async run(): Promise<Rebuilt> {
    const { pool } = this.#options;
    await this.#prepare();
    if (this.#names.length === PROJECTION_NAMES.length) await this.#discover();
    let before = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const remaining = await this.#updateTargets(pool);
      if (remaining < LITTLE && round > 0) break;
      // Where others write about as fast as this folds, pauses would keep it from ever getting near.
      const mayPause = remaining < before / 2;
      before = remaining;
      for (const [projectId, progress] of this.#projects) {
        const page = <T>(work: (tx: Transaction) => Promise<T>) => this.#page(projectId, work, mayPause);
        await this.#fold(projectId, progress, page);
        await fillAll(this.#projections, progress.memory.catalog, page);
      }
    }
    this.#report('switching');
    await this.#switch();
    await this.#dropOld();
    this.#report('done');
    const seconds = (performance.now() - this.#started) / 1000;
    return { names: this.#names, projects: this.#projects.size, events: this.#events, seconds };
  }

  /** Creates the tables. Drops tables that an aborted rebuild left. */
  async #prepare(): Promise<void> {
    await withClient(this.#options.pool, async (client) => {
      const { rows } = await client.query<{ name: ProjectionName; active: number; building: number | null }>(
        'SELECT name, active, building FROM savepoint.projection_versions WHERE name = ANY ($1)',
        [this.#names],
      );
      for (const { name, building } of rows) if (building !== null) await discardVersion(client, name, building);
      this.#old = new Map(rows.map((row) => [row.name, row.active]));
      this.#new = new Map(rows.map((row) => [row.name, Math.max(row.active, row.building ?? 0) + 1]));
      for (const [name, version] of this.#new) {
        await client.query('UPDATE savepoint.projection_versions SET building = $2 WHERE name = $1', [name, version]);
        await client.query(schemaOf(name, version));
      }
    });
  }

  /**
   * Finds projects in the log that the read models do not know, because the database is new or older than the log. They are built up to
   * their head. All projections must be named for this, because the state tables of a project must be at one revision.
   */
  async #discover(): Promise<void> {
    const { pool, log } = this.#options;
    const { rows } = await pool.query<{ project: string }>('SELECT DISTINCT project FROM savepoint.checkpoints');
    const known = new Set(rows.map((row) => row.project));
    for (const projectId of await projectsAfter(log, await readFollowed(pool, log))) {
      if (known.has(projectId)) continue;
      const progress = await this.#begin(pool, projectId);
      progress.target = (await log.head(projectStream(projectId)))?.revision ?? -1;
    }
  }

  /**
   * Sets every project's target to the checkpoint of the state tables, or to the log's head when the log holds another history. The
   * checkpoints of the rebuilt views do not count: a paused view would be built only up to the event at which it failed.
   */
  async #updateTargets(client: Pool | PoolClient): Promise<number> {
    const { rows } = await client.query<{ project: string; revision: string; hash: string }>(
      `SELECT DISTINCT ON (c.project) c.project, c.revision, c.hash FROM savepoint.checkpoints c
       WHERE (c.projection, c.version) IN (SELECT * FROM unnest($1::text[], $2::int[])
         UNION SELECT name, active FROM savepoint.projection_versions WHERE name = $3 AND name <> ALL ($1))
       ORDER BY c.project, c.revision DESC`,
      [this.#names, this.#names.map((name) => this.#old.get(name)), STATE_NAMES[0]],
    );
    let remaining = 0;
    for (const row of rows) {
      const progress = this.#projects.get(row.project) ?? (await this.#begin(client, row.project));
      progress.target = await this.#target(row.project, { revision: Number(row.revision), hash: row.hash });
      remaining += Math.max(0, progress.target - progress.revision);
    }
    return remaining;
  }

  async #begin(client: Pool | PoolClient, projectId: string): Promise<ProjectProgress> {
    await client.query(
      `INSERT INTO savepoint.checkpoints (projection, version, project, revision, hash)
       SELECT name, version, $1, -1, '' FROM unnest($2::text[], $3::int[]) AS w (name, version)`,
      [projectId, this.#names, this.#names.map((name) => this.#new.get(name))],
    );
    const progress = { revision: -1, memory: NOTHING, target: -1 };
    this.#projects.set(projectId, progress);
    return progress;
  }

  async #target(projectId: string, active: Active): Promise<number> {
    if (active.revision < 0) return -1;
    const stream = projectStream(projectId);
    const [event] = await this.#options.log.read(stream, { from: active.revision, limit: 1, direction: 'forwards' });
    if (event !== undefined && checkpointHash(event) === active.hash) return active.revision;
    if (this.#names.length < PROJECTION_NAMES.length) throw new HistoryMismatch(projectId, 'so all projections must be rebuilt together');
    return (await this.#options.log.head(stream))?.revision ?? -1;
  }

  /** Writes one page in a transaction of its own, and pauses after it for whoever else writes. */
  async #page<T>(projectId: string, work: (tx: Transaction) => Promise<T>, mayPause: boolean): Promise<T> {
    const { pool, sleep = setTimeout } = this.#options;
    const startedAt = performance.now();
    const done = await transaction(pool, projectId, this.#new, work);
    const pageMs = performance.now() - startedAt;
    const { isAlone, isBehind } = await this.#others(projectId);
    const pauseMs = pauseAfter(pageMs, { isBehind, isAlone: isAlone || !mayPause }, OF_REBUILDS);
    if (pauseMs > 0) await sleep(pauseMs);
    return done;
  }

  /** Whether others have written to the log since this was last asked, and whether the project's running state tables keep up. */
  async #others(projectId: string): Promise<Contention> {
    const { pool, log } = this.#options;
    const end = await log.end();
    this.#isAlone = this.#end === undefined || this.#end === end;
    this.#end = end;
    const head = this.#isAlone ? null : await log.head(projectStream(projectId));
    if (head === null) return { isAlone: true, isBehind: false };
    const { rows } = await pool.query<{ revision: string }>(
      `SELECT c.revision FROM savepoint.checkpoints c JOIN savepoint.projection_versions v ON v.name = c.projection AND v.active = c.version
       WHERE c.project = $1 AND c.projection = $2`,
      [projectId, STATE_NAMES[0]],
    );
    return { isAlone: false, isBehind: hasFallenBehind(head.revision, Number(rows[0]?.revision ?? head.revision)) };
  }

  async #fold(
    projectId: string,
    progress: ProjectProgress,
    run: (work: (tx: Transaction) => Promise<Memory>) => Promise<Memory>,
    atOnce = IN_PAGES,
  ): Promise<void> {
    let next = this.#read(projectId, progress.revision + 1, progress.target);
    while (progress.revision < progress.target) {
      const events = await next;
      const revision = progress.revision + events.length;
      // The next page is read while this one is written. If it cannot be read, that is thrown in its turn.
      next = this.#read(projectId, revision + 1, progress.target);
      next.catch(() => undefined);
      progress.memory = await run((tx) => writeBatch(tx, this.#projections, events, progress.memory, atOnce));
      progress.revision = revision;
      this.#events += events.length;
      this.#report('folding');
    }
  }

  /** The next page of events up to `target`. None if `from` lies beyond it. */
  async #read(projectId: string, from: number, target: number): Promise<readonly ProjectEvent[]> {
    if (from > target) return [];
    const limit = Math.min(this.#pageEvents, target - from + 1);
    const page = await this.#options.log.read(projectStream(projectId), { from, limit, direction: 'forwards' });
    if (page.length === 0) throw new HistoryMismatch(projectId, `the log ends at ${from - 1}`);
    await noteForeign(this.#options.pool, projectId, page);
    this.#pageEvents = eventsAfter(page, this.#isAlone ? LARGE_PAGE : SMALL_PAGE);
    return page.map((event) => readProjectEvent(event));
  }

  /**
   * Tries the switch again when Postgres aborts it. Running projectors lock checkpoints in another order, and Postgres aborts one of two
   * transactions that wait for each other. This is safe while nothing has been folded.
   */
  async #switch(): Promise<void> {
    const eventsBefore = this.#events;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#switchOnce();
      } catch (error) {
        if (!isDeadlock(error) || this.#events > eventsBefore || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** The row locks on the versions keep new projects out. Those on the checkpoints stop running projectors. */
  async #switchOnce(): Promise<void> {
    await withClient(this.#options.pool, (client) =>
      inTransaction(client, async () => {
        const old = this.#names.map((name) => this.#old.get(name));
        await client.query('UPDATE savepoint.projection_versions SET active = building, building = NULL WHERE name = ANY ($1)', [
          this.#names,
        ]);
        await client.query(
          `SELECT FROM savepoint.checkpoints WHERE (projection, version) IN (SELECT * FROM unnest($1::text[], $2::int[]))
           ORDER BY project, projection, version FOR UPDATE`,
          [this.#names, old],
        );
        await this.#updateTargets(client);
        for (const [projectId, progress] of this.#projects) {
          // Every project waits during the switch, so a large list of the latest publishes is left to the projector.
          await this.#fold(projectId, progress, (work) => work(new Transaction(client, projectId, this.#new)), AT_ONCE);
        }
        await client.query(
          'DELETE FROM savepoint.checkpoints WHERE (projection, version) IN (SELECT * FROM unnest($1::text[], $2::int[]))',
          [this.#names, old],
        );
        for (const [name, version] of this.#new) await showVersion(client, name, version);
      }),
    );
  }

  async #dropOld(): Promise<void> {
    await withClient(this.#options.pool, async (client) => {
      for (const [name, version] of this.#old) await dropVersion(client, name, version);
    });
  }

  #report(phase: RebuildProgress['phase']): void {
    const seconds = Math.max(performance.now() - this.#started, 1) / 1000;
    const total = [...this.#projects.values()].reduce((sum, progress) => sum + progress.target + 1, 0);
    const percent = phase === 'done' || total === 0 ? 100 : Math.min(100, Math.floor((this.#events / total) * 100));
    this.#options.onProgress?.({ phase, events: this.#events, total, percent, eventsPerSecond: Math.round(this.#events / seconds) });
  }
}

/** Drops a version that nobody reads, and its checkpoints. */
export async function discardVersion(client: PoolClient, projection: ProjectionName, version: number): Promise<void> {
  await client.query('DELETE FROM savepoint.checkpoints WHERE projection = $1 AND version = $2', [projection, version]);
  await dropVersion(client, projection, version);
}
