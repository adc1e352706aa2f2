import pg from 'pg';
import type { Logger } from 'pino';

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

/** What one of `processes` may take of a server with `maxConnections`; `null` when that is too little to work with. */
export function shareConnections(maxConnections: number, processes: number): Connections | null {
  const each = Math.floor((maxConnections - SPARE) / processes) - APPENDING;
  if (each >= MOST.pool + MOST.readers) return MOST;
  if (each < LEAST.pool + LEAST.readers) return null;
  const readers = Math.max(LEAST.readers, Math.floor(each / 3));
  return { pool: each - readers, readers };
}

/** Connections that {@link shareConnections} asks for when there are enough. */
export const CONNECTIONS_PER_PROCESS = MOST.pool + MOST.readers + APPENDING;

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
  pool.on('error', (error) => logger.warn({ reason: error.message }, 'a database connection was lost'));
  // The pool does not listen to a client that is in use; losing its server between two queries would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
