import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { POSTGRES_CLIENTS } from '../jobs/store.ts';
import { SESSION } from '../kernel/database-session.ts';
import { throttled } from '../kernel/error-reporting.ts';

/** The connections of one process. Appends use two more. */
export interface Connections {
  /** In the pool that projections and readers share. */
  readonly pool: number;
  /** For reading the log. */
  readonly readers: number;
}

const APPENDING = 2;
/** More connections gain nothing for one process. */
const MAX_CONNECTIONS: Connections = { pool: 12, readers: 6 };
/** A projector takes two at a time, and readers must not wait for it. */
const MIN_CONNECTIONS: Connections = { pool: 4, readers: 2 };
/** Connections reserved for commands, for people who inspect the database, and for the server's superuser. */
const SPARE = 8;

/** The parts of a node that need connections to Postgres. */
export interface Demand {
  /** Processes that serve or project. */
  readonly processes: number;
  /** Connections of background jobs, once for the whole node. */
  readonly jobs: number;
}

export function demandOf({ workers, roles, redisUrl }: Pick<Config, 'workers' | 'roles' | 'redisUrl'>): Demand {
  return { processes: workers > 1 ? workers + 1 : 1, jobs: roles.includes('worker') && redisUrl === null ? POSTGRES_CLIENTS : 0 };
}

/** The connections that each process may use of a server with `maxConnections`; `null` if they are too few. */
export function allotConnections(maxConnections: number, { processes, jobs }: Demand): Connections | null {
  const each = Math.floor((maxConnections - SPARE - jobs) / processes) - APPENDING;
  if (each >= MAX_CONNECTIONS.pool + MAX_CONNECTIONS.readers) return MAX_CONNECTIONS;
  if (each < MIN_CONNECTIONS.pool + MIN_CONNECTIONS.readers) return null;
  const readers = Math.max(MIN_CONNECTIONS.readers, Math.floor(each / 3));
  return { pool: each - readers, readers };
}

/** A server that goes away takes all connections at once, and again whatever was opened meanwhile: a line in this time, ms. */
const LOST_MS = 30_000;

/** Connections of the whole node if each process has these. Default: the full share. */
export function connectionsOf({ processes, jobs }: Demand, { pool, readers }: Connections = MAX_CONNECTIONS): number {
  return processes * (pool + readers + APPENDING) + jobs;
}

export function createPool(connectionString: string, logger: Logger, max: number = MAX_CONNECTIONS.pool): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: 'savepoint',
    // Statements of a transaction are sent without waiting for each other's answers.
    pipeline: true,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    onConnect: async (client) => {
      await client.query(SESSION);
    },
  });
  // An idle client that loses its connection reports it here; the next query gets a new client. The error contains the whole client, so
  // only its message is logged.
  const tell = throttled((reason: string) => logger.warn({ reason }, 'database connections were lost'), LOST_MS);
  pool.on('error', (error) => {
    // When the pool ends, the server may close its connections first.
    if (!pool.ending) tell(error.message);
  });
  // The pool does not listen to a client that is in use: without a listener, a connection lost between two queries would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
