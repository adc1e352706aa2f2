import { resolve } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { databaseUrlOf } from '../../infra/postgres/database.ts';
import { migrate } from '../../projections/migrate.ts';
import { createProjector, type Projector } from '../../projections/projector/projector.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { createOperator, type Operator } from '../app/operator/operator.ts';
import type { ProjectTests } from '../app/operator/project-tests.ts';
import type { Importer } from '../app/operator/transfer/importer.ts';
import { type Config, redactUrl } from '../config/config.ts';
import type { Log } from '../log/port.ts';
import { LOG_MIGRATIONS } from '../log/postgres/log.ts';
import { commandDatabase } from './database.ts';
import { openLog, requireEventStore } from './log.ts';
import { notInstalled } from './not-installed.ts';
import { createPool } from './pool.ts';
import { createProjects, NO_OBSERVER } from './projects.ts';
import { Shutdown } from './shutdown.ts';

/** What commands work on, whether a node runs or not. */
export interface Installation {
  readonly config: Config;
  /** With the password: for the program that asked for it, and never to be logged. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** The log, in the engine that EVENTSTORE_URL names, or in the database. */
  readonly log: Log;
  readonly operator: Operator;
  readonly tests: ProjectTests;
  /** Writes an import. Loaded on demand. */
  importer(): Promise<Importer>;
  /**
   * Waits until the read models show `revision`, which must be in the log. Projects it itself if no node does. False when they have not
   * moved for 30 s. `onWait` gets the revision that they are at, once a second.
   */
  waitUntilProjected(projectId: string, revision: number, onWait?: (at: number) => void): Promise<boolean>;
  /**
   * Brings the read models of these projects up to a revision each, which must be in the log. Returns the projects whose read models did
   * not move for 30 s. `onDone` gets the number of projects that are done.
   */
  catchUp(heads: ReadonlyMap<string, number>, onDone?: (projects: number) => void): Promise<readonly string[]>;
  /** Closes everything. What a log that is away keeps from ending is left behind. */
  close(): Promise<void>;
}

/** How long a running node is given to show what was written, before this process projects it, too. */
const NODE_GRACE_MS = 500;
/** How long the read models may not move before waiting ends. */
const STALL_MS = 30_000;
/** How many projects are brought up at the same time. The projector does not write more at once, either. */
const CONCURRENCY = 2;
/** How long closing may take, and how long the process may live on after it because of what was left behind. */
const CLOSE_MS = 5_000;
const EXIT_GRACE_MS = 500;

export interface OpeningOptions {
  /** Whether it is made where there is none yet. Otherwise NOT_FOUND is thrown, and nothing is made. */
  readonly mayMake: boolean;
}

/** Opens the installation for a command, whether a node runs or not. Throws `DatabaseProblem`. */
export async function openInstallation(config: Config, logger: Logger, { mayMake }: OpeningOptions): Promise<Installation> {
  await requireEventStore(config);
  // Where an EventStoreDB keeps the log, read models that are missing are no sign that there is no installation.
  const isNeeded = !mayMake && config.eventStoreUrl === null;
  if (isNeeded && config.databaseUrl === null && databaseUrlOf(config.dataDir) === null)
    throw notInstalled(`in ${resolve(config.dataDir)}`);
  const database = await commandDatabase(config, logger);
  const pool = createPool(database.url, logger);
  try {
    if (isNeeded && !(await isInstalled(pool))) throw notInstalled(`in ${redactUrl(database.url)}`);
    await migrate(pool, LOG_MIGRATIONS);
  } catch (error) {
    await pool.end();
    await database.release();
    throw error;
  }
  const log = await openLog(config, database.url);
  const states = createStateReader(pool);
  const views = createViewReader(pool, null);
  const projects = createProjects(config, log, states, logger, NO_OBSERVER);
  const stateAt = async (projectId: string) => (await states.checkpoint(projectId))?.revision ?? -1;
  const bring = (projector: Projector, projectId: string, revision: number, onWait?: (at: number) => void) => {
    projector.bring(projectId, revision);
    const reached = () => projector.waitFor(projectId, revision, 1000);
    return movesTo(revision, () => stateAt(projectId), reached, onWait);
  };
  const withProjector = async <T>(work: (projector: Projector) => Promise<T>): Promise<T> => {
    const projector = createProjector({ log, pool, logger });
    try {
      return await work(projector);
    } finally {
      await projector.stop();
    }
  };

  return {
    config,
    databaseUrl: database.url,
    pool,
    log,
    operator: createOperator(projects, config.keyPrefix),
    // The code that runs endpoints is loaded only by commands that run some.
    tests: { run: async (...of) => (await import('./project-tests.ts')).projectTestsOn(config, projects).run(...of) },
    importer: async () => (await import('../app/operator/transfer/importer.ts')).createImporter(projects),
    async waitUntilProjected(projectId, revision, onWait) {
      if ((await views.caughtUp(projectId, revision, NODE_GRACE_MS)) && (await stateAt(projectId)) >= revision) return true;
      return withProjector((projector) => bring(projector, projectId, revision, onWait));
    },
    catchUp(heads, onDone = () => undefined) {
      return withProjector(async (projector) => {
        const rest = [...heads];
        const behind: string[] = [];
        const worker = async () => {
          for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
            if (!(await bring(projector, ...next))) behind.push(next[0]);
            onDone(heads.size - rest.length);
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, worker));
        return behind;
      });
    },
    async close() {
      const shutdown = new Shutdown(logger);
      shutdown.add(() => database.release());
      shutdown.add(() => pool.end());
      shutdown.add(() => log.close());
      let drained = false;
      shutdown.add(async () => {
        await projects.close();
        drained = true;
      });
      await shutdown.run(CLOSE_MS);
      // A write whose outcome is unknown is still being sent. The command has reported that, and must end.
      if (!drained) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
    },
  };
}

async function isInstalled(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>("SELECT to_regclass('savepoint.migrations') IS NOT NULL AS there");
  return rows[0]?.there === true;
}

/** Whether `revision` is reached before `at` has stood still for too long. */
async function movesTo(
  revision: number,
  at: () => Promise<number>,
  reached: () => Promise<boolean>,
  onWait: (at: number) => void = () => undefined,
): Promise<boolean> {
  let seen = Number.NEGATIVE_INFINITY;
  let movedAt = performance.now();
  while (performance.now() - movedAt < STALL_MS) {
    if ((await reached()) && (await at()) >= revision) return true;
    const now = await at();
    if (now > seen) movedAt = performance.now();
    seen = now;
    onWait(now);
  }
  return false;
}
