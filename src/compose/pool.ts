import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { POSTGRES_CLIENTS } from '../jobs/store.ts';

/** How the connections of one process are shared out; appends use two more. */
export interface Connections {
  /** Of the pool that projections and readers share. */
  readonly pool: number;
  /** For reading the log. */
  readonly readers: number;
}

const APPENDING = 2;
/** More gain nothing for one process. */
const MOST: Connections = { pool: 12, readers: 6 };
/** A projector takes two at a time, and readers must not wait for it. */
const LEAST: Connections = { pool: 4, readers: 2 };
/** For commands beside the node, for whoever looks at the database, and what the server keeps for its superuser. */
const SPARE = 8;

/** Who of a node asks Postgres for connections. */
export interface Demand {
  /** That serve or project. */
  readonly processes: number;
  /** Connections that background jobs take, once for a node. */
  readonly jobs: number;
}

export function demandOf({ workers, roles, redisUrl }: Pick<Config, 'workers' | 'roles' | 'redisUrl'>): Demand {
  return { processes: workers > 1 ? workers + 1 : 1, jobs: roles.includes('worker') && redisUrl === null ? POSTGRES_CLIENTS : 0 };
}

/** What each process may take of a server with `maxConnections`; `null` when that is too little to work with. */
export function shareConnections(maxConnections: number, { processes, jobs }: Demand): Connections | null {
  const each = Math.floor((maxConnections - SPARE - jobs) / processes) - APPENDING;
  if (each >= MOST.pool + MOST.readers) return MOST;
  if (each < LEAST.pool + LEAST.readers) return null;
  const readers = Math.max(LEAST.readers, Math.floor(each / 3));
  return { pool: each - readers, readers };
}

/** Connections of the whole node when each process has `share`; without it, when there are enough. */
export function connectionsOf({ processes, jobs }: Demand, { pool, readers }: Connections = MOST): number {
  return processes * (pool + readers + APPENDING) + jobs;
}

export function createPool(connectionString: string, logger: Logger, max: number = MOST.pool): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: 'savepoint',
    // Statements of a transaction go out without waiting for each other's answers.
    pipeline: true,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  // An idle client that loses its server says so here; the next query gets a new one.
  // The error itself carries the whole client.
  pool.on('error', (error) => {
    // A pool that has ended lets go of its connections a moment later, and the server may be quicker.
    if (!pool.ending) logger.warn({ reason: error.message }, 'a database connection was lost');
  });
  // The pool does not listen to a client that is in use; losing its server between two queries would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
