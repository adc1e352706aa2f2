import { type Config, redactUrl } from '../../config/config.ts';
import type { RedisFacts } from '../../jobs/redis-connection.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks the store of background jobs. Without it requests go on, but jobs do not. */

const TIMEOUT_MS = 5_000;
const SLOW_MS = 50;

export async function checkQueue({ redisUrl }: Config): Promise<readonly Finding[]> {
  if (redisUrl === null) return [ok('queue', 'in the database')];
  const address = `Redis ${redactUrl(redisUrl)}`;
  // Loading the client takes time, so only an installation with Redis does it.
  const { readRedisFacts, redisServes, OLDEST_REDIS } = await import('../../jobs/redis-connection.ts');
  try {
    const facts = await readRedisFacts(redisUrl, TIMEOUT_MS);
    const state = { yes: ok, unsound: warn, no: fail }[redisServes(facts)];
    const age = state('queue version', `Redis ${facts.version}`, `Use Redis ${OLDEST_REDIS} or later, or unset REDIS_URL.`);
    return [ok('queue', `${address} answers`), age, latency(facts), role(facts), eviction(facts), persistence(facts)];
  } catch (error) {
    const cure = 'Start it, or correct REDIS_URL; unset it to keep jobs in Postgres. Requests go on meanwhile, jobs wait.';
    return [fail('queue', `${address} does not answer: ${errorMessage(error)}`, cure)];
  }
}

function latency({ latencyMs }: RedisFacts): Finding {
  const found = `${latencyMs} ms for a question and its answer`;
  return latencyMs <= SLOW_MS
    ? ok('queue latency', found)
    : warn('queue latency', found, 'Jobs start late: keep node and Redis close together.');
}

function role({ isReplica }: RedisFacts): Finding {
  if (!isReplica) return ok('queue role', 'it can be written');
  return fail('queue role', 'a replica, which cannot be written', 'Name the primary in REDIS_URL.');
}

function eviction({ evictionPolicy, maxMemory }: RedisFacts): Finding {
  const found = `maxmemory-policy ${evictionPolicy}, maxmemory ${maxMemory === 0 ? 'unlimited' : maxMemory}`;
  if (evictionPolicy === 'noeviction') return ok('queue eviction', found);
  const cure = 'CONFIG SET maxmemory-policy noeviction, and in redis.conf: any other one throws jobs away when memory is full.';
  return maxMemory === 0 ? warn('queue eviction', found, cure) : fail('queue eviction', found, cure);
}

function persistence({ appendsOnly }: RedisFacts): Finding {
  if (appendsOnly) return ok('queue persistence', 'appendonly yes');
  const cure =
    'CONFIG SET appendonly yes, and in redis.conf: without it a restart loses the jobs since the last snapshot, if there is one.';
  return warn('queue persistence', 'appendonly no', cure);
}
