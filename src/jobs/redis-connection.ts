import { Redis } from 'ioredis';
import { errorMessage } from '../kernel/error-reporting.ts';

const MAX_RETRY_MS = 2000;

/** Delay before the next attempt to connect, ms. */
export function retryStrategy(times: number): number {
  return Math.min(times * 100, MAX_RETRY_MS);
}

/**
 * Opens a connection for requests. During an outage of Redis a request fails at once: nobody waits, and nothing is sent later that its
 * sender was told has failed. Resolves when Redis has answered. Rejects with the cause if Redis cannot be reached or does not answer in
 * time.
 */
export async function connectForReading(url: string, answerMs: number, onError: (error: unknown) => void): Promise<Redis> {
  const asking = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    retryStrategy,
  });
  // `connect` rejects only with "Connection is closed". An earlier event carries the cause.
  let cause: unknown;
  asking.on('error', (error) => {
    cause = error;
    onError(error);
  });
  try {
    await asking.connect();
    await asking.ping();
    return asking;
  } catch (error) {
    asking.disconnect();
    throw cause ?? error;
  }
}

/** Facts of a Redis server. */
export interface RedisFacts {
  /** `7.0.15`; with its name if it is another server with the same protocol. */
  readonly version: string;
  /** Time of one request. */
  readonly latencyMs: number;
  /** What it evicts when its memory is full. */
  readonly evictionPolicy: string;
  /** Bytes; 0: as much as the machine has. */
  readonly maxMemory: number;
  readonly isReplica: boolean;
  readonly appendsOnly: boolean;
}

/** Reads the facts of a Redis server. Throws an `Error` that says why it cannot, without secrets. */
export async function readRedisFacts(url: string, answerMs: number): Promise<RedisFacts> {
  let redis: Redis | null = null;
  try {
    redis = await connectForReading(url, answerMs, () => undefined);
    const started = performance.now();
    await redis.ping();
    const latencyMs = Math.round(performance.now() - started);
    return { ...factsIn(await redis.info()), latencyMs };
  } catch (error) {
    throw new Error(errorMessage(error));
  } finally {
    redis?.disconnect();
  }
}

function factsIn(info: string): Omit<RedisFacts, 'latencyMs'> {
  const of = (name: string) => new RegExp(`^${name}:(.*?)\\s*$`, 'm').exec(info)?.[1] ?? '';
  const server = of('server_name');
  return {
    version: server === '' || server === 'redis' ? of('redis_version') : `${of('redis_version')} (${server})`,
    evictionPolicy: of('maxmemory_policy'),
    maxMemory: Number(of('maxmemory')),
    isReplica: of('role') === 'slave',
    appendsOnly: of('aof_enabled') === '1',
  };
}

export const OLDEST_REDIS = '6.2';
/** The job library does not work with an older version. */
const MIN_REDIS = '5.0';

/** Whether jobs run on this server. `unsound`: they do, but the library advises against it. */
export function redisServes({ version }: Pick<RedisFacts, 'version'>): 'yes' | 'unsound' | 'no' {
  if (isOlder(version, MIN_REDIS)) return 'no';
  return isOlder(version, OLDEST_REDIS) ? 'unsound' : 'yes';
}

function isOlder(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
