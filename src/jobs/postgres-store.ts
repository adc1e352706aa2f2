import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BackendFactory,
  isPgPool,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  runMigrations,
  withBackend,
} from 'bullmq';
import pg from 'pg';
import { SESSION } from '../kernel/database-session.ts';
import { errorMessage } from '../kernel/error-reporting.ts';
import { POSTGRES_CLIENTS, queueName, type Store, type StoreOptions, workerSettings } from './store.ts';

/**
 * Jobs in Postgres, in a schema of their own. The library gets our pool, so that we control the number of connections, their keep-alive and
 * their errors. With a pool it supports only this name of the schema.
 */
const SCHEMA = 'bullmq';
/** Pause after a failed attempt to fetch a job. */
const RETRY_PAUSE_MS = 500;

/** Makes the tables if there are none. Rejects when Postgres cannot be reached, or does not answer in time. */
export async function openPostgresStore({ url, answerMs, onError }: StoreOptions): Promise<Store> {
  const report = (error: unknown) => onError(errorMessage(error));
  const pool = new pg.Pool({
    connectionString: url,
    max: POSTGRES_CLIENTS,
    application_name: 'savepoint jobs',
    options: `-c search_path=${SCHEMA}`,
    connectionTimeoutMillis: answerMs,
    keepAlive: true,
    onConnect: async (client) => {
      await client.query(SESSION);
    },
  });
  pool.on('error', report);
  // The pool does not listen to a client that is in use: without a listener, a connection lost between two queries would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await prepare(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  // The library has its own type for the same object.
  if (!isPgPool(pool)) throw new Error('the job library does not take this pool');

  return {
    kind: 'postgres',
    queue(name) {
      const queue = new Queue<unknown, unknown, string>(queueName(name), { connection: pool });
      queue.on('error', report);
      return queue;
    },
    worker(name, run, tuning) {
      const worker = new Worker<unknown, unknown, string>(queueName(name), run, {
        connection: pool,
        ...workerSettings(tuning),
      });
      worker.on('error', report);
      return worker;
    },
    async ping() {
      await pool.query('SELECT 1');
    },
    async close(force) {
      const ended = pool.end();
      if (!force) await ended;
    },
  };
}

async function prepare(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    client.release();
  }
}

/**
 * Pauses after a failure. The library's worker retries at once after every failure except a refused connection, which would be a busy loop
 * while Postgres starts or shuts down.
 */
class RetryingBackend extends PostgresQueueBackend {
  override moveToActive(...call: Parameters<PostgresQueueBackend['moveToActive']>): ReturnType<PostgresQueueBackend['moveToActive']> {
    return failingSlowly(super.moveToActive(...call));
  }

  override waitForJob(...call: Parameters<PostgresQueueBackend['waitForJob']>): ReturnType<PostgresQueueBackend['waitForJob']> {
    return failingSlowly(super.waitForJob(...call));
  }
}

async function failingSlowly<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    await sleep(RETRY_PAUSE_MS);
    throw error;
  }
}

const backend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, options) =>
  new RetryingBackend(new PostgresConnection(options.connection), name, options);

const { Queue, Worker } = withBackend(backend);
