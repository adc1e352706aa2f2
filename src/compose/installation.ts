import { resolve } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { databaseUrlOf } from '../../infra/postgres/database.ts';
import { migrate } from '../../projections/migrate.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { createOperator, type Operator } from '../app/operator/operator.ts';
import type { ProjectTests } from '../app/operator/project-tests.ts';
import type { Importer } from '../app/operator/transfer/importer.ts';
import { type Config, redactUrl } from '../config/config.ts';
import type { Log } from '../log/port.ts';
import { LOG_MIGRATIONS } from '../log/postgres/log.ts';
import { CatchUp } from './catch-up.ts';
import { commandDatabase } from './database.ts';
import { openLog, requireEventStore } from './log.ts';
import { notInstalled } from './not-installed.ts';
import { quietInOutages } from './outages.ts';
import { createPool } from './pool.ts';
import { createProjects, NO_OBSERVER } from './projects.ts';
import { Shutdown } from './shutdown.ts';

/** An installation as commands use it, whether a node runs or not. */
export interface Installation {
  readonly config: Config;
  /** Contains the password: for the command that prints it, and never to be logged. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** The log, in the engine that EVENTSTORE_URL names, or in the database. */
  readonly log: Log;
  readonly operator: Operator;
  readonly tests: ProjectTests;
  /** Writes an import. Loaded on demand. */
  importer(): Promise<Importer>;
  /**
   * Waits until the read models show `revision`, which must be in the log. Projects it itself if no node does. Returns `false` if they make
   * no progress for 30 s. `onWait` gets their revision once a second.
   */
  waitUntilProjected(projectId: string, revision: number, onWait?: (at: number) => void): Promise<boolean>;
  /**
   * Lets the read models of these projects catch up to a revision each, which must be in the log. Returns the projects whose read models
   * made no progress for 30 s. `onDone` gets the number of finished projects.
   */
  catchUp(heads: ReadonlyMap<string, number>, onDone?: (projects: number) => void): Promise<readonly string[]>;
  /** Closes everything, within a bound: appends to a log that does not answer are abandoned. */
  close(): Promise<void>;
}

/** How long closing may take, and how long abandoned work may keep the process alive afterwards, ms. */
const CLOSE_MS = 5_000;
const EXIT_GRACE_MS = 500;

export interface OpeningOptions {
  /** Whether a missing installation is made. Otherwise NOT_FOUND is thrown. */
  readonly mayMake: boolean;
}

/** Opens the installation for a command, whether a node runs or not. Throws `DatabaseProblem`. */
export async function openInstallation(config: Config, logger: Logger, { mayMake }: OpeningOptions): Promise<Installation> {
  await requireEventStore(config);
  const { database, pool } = await openTables(config, logger, mayMake);
  const log = await openLog(config, database.url);
  const states = createStateReader(pool);
  const views = createViewReader(pool, null);
  const projects = createProjects(config, log, states, logger, NO_OBSERVER);
  const catchUp = new CatchUp({ log, pool, logger: quietInOutages(logger, config), states, views });

  return {
    config,
    databaseUrl: database.url,
    pool,
    log,
    operator: createOperator(projects, config.keyPrefix),
    // The code that runs endpoints is loaded only by commands that need it.
    tests: { run: async (...of) => (await import('./project-tests.ts')).projectTestsOn(config, projects).run(...of) },
    importer: async () => (await import('../app/operator/transfer/importer.ts')).createImporter(projects),
    waitUntilProjected: (projectId, revision, onWait) => catchUp.waitFor(projectId, revision, onWait),
    catchUp: (heads, onDone) => catchUp.all(heads, onDone),
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
      // A write with an unknown outcome is still being sent. The command has reported it, and must end.
      if (!drained) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
    },
  };
}

/** Opens the database and migrates its tables to this release. */
async function openTables(config: Config, logger: Logger, mayMake: boolean) {
  // If the log is in an EventStoreDB, missing read models do not mean that there is no installation.
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
  return { database, pool };
}

async function isInstalled(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>("SELECT to_regclass('savepoint.migrations') IS NOT NULL AS there");
  return rows[0]?.there === true;
}
