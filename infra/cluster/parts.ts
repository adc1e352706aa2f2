import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { isHealthy, programCommand } from '../harness/node.ts';
import { freePort } from '../harness/port.ts';
import { type Database, startDatabase } from '../postgres/database.ts';
import { balancerSettings } from './nginx.ts';
import { findProgram, startProcess, whenReady } from './process.ts';
import type { Part, Running } from './supervisor.ts';

/** The kinds of parts: Postgres, Redis, nodes, the load balancer. Each keeps its address when it is restarted. */

export interface Postgres extends Part {
  /** With the password, so it must never be logged. */
  readonly url: string;
}

/** The embedded Postgres of `folder`, for the connections of several nodes. */
export async function postgresPart(folder: string, connections: number, tell: (text: string) => void): Promise<Postgres> {
  const log = { info: () => undefined, warn: tell };
  const open = () => startDatabase({ dataDir: folder, log });
  const first = await withConnections(await open(), connections, open);
  let ready: Database | null = first;
  return {
    name: 'postgres',
    does: 'log and read models',
    address: `127.0.0.1:${new URL(first.url).port}`,
    url: first.url,
    async start() {
      const database = ready ?? (await open());
      ready = null;
      if (database.url !== first.url) {
        await database.stop();
        throw new Error('its port was taken by another program meanwhile; start the cluster again');
      }
      return running(database);
    },
  };
}

function running(database: Database): Running {
  let stopped = (_how: string): void => undefined;
  const byUs = new Promise<string>((resolve) => {
    stopped = resolve;
  });
  // Stops the lock's session, too. It would otherwise take the lock again as soon as a server runs, and block the next start.
  const byItself = database.exited.then(() => database.stop()).then(() => 'its process is gone');
  return {
    pid: database.pid,
    ended: Promise.race([byUs, byItself]),
    async stop() {
      await database.stop();
      stopped('stopped');
    },
  };
}

async function withConnections(database: Database, connections: number, open: () => Promise<Database>): Promise<Database> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ most: number }>(`SELECT current_setting('max_connections')::int AS most`);
  const isEnough = (rows[0]?.most ?? 0) >= connections;
  if (!isEnough) await client.query(`ALTER SYSTEM SET max_connections = ${Math.ceil(connections)}`);
  await client.end();
  if (isEnough) return database;
  await database.stop();
  return open();
}

export interface RedisPart extends Part {
  /** With the password, so it must never be logged. */
  readonly url: string;
}

/** The system's Redis, with a password of its own and an append-only file in `folder`. Throws when this machine has none. */
export async function redisPart(folder: string): Promise<RedisPart> {
  const program = required('redis-server', 'redis-server');
  const port = await freePort();
  const password = randomBytes(24).toString('base64url');
  const url = `redis://:${password}@127.0.0.1:${port}/0`;
  const settings = join(folder, 'redis.conf');
  const logFile = join(folder, 'redis.log');
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir "${folder}"`, `requirepass ${password}`];
  writeFileSync(settings, `${[...lines, 'save ""', 'appendonly yes', 'maxmemory-policy noeviction'].join('\n')}\n`, { mode: 0o600 });
  const start = (signal: AbortSignal) => {
    const running = startProcess({ program, args: [settings], env: process.env, logFile, stopWith: 'SIGTERM' });
    return whenReady(running, logFile, () => answersPing(url), signal);
  };
  return { name: 'redis', does: 'background jobs', address: `127.0.0.1:${port}`, url, start };
}

async function answersPing(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0, connectTimeout: 2_000 });
  client.on('error', () => undefined);
  const answer = await client.ping().catch(() => '');
  client.disconnect();
  return answer === 'PONG';
}

export interface NodePart extends Part {
  readonly url: string;
}

/** A `savepoint start` with these roles. `words`: further arguments. */
export async function nodePart(
  name: string,
  roles: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  words: readonly string[] = [],
): Promise<NodePart> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, `${name}.log`);
  const address = ['--host', '127.0.0.1', '--port', String(port)];
  const [program, args] = programCommand(['start', '--roles', roles, ...address, ...words]);
  const start = (signal: AbortSignal) => {
    const running = startProcess({ program, args, env: { ...env, SAVEPOINT_DATA: join(folder, name) }, logFile, stopWith: 'SIGTERM' });
    return whenReady(running, logFile, () => isHealthy(url), signal);
  };
  return { name, does: roles, address: `127.0.0.1:${port}`, url, start };
}

/** nginx in front of the nodes. `port` 0 takes a free one. Throws when this machine has no nginx. */
export async function balancerPart(folder: string, port: number, nodes: readonly NodePart[]): Promise<NodePart> {
  const program = required('nginx', 'nginx-light');
  const own = port === 0 ? await freePort() : port;
  const logFile = join(folder, 'nginx.log');
  const settings = join(folder, 'nginx.conf');
  const ports = nodes.map((node) => Number(new URL(node.url).port));
  mkdirSync(join(folder, 'nginx'), { recursive: true, mode: 0o700 });
  const balancing = { port: own, nodes: ports, folder: join(folder, 'nginx'), asRoot: process.getuid?.() === 0 };
  writeFileSync(settings, await balancerSettings(balancing));
  const start = (signal: AbortSignal) => {
    // SIGQUIT lets running requests finish.
    const running = startProcess({ program, args: ['-c', settings, '-e', 'stderr'], env: process.env, logFile, stopWith: 'SIGQUIT' });
    return whenReady(running, logFile, () => listens(own), signal);
  };
  return { name: 'balancer', does: 'nginx, hashes on the project', address: `127.0.0.1:${own}`, url: `http://127.0.0.1:${own}`, start };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function required(name: string, debianPackage: string): string {
  const program = findProgram(name);
  if (program !== null) return program;
  throw new Error(`There is no ${name} on this machine. Debian: RUNLEVEL=1 apt-get install --no-install-recommends ${debianPackage}`);
}
