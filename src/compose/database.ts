import pg from 'pg';
import type { Logger } from 'pino';
import { type Database, startDatabase, useDatabase } from '../../infra/postgres/database.ts';
import { DatabaseProblem } from '../../infra/postgres/problem.ts';
import type { Config } from '../config/config.ts';
import { isDatabaseOutage } from '../kernel/outage.ts';
import { pause } from '../kernel/pause.ts';
import { onceAnswered } from './once-answered.ts';
import { databaseName } from './outages.ts';

/** Facts of a Postgres server, read before it is used. */
export interface ServerFacts {
  /** The version as the server reports it: `17.2`, `15.14 (Debian …)`. */
  readonly version: string;
  readonly major: number;
  readonly maxConnections: number;
  /** The encoding of the database, such as `UTF8`. */
  readonly encoding: string;
}

export interface NodeDatabase {
  /** With the password, so it must never be logged. */
  readonly url: string;
  readonly facts: ServerFacts;
  stop(): Promise<void>;
}

export const OLDEST_POSTGRES = 15;

/** Encodings that can store every text. The second one validates nothing, which is bad practice but no danger to stored data. */
const ENCODINGS_OF_EVERYTHING: readonly string[] = ['UTF8', 'SQL_ASCII'];

/** The database for a command: an external server, or the embedded one, beside a running node or without one. */
export async function commandDatabase(config: Config, logger: Logger): Promise<{ readonly url: string; release(): Promise<void> }> {
  const { databaseUrl } = config;
  const found =
    databaseUrl === null
      ? await useDatabase({ dataDir: config.dataDir, log: logger })
      : { url: databaseUrl, release: async () => undefined };
  try {
    requireVersion(await readFacts(found.url));
    return found;
  } catch (error) {
    await found.release();
    throw error;
  }
}

/**
 * The node's database: an external server, or the embedded one, which is restarted whenever it ends by itself. `onLost`: called when it
 * cannot be restarted, so that the node cannot go on. `signal` ends the wait for a server that does not answer.
 */
export async function nodeDatabase(config: Config, logger: Logger, onLost: () => void, signal?: AbortSignal): Promise<NodeDatabase> {
  const { databaseUrl } = config;
  if (databaseUrl === null) return embedded(config, logger, onLost);
  const { startWaitMs } = config.limits;
  const name = databaseName(config);
  const waitMs = (error: unknown) => (isStarting(error) ? Math.max(startWaitMs, STARTING_MS) : isDatabaseOutage(error) ? startWaitMs : 0);
  const facts = await onceAnswered(() => readFacts(databaseUrl), { name, waitMs, logger, ...(signal && { signal }) });
  requireVersion(facts);
  requireEncoding(facts);
  return { url: databaseUrl, facts, stop: async () => undefined };
}

/** How long the start waits for a server that starts up or recovers at least, ms. Recovery of a large one after a crash takes minutes. */
const STARTING_MS = 300_000;
/** SQLSTATE `cannot_connect_now`: the server starts up, recovers, or shuts down. */
const CANNOT_CONNECT_NOW = '57P03';

function isStarting(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === CANNOT_CONNECT_NOW;
}

/** Reads the facts of a server. Throws if it cannot connect. */
async function readFacts(connectionString: string): Promise<ServerFacts> {
  const client = new pg.Client({ connectionString, application_name: 'savepoint look', connectionTimeoutMillis: 5000 });
  // A lost connection fails the query. Without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string; number: number; connections: number; encoding: string }>(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         current_setting('max_connections')::int AS connections, current_setting('server_encoding') AS encoding`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('the database answered nothing');
    const { version, number, connections, encoding } = row;
    return { version, major: Math.floor(number / 10_000), maxConnections: connections, encoding };
  } finally {
    await client.end().catch(() => undefined);
  }
}

function requireVersion({ major, version }: ServerFacts): void {
  if (major >= OLDEST_POSTGRES) return;
  throw new DatabaseProblem(
    `The server of DATABASE_URL is Postgres ${version}; savepoint needs ${OLDEST_POSTGRES} or later.`,
    'Upgrade that server, name another one, or unset DATABASE_URL to run the embedded Postgres.',
  );
}

/**
 * Throws for any other encoding: it could not store a name in another script, and the append that contains it would block every further
 * write of the project.
 */
function requireEncoding({ encoding }: ServerFacts): void {
  if (ENCODINGS_OF_EVERYTHING.includes(encoding)) return;
  throw new DatabaseProblem(
    `The database of DATABASE_URL is encoded as ${encoding}, which cannot hold every text that players write.`,
    "Make one with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8', and bring over what is in the old one: savepoint log copy --from … --to ….",
  );
}

async function embedded(config: Config, logger: Logger, onLost: () => void): Promise<NodeDatabase> {
  const first = await startDatabase({ dataDir: config.dataDir, log: logger });
  const supervisor: Supervisor = { current: first, restarting: null, stopping: new AbortController() };
  supervise(supervisor, config, logger).catch((error: unknown) => {
    if (supervisor.stopping.signal.aborted) return;
    logger.fatal({ err: error }, 'the embedded Postgres went away and could not be started again');
    onLost();
  });
  const stop = async () => {
    supervisor.stopping.abort();
    // Waits for a restart under way, because its server would be left running.
    const last = await (supervisor.restarting ?? supervisor.current);
    await last?.stop();
  };
  try {
    return { url: first.url, facts: await readFacts(first.url), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Supervisor {
  current: Database;
  restarting: Promise<Database | null> | null;
  readonly stopping: AbortController;
}

async function supervise(supervisor: Supervisor, config: Config, logger: Logger): Promise<void> {
  for (;;) {
    const { url } = supervisor.current;
    await supervisor.current.exited;
    if (supervisor.stopping.signal.aborted) return;
    logger.error('the embedded Postgres went away; starting it again');
    // The old server's lock session would take the lock on the new server first, and block this node.
    await supervisor.current.stop();
    supervisor.restarting = startAgain(config, logger, supervisor.stopping.signal);
    const again = await supervisor.restarting;
    if (again === null) return;
    if (again.url !== url) {
      await again.stop();
      throw new Error('its port was taken by another program meanwhile; start the node again');
    }
    supervisor.current = again;
    supervisor.restarting = null;
  }
}

const MAX_PAUSE_MS = 5_000;
/** Every how many failed attempts one is reported: about once a minute. */
const REPORT_EVERY = 12;

/**
 * Retries until the server runs. The cause, such as a full disk, may pass by itself or be fixed by an operator. Resolves to `null` when the
 * node stops.
 */
async function startAgain(config: Config, logger: Logger, stopping: AbortSignal): Promise<Database | null> {
  for (let tries = 0; !stopping.aborted; tries++) {
    try {
      return await startDatabase({ dataDir: config.dataDir, log: logger });
    } catch (error) {
      if (tries % REPORT_EVERY === 0) logger.error({ err: error }, 'the embedded Postgres cannot be started; trying again until it can');
      await pause(Math.min(250 * 2 ** tries, MAX_PAUSE_MS), stopping);
    }
  }
  return null;
}
