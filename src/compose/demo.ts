import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { syncFolder, writeDurably } from '../../infra/postgres/durable.ts';
import type { NewProject, Operator } from '../app/operator/operator.ts';
import type { ViewReader } from '../app/ports/readers.ts';
import type { Config } from '../config/config.ts';
import { ADVISORY_LOCKS } from '../kernel/advisory-locks.ts';
import type { Log } from '../log/port.ts';
import { hasProjects } from './log.ts';

export interface DemoParts {
  readonly config: Config;
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly operator: Operator;
  readonly views: ViewReader;
  readonly logger: Logger;
}

/** The reason why a start made no demo project. */
export type NoDemo = 'not asked for' | 'made before' | 'the log holds projects' | 'no folder for its keys';

/** The longest wait for the views to show a new project, ms. */
const VIEW_TIMEOUT_MS = 5_000;

/** Makes a project, and waits until the views show it. */
export async function makeShownProject(operator: Operator, views: ViewReader, name: string): Promise<NewProject> {
  const { revision, ...project } = await operator.createProject(name);
  await views.caughtUp(project.projectId, revision, VIEW_TIMEOUT_MS);
  return project;
}

/** Makes a demo project at the very first start. Only the operator can read the file with its keys. */
export async function makeDemoProject({ config, pool, log, operator, views, logger }: DemoParts): Promise<NewProject | NoDemo> {
  const folder = resolve(config.dataDir);
  const file = join(folder, 'demo-project.json');
  if (existsSync(file)) return 'made before';
  const lock = await pool.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.demo]);
    if (await hasProjects(log)) return 'the log holds projects';
    // The folder is made before the project: keys that cannot be stored would be lost.
    mkdirSync(folder, { recursive: true });
    const { revision, ...project } = await operator.createProject('Demo');
    writeDurably(file, `${JSON.stringify(project, null, 2)}\n`);
    syncFolder(folder);
    await views.caughtUp(project.projectId, revision, VIEW_TIMEOUT_MS);
    return project;
  } catch (error) {
    // With DATABASE_URL nothing else needs the folder, so a node without one can still serve.
    if (!isFileProblem(error)) throw error;
    logger.warn({ err: error }, 'no demo project: its keys could not be written');
    return 'no folder for its keys';
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.demo]).catch(() => undefined);
    lock.release();
  }
}

function isFileProblem(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(String(error.code));
}
