import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../infra/harness/port.ts';

/** A real Redis that belongs to the test, on a free loopback port. It can be killed and started again with what it held. */

/** `REDIS_SERVER` names another program than the system's. */
const REDIS_SERVER = process.env['REDIS_SERVER'] ?? '/usr/bin/redis-server';
export const hasRedis = existsSync(REDIS_SERVER);

if (!hasRedis) {
  process.stderr.write(`\n*** SKIPPED: the jobs suite on Redis. There is no ${REDIS_SERVER}: apt-get install redis-server ***\n\n`);
}

/** It must not be in any log; the tests look for it there. */
export const REDIS_PASSWORD = 'redis-secret-5d1c';

export interface TestRedis {
  readonly url: string;
  /** kill -9. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP: it accepts connections and does not answer. */
  freeze(): void;
  thaw(): void;
  remove(): Promise<void>;
}

export async function startRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-redis-'));
  const port = await freePort();
  const url = `redis://:${REDIS_PASSWORD}@127.0.0.1:${port}/0`;
  let server: ChildProcess | undefined;

  const start = async () => {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--requirepass', REDIS_PASSWORD];
    server = spawn(REDIS_SERVER, [...settings, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'], { stdio: 'ignore' });
    await answers(url);
  };
  const kill = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server?.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url,
    kill,
    start,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await client.ping();
  client.disconnect();
}
