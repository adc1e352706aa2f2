import type pg from 'pg';
import type { Logger } from 'pino';
import { DatabaseProblem } from '../../infra/postgres/problem.ts';
import { migrate } from '../../projections/migrate.ts';
import { type Config, ConfigProblem, redactUrl } from '../config/config.ts';
import type { Role } from '../config/settings.ts';
import { errorMessage } from '../kernel/error-reporting.ts';
import type { Log } from '../log/port.ts';
import { LOG_MIGRATIONS } from '../log/postgres/log.ts';
import { verifierProblem } from '../outbound/verifier/create-verifier.ts';
import { VERSION } from '../version.ts';
import { nodeDatabase, type ServerFacts } from './database.ts';
import { compareHistories, requireOneHistory } from './histories.ts';
import { LogAway, loggedLog, openLog, refuseFirstFormat, requireEventStore } from './log.ts';
import { onceAnswered } from './once-answered.ts';
import { type OutageLogger, quietInOutages } from './outages.ts';
import { allotConnections, type Connections, createPool, demandOf } from './pool.ts';
import type { Shutdown } from './shutdown.ts';

/** The resources that all parts of a node use. */
export interface NodeResources {
  /** Contains the password, so it must never be logged. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly connections: Connections;
  /** For what goes on asking while database or log are away. */
  readonly outages: OutageLogger;
}

/** Said of a database that has migrations of a release after this one. */
const LATER_TABLES = 'a later release has changed the tables of this database: requests and read models that need them may fail';

/** Interval at which a process that projects but does not serve polls for new events, ms. */
const POLL_MS = 25;

/**
 * Opens database and log, runs the migrations, and checks that they fit together. Throws `ConfigProblem` or `DatabaseProblem`, which say
 * what to do. `onLost`: called when the embedded database has ended for good; `stopping` ends the wait for what does not answer.
 */
export async function bootstrapNode(
  config: Config,
  logger: Logger,
  shutdown: Shutdown,
  { onLost, stopping }: { readonly onLost: () => void; readonly stopping?: AbortSignal | undefined },
): Promise<NodeResources> {
  requireConsistentConfig(config);
  const queue = probeQueue(config);
  const [logVersion, database] = await answering(config, logger, onLost, stopping);
  shutdown.add(() => database.stop());
  const connections = connectionsFor(config, database.facts);
  const pool = createPool(database.url, logger, connections.pool);
  shutdown.add(() => pool.end());
  const unknown = await migrate(pool, LOG_MIGRATIONS);
  if (unknown.length > 0) logger.warn({ migrations: unknown }, LATER_TABLES);
  const log = loggedLog(await openLog(config, database.url, tuningOf(config.workers, config.roles, connections)), logger);
  shutdown.add(() => log.close());
  await refuseFirstFormat(config, log);
  await checkHistories(config, pool, log, logger);
  logBackends(config, { database: database.facts, logVersion, queue: await queue }, logger);
  return { databaseUrl: database.url, pool, log, connections, outages: quietInOutages(logger, config) };
}

/** Waits for the log first: an embedded database would be started in vain. */
async function answering(config: Config, logger: Logger, onLost: () => void, signal: AbortSignal | undefined) {
  const waiting = { logger, ...(signal && { signal }) };
  const waitMs = (error: unknown) => (error instanceof LogAway ? config.limits.startWaitMs : 0);
  const logVersion = await onceAnswered(() => requireEventStore(config), { name: logName(config), waitMs, ...waiting });
  return [logVersion, await nodeDatabase(config, logger, onLost, signal)] as const;
}

/** Opens the resources of a worker. The first process has already done what must be done only once. */
export async function bootstrapWorker(
  config: Config,
  databaseUrl: string,
  connections: Connections,
  logger: Logger,
  shutdown: Shutdown,
): Promise<NodeResources> {
  const pool = createPool(databaseUrl, logger, connections.pool);
  shutdown.add(() => pool.end());
  const log = loggedLog(await openLog(config, databaseUrl, { readers: connections.readers }), logger);
  shutdown.add(() => log.close());
  return { databaseUrl, pool, log, connections, outages: quietInOutages(logger, config) };
}

function tuningOf(workers: number, roles: readonly Role[], { readers }: Connections) {
  return workers > 1 || !roles.includes('api') ? { readers, pollMs: POLL_MS } : { readers };
}

/** Throws `ConfigProblem` for settings that contradict each other. */
export function requireConsistentConfig({ roles, workers, databaseUrl, verifier }: Config): void {
  const problem = verifierProblem(verifier);
  if (problem !== null) throw new ConfigProblem(problem);
  if (workers > 1 && !roles.includes('api')) {
    throw new ConfigProblem(
      `WORKERS is ${workers}, and ROLES (${roles.join(',')}) has no api: workers serve requests. Add api to ROLES, or unset WORKERS`,
    );
  }
  if (databaseUrl === null && !roles.includes('projector')) {
    throw new ConfigProblem(
      `ROLES is ${roles.join(',')}, but no other node can project into the embedded database of this one. Add projector to ROLES, or set DATABASE_URL to a Postgres that all nodes share`,
    );
  }
}

function connectionsFor(config: Config, { maxConnections }: ServerFacts): Connections {
  const demand = demandOf(config);
  const connections = allotConnections(maxConnections, demand);
  if (connections !== null) return connections;
  throw new DatabaseProblem(
    `Postgres takes ${maxConnections} connections; that is too few for ${demand.processes} processes of this node.`,
    'Raise max_connections (ALTER SYSTEM SET max_connections = …, then restart it), or lower WORKERS.',
  );
}

async function checkHistories(config: Config, pool: pg.Pool, log: Log, logger: Logger): Promise<void> {
  const histories = await compareHistories(pool, log);
  requireOneHistory(histories, logName(config));
  const projects = [...histories.missing, ...histories.different];
  if (projects.length === 0) return;
  logger.error({ projects }, 'log and read models of these projects tell two histories; they are refused until `savepoint rebuild`');
}

function logName({ eventStoreUrl }: Config): string {
  return eventStoreUrl === null ? 'Postgres' : `EventStoreDB ${redactUrl(eventStoreUrl)}`;
}

/** The start's report on Redis. A failure does not prevent the start, because requests go on without Redis. */
interface QueueStatus {
  readonly text: string;
  readonly warning: string | null;
}

/** How long a start waits for Redis. */
const QUEUE_TIMEOUT_MS = 1_000;

async function probeQueue({ redisUrl }: Config): Promise<QueueStatus> {
  if (redisUrl === null) return { text: 'in the database', warning: null };
  const address = `Redis ${redactUrl(redisUrl)}`;
  const { OLDEST_REDIS, readRedisFacts, redisServes } = await import('../jobs/redis-connection.ts');
  try {
    const facts = await readRedisFacts(redisUrl, QUEUE_TIMEOUT_MS);
    const serves = redisServes(facts);
    const tooOld = `Redis ${facts.version} is too old for jobs${serves === 'no' ? ', which will not run' : ''}: use ${OLDEST_REDIS} or later`;
    return { text: `Redis ${facts.version}, ${redactUrl(redisUrl)}`, warning: serves === 'yes' ? null : tooOld };
  } catch (error) {
    return {
      text: `${address}, which does not answer`,
      warning: `the job queue does not answer; requests go on, jobs wait: ${errorMessage(error)}`,
    };
  }
}

interface Backends {
  readonly database: ServerFacts;
  readonly logVersion: string | null;
  readonly queue: QueueStatus;
}

function logBackends(config: Config, { database: { version }, logVersion, queue }: Backends, logger: Logger): void {
  const { databaseUrl, dataDir, eventStoreUrl, roles, workers } = config;
  const database = databaseUrl === null ? `Postgres ${version}, embedded in ${dataDir}` : `Postgres ${version}, ${redactUrl(databaseUrl)}`;
  const log = eventStoreUrl === null ? 'in the database' : `EventStoreDB ${logVersion}, ${redactUrl(eventStoreUrl)}`;
  const facts = { savepoint: VERSION, node: process.version, log, database, queue: queue.text, roles, workers };
  const parts = [`log ${log}`, `database ${database}`, `queue ${queue.text}`, `roles ${roles.join(',')}`, `Node ${process.version}`];
  logger.info(facts, `savepoint ${VERSION} runs on: ${parts.join('; ')}`);
  if (queue.warning !== null) logger.warn({ queue: queue.text }, queue.warning);
}
