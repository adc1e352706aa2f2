import type pg from 'pg';
import type { Logger } from 'pino';
import { migrate } from '../../projections/migrate.ts';
import { createProjector } from '../../projections/projector.ts';
import { createStateReader } from '../../projections/state-reader.ts';
import { createViewReader } from '../../projections/view-reader.ts';
import { createOperator, type Operator } from '../app/operator.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log/port.ts';
import { schemaSql } from '../log/postgres/log.ts';
import { commandDatabase } from './database.ts';
import { openLog } from './log.ts';
import { createPool } from './pool.ts';
import { createProjects, SILENT } from './projects.ts';

/** What commands work on, beside a running node or without one. */
export interface Installation {
  readonly config: Config;
  /** With the password: for the program that asked for it, never for a log. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** The engine that EVENTSTORE_URL names, or the database. */
  readonly log: Log;
  readonly operator: Operator;
  /** Resolves when the read models show `revision`; projects itself where no node does. */
  projected(projectId: string, revision: number): Promise<void>;
  close(): Promise<void>;
}

/** The installation for a command: beside a running node or without one. Throws `DatabaseProblem`. */
export async function openInstallation(config: Config, logger: Logger): Promise<Installation> {
  const database = await commandDatabase(config, logger);
  const pool = createPool(database.url, logger);
  try {
    await migrate(pool, [{ name: 'log', sql: schemaSql }]);
  } catch (error) {
    await pool.end();
    await database.release();
    throw error;
  }
  const log = openLog(config, database.url);
  const states = createStateReader(pool);
  const views = createViewReader(pool, null);
  const projects = createProjects(config, log, states, logger, SILENT);

  return {
    config,
    databaseUrl: database.url,
    pool,
    log,
    operator: createOperator(projects, config.keyPrefix),
    async projected(projectId, revision) {
      const shown = async () => ((await states.checkpoint(projectId))?.revision ?? -1) >= revision;
      if ((await views.caughtUp(projectId, revision, 500)) && (await shown())) return;
      const projector = createProjector({ log, pool, logger });
      await projector.start();
      try {
        while (!(await projector.waitFor(projectId, revision, 1000)) || !(await shown()));
      } finally {
        await projector.stop();
      }
    },
    async close() {
      await projects.close();
      await log.close();
      await pool.end();
      await database.release();
    },
  };
}
