import type { Redis, Result } from 'ioredis';
import type { Logger } from 'pino';
import { type Config, redactUrl } from '../config/config.ts';
import type { SharedBuckets, TakenTokens } from '../http/buckets.ts';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import type { Shutdown } from './shutdown.ts';

const PREFIX = 'savepoint:bucket:';
const ANSWER_MS = 2_000;
const QUIET_MS = 30_000;

/**
 * A token bucket in Redis: fills it by Redis' own clock, subtracts what was taken (it may go below zero by one burst), and returns what is
 * left. A full bucket expires.
 */
const TAKE = `
local burst, rate, taken = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(held[1]) or burst, tonumber(held[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate / 1000) - taken
tokens = math.max(-burst, tokens)
redis.call('HSET', KEYS[1], 'tokens', string.format('%.3f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil((burst - tokens) * 1000 / rate) + 1000))
return string.format('%.3f', tokens)`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeTokens(key: string, burst: number, perSecond: number, taken: number): Result<string, Context>;
  }
}

/** The request buckets that all processes with the same `REDIS_URL` share; `null` without one. */
export function sharedBuckets(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  logger: Logger,
  shutdown: Pick<Shutdown, 'add'>,
): SharedBuckets | null {
  if (redisUrl === null) return null;
  const report = throttled((reason: string) => {
    logger.warn({ store: redactUrl(redisUrl), reason }, 'requests are not counted over all processes; each counts for itself');
  }, QUIET_MS);
  const reportError = (error: unknown) => report(errorMessage(error));
  let connecting: Promise<Redis> | null = null;
  const connect = async () => {
    // Loaded on demand, so that no start waits for the library.
    const { connectForReading } = await import('../jobs/redis-connection.ts');
    const redis = await connectForReading(redisUrl, ANSWER_MS, reportError);
    redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: TAKE });
    return redis;
  };
  shutdown.add(async () => (await connecting?.catch(() => null))?.disconnect());

  return {
    async take(taken) {
      connecting ??= connect().catch((error: unknown) => {
        connecting = null;
        throw error;
      });
      try {
        return await takeAll(await connecting, taken);
      } catch (error) {
        reportError(error);
        throw error;
      }
    },
  };
}

async function takeAll(redis: Redis, taken: readonly TakenTokens[]): Promise<readonly number[]> {
  const pipeline = redis.pipeline();
  for (const { key, rule, tokens } of taken) pipeline.takeTokens(`${PREFIX}${key}`, rule.burst, rule.perSecond, tokens);
  const answers = (await pipeline.exec()) ?? [];
  return answers.map(([error, left]) => {
    if (error) throw error;
    return Number(left);
  });
}
