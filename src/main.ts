import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { type Database, startDatabase, useDatabase } from '../infra/postgres/database.ts';
import { migrate } from '../projections/migrate.ts';
import { createProjector, type Projector } from '../projections/projector.ts';
import { createStateReader } from '../projections/state-reader.ts';
import { createViewReader } from '../projections/view-reader.ts';
import { createApp } from './app/create-app.ts';
import { createOperator, type NewProject, type Operator } from './app/operator.ts';
import { Projects } from './app/projects.ts';
import type { WriterObserver } from './app/writer.ts';
import { type Config, ConfigProblem, redactUrl } from './config.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import type { Health } from './http/routes/system.ts';
import { createServer } from './http/server.ts';
import { HTTP_DEFAULTS } from './http/settings.ts';
import { realScheduler } from './kernel/scheduler.ts';
import type { Log } from './log/port.ts';
import { createPostgresLog, schemaSql } from './log/postgres/log.ts';
import { VERSION } from './version.ts';

/** Composition: the one file that knows every part. A node serves; an installation is what commands work on beside it. */

/** How long a read of a view waits for what this node has committed (design, section 6). */
const VIEW_WAIT_MS = 250;
/** Events kept for followers of this process: they read what was just appended and nothing older. */
const RECENT_BYTES = 8 * 1024 * 1024;
/** Clients of the pool that projections and readers share. */
const POOL_CLIENTS = 12;
/** Share of the stop's time that running requests may take; the rest is for what they leave to be written, and for the database. */
const DRAIN_SHARE = 0.6;

export interface Installation {
  readonly config: Config;
  /** With the password: for the program that asked for it, never for a log. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly operator: Operator;
  /** Resolves when the read models show `revision`; projects itself where no node does. */
  projected(projectId: string, revision: number): Promise<void>;
  close(): Promise<void>;
}

export interface Node {
  readonly url: string;
  /** The demo project, when this start has made it. */
  readonly demo: NewProject | null;
  /** Serves no more, lets what runs finish, stops everything, within `SHUTDOWN_TIMEOUT_MS` and what stopping the database takes. */
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
  const log = createPostgresLog({ connection: { connectionString: database.url }, recentBytes: RECENT_BYTES });
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

/** Starts a node: database, migrations, log, projector, HTTP server. Throws `DatabaseProblem`, or what listening throws. */
export async function startNode(config: Config, options: { readonly demo: boolean; readonly logger: Logger }): Promise<Node> {
  const { logger } = options;
  const database = await nodeDatabase(config, logger);
  const stop: (() => Promise<void>)[] = [() => database.stop()];
  try {
    const pool = createPool(database.url, logger);
    stop.unshift(() => pool.end());
    await migrate(pool, [{ name: 'log', sql: schemaSql }]);
    const log = createPostgresLog({ connection: { connectionString: database.url }, recentBytes: RECENT_BYTES });
    stop.unshift(() => log.close());

    const metrics = createMetrics();
    const projector = createProjector({
      log,
      pool,
      logger,
      onProgress: (projectId, { revision }) => projects.projected(projectId, revision),
    });
    const projects = createProjects(config, log, createStateReader(pool), logger, observerOf(metrics));
    stop.unshift(() => projector.stop());
    stop.unshift(() => projects.close());
    await Promise.all([projector.start(), projects.start()]);
    stop.unshift(sampleMetrics(metrics, projects, projector));

    const app = createApp({
      projects,
      views: createViewReader(pool, projector),
      scheduler: realScheduler,
      limits: { documentBytes: config.limits.documentBytes, viewWaitMs: VIEW_WAIT_MS },
      platformId: new RegExp(config.platformIdPattern, 'u'),
    });
    const health = () => healthOf(pool);
    const server = createServer({ app, settings: httpSettings(config), log: logger, metrics, health });
    const demo = options.demo ? await makeDemoProject(config, pool, createOperator(projects, config.keyPrefix), projector, logger) : null;
    const port = await server.listen(config.port, config.host);
    stop.unshift(() => server.close(config.limits.shutdownTimeoutMs * DRAIN_SHARE));
    return {
      url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
      demo,
      close: () => stopAll(stop, config, logger),
    };
  } catch (error) {
    await stopAll(stop, config, logger);
    throw error;
  }
}

/** One part after the other. A part that hangs, such as a writer whose log is gone, is left behind when the time is over. */
async function stopAll(parts: readonly (() => Promise<void>)[], { limits }: Config, logger: Logger): Promise<void> {
  const over = new AbortController();
  const timeOver = sleep(limits.shutdownTimeoutMs * 0.9, undefined, { signal: over.signal }).catch(() => undefined);
  for (const [index, part] of parts.entries()) {
    const stopping = part().catch((error: unknown) => logger.warn({ err: error }, 'stopping a part failed'));
    // The last is the database, which bounds its own time and must not be left running.
    const isLast = index === parts.length - 1;
    await (isLast ? stopping : Promise.race([stopping, timeOver]));
  }
  over.abort();
}

function createProjects(
  config: Config,
  log: Log,
  reader: ReturnType<typeof createStateReader>,
  logger: Logger,
  observer: WriterObserver,
): Projects {
  const { groupCommits, groupBytes, queueCommits, windowBytes, commandTimeoutMs, workingSetBytes } = config.limits;
  return new Projects({
    log,
    reader,
    scheduler: realScheduler,
    limits: { groupCommits, groupBytes, queueCommits, windowBytes, deadlineMs: commandTimeoutMs },
    cacheBytes: workingSetBytes,
    observer,
    onTrouble: (what, error) => logger.error({ err: error }, what),
  });
}

function createPool(connectionString: string, logger: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: POOL_CLIENTS,
    application_name: 'savepoint',
    // Statements of a transaction go out without waiting for each other's answers.
    pipeline: true,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  // An idle client that loses its server says so here; the next query gets a new one.
  // The error itself carries the whole client.
  pool.on('error', (error) => logger.warn({ reason: error.message }, 'a database connection was lost'));
  // The pool does not listen to a client that is in use; losing its server between two queries would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

// ── the database ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A setting that would silently do nothing is refused. */
function requirePostgresLog({ eventStoreUrl }: Config): void {
  if (eventStoreUrl === null) return;
  throw new ConfigProblem('EVENTSTORE_URL is set, but this release keeps the log in Postgres: unset it');
}

async function commandDatabase(config: Config, logger: Logger): Promise<{ readonly url: string; release(): Promise<void> }> {
  requirePostgresLog(config);
  if (config.databaseUrl !== null) return { url: config.databaseUrl, release: async () => undefined };
  return useDatabase({ dataDir: config.dataDir, log: logger });
}

/** The node's database: somebody else's server, or the embedded one, which is started again whenever it goes away by itself. */
async function nodeDatabase(config: Config, logger: Logger): Promise<{ readonly url: string; stop(): Promise<void> }> {
  requirePostgresLog(config);
  if (config.databaseUrl !== null) {
    logger.info({ database: redactUrl(config.databaseUrl) }, 'using the Postgres server of DATABASE_URL');
    return { url: config.databaseUrl, stop: async () => undefined };
  }
  const first = await startDatabase({ dataDir: config.dataDir, log: logger });
  const keeper: Keeper = { current: first, restarting: null, stopping: false };
  keepRunning(keeper, config, logger).catch((error: unknown) => {
    if (keeper.stopping) return;
    logger.fatal({ err: error }, 'the embedded Postgres went away and could not be started again');
    process.exit(1);
  });
  return {
    url: first.url,
    async stop() {
      keeper.stopping = true;
      // What is just being started would be left running.
      const last = await (keeper.restarting ?? keeper.current);
      await last.stop();
    },
  };
}

interface Keeper {
  current: Database;
  restarting: Promise<Database> | null;
  stopping: boolean;
}

async function keepRunning(keeper: Keeper, config: Config, logger: Logger): Promise<void> {
  for (;;) {
    const { url } = keeper.current;
    await keeper.current.exited;
    if (keeper.stopping) return;
    logger.error('the embedded Postgres went away; starting it again');
    // Its session takes its lock again as soon as there is a server: it would be the other node that stands in the way.
    await keeper.current.stop();
    keeper.restarting = startDatabase({ dataDir: config.dataDir, log: logger });
    const again = await keeper.restarting;
    if (again.url !== url) {
      await again.stop();
      throw new Error('its port was taken by another program meanwhile; start the node again');
    }
    keeper.current = again;
    keeper.restarting = null;
  }
}

async function healthOf(pool: pg.Pool): Promise<Health> {
  const started = performance.now();
  try {
    await pool.query('SELECT 1');
    return { status: 'ok', version: VERSION, database: 'postgres', databaseLatencyMs: Math.round(performance.now() - started) };
  } catch {
    return { status: 'database-unavailable', version: VERSION, database: 'postgres' };
  }
}

// ── settings and metrics ──────────────────────────────────────────────────────────────────────────────────────────

function httpSettings(config: Config): typeof HTTP_DEFAULTS {
  const { limits, wireNames } = config;
  return {
    ...HTTP_DEFAULTS,
    version: VERSION,
    wireNames,
    gameBodyBytes: limits.gameBodyBytes,
    managementBodyBytes: limits.managementBodyBytes,
    bodyDepth: limits.bodyDepth,
    buckets: {
      game: { burst: limits.gameBurst, perSecond: limits.gameRefill },
      management: { burst: limits.managementBurst, perSecond: limits.managementRefill },
      session: { burst: 120, perSecond: 30 },
    },
  };
}

const SILENT: WriterObserver = { appended: () => undefined, conflict: () => undefined, queue: () => undefined };

function observerOf(metrics: Metrics): WriterObserver {
  return {
    appended(commits, _events, ms) {
      metrics.appendGroupSize.observe(commits);
      metrics.appendSeconds.observe(ms / 1000);
    },
    conflict: () => metrics.appendConflicts.inc(),
    queue: (length) => metrics.writerQueue.set(length),
  };
}

/** What is cheaper to look at once a second than to count on every request. */
function sampleMetrics(metrics: Metrics, projects: Projects, projector: Projector): () => Promise<void> {
  let hits = 0;
  let misses = 0;
  const sample = () => {
    const open = projects.openProjects;
    const lags = open.map((project) => project.set.head - projector.progress(project.id));
    metrics.projectionLag.set({ projection: 'state' }, Math.max(0, ...lags));
    metrics.workingSetBytes.set(projects.cache.calculatedSize + open.reduce((sum, project) => sum + project.set.windowBytes, 0));
    const { counts } = projects;
    metrics.workingSetHits.inc(counts.hits - hits);
    metrics.workingSetMisses.inc(counts.misses - misses);
    hits = counts.hits;
    misses = counts.misses;
  };
  const timer = setInterval(sample, 1000);
  timer.unref();
  return async () => clearInterval(timer);
}

// ── the demo project ──────────────────────────────────────────────────────────────────────────────────────────────

/** Held while one node looks whether there is a project and makes one, so that two first nodes make one between them. No meaning. */
const DEMO_LOCK = 7_203_114_004;

/** On the very first start: a project to try things on. Its keys are written for the operator alone. */
async function makeDemoProject(
  { dataDir }: Config,
  pool: pg.Pool,
  operator: Operator,
  projector: Projector,
  logger: Logger,
): Promise<NewProject | null> {
  const file = join(resolve(dataDir), 'demo-project.json');
  if (existsSync(file)) return null;
  const lock = await pool.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [DEMO_LOCK]);
    const { rows } = await lock.query("SELECT 1 FROM savepoint.log_streams WHERE stream LIKE 'project-%' LIMIT 1");
    if (rows.length > 0) return null;
    // Before the project: keys that cannot be kept would be lost.
    mkdirSync(resolve(dataDir), { recursive: true });
    const { revision, ...project } = await operator.createProject('Demo');
    writeFileSync(file, `${JSON.stringify(project, null, 2)}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
    await projector.waitFor(project.projectId, revision, 5000);
    return project;
  } catch (error) {
    // With DATABASE_URL nothing else needs the folder, so a node without one serves all the same.
    if (!isFileProblem(error)) throw error;
    logger.warn({ err: error }, 'no demo project: its keys could not be written');
    return null;
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [DEMO_LOCK]).catch(() => undefined);
    lock.release();
  }
}

function isFileProblem(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(String(error.code));
}
