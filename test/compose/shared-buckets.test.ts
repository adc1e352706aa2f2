import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedBuckets } from '../../src/compose/shared-buckets.ts';
import { type Harness, startServer } from '../http/harness.ts';
import { hasRedis, REDIS_PASSWORD, startRedis, type TestRedis } from '../jobs/redis.ts';
import { until } from '../jobs/support.ts';

const BURST = 200;
const rule = { burst: BURST, perSecond: 0.001 };
const PLAYER = '10.0.0.1';

describe.skipIf(!hasRedis)('request buckets of two nodes with one Redis', () => {
  let redis: TestRedis;
  const nodes: Harness[] = [];
  const stops: (() => Promise<void>)[] = [];
  const said: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });

  const startNode = async (redisUrl: string) => {
    const shared = sharedBuckets({ redisUrl }, logger, { add: (stop) => void stops.push(stop) });
    const node = await startServer(
      { buckets: { game: rule, management: rule, session: rule, guest: rule, system: rule } },
      { sharedBuckets: shared },
    );
    nodes.push(node);
    return node;
  };
  const ask = async (node: Harness, address = PLAYER) =>
    (await node.send('GET', '/v3/values/demo', { headers: { 'X-Forwarded-For': address } })).status;
  const askAll = (node: Harness, times: number, address = PLAYER) => Promise.all(Array.from({ length: times }, () => ask(node, address)));
  /** How many requests a node lets through before it refuses one. */
  const passed = async (node: Harness, address = PLAYER) => {
    for (let count = 0; ; count += 1) if ((await ask(node, address)) === 429) return count;
  };

  beforeEach(async () => {
    redis = await startRedis();
    said.length = 0;
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    await Promise.all(stops.splice(0).map((stop) => stop()));
    await redis.remove();
  });

  it('share a burst: what one gave out is not available on the other', async () => {
    const [one, other] = [await startNode(redis.url), await startNode(redis.url)];
    // A node hears of the others a moment later. Until then it counts for itself.
    let player = 0;
    await until(async () => {
      const address = `10.0.${2 + Math.floor(player / 250)}.${player++ % 250}`;
      expect(new Set(await askAll(one, BURST, address))).toEqual(new Set([401]));
      expect(await ask(one, address)).toBe(429);
      return (await passed(other, address)) < BURST;
    });
    expect(await ask(other, '10.0.0.2')).toBe(401);
    expect(said).toEqual([]);
  });

  it('owe the tokens that both gave out at once', async () => {
    const [one, other] = [await startNode(redis.url), await startNode(redis.url)];
    const retryAfter = async (node: Harness, address: string) =>
      Number((await node.send('GET', '/v3/values/demo', { headers: { 'X-Forwarded-For': address } })).headers['retry-after']);
    // A node that hears of the other in between gives out fewer tokens, and then nothing is owed: the next address tries.
    let player = 10;
    await until(async () => {
      const address = `10.1.3.${player++}`;
      await Promise.all([askAll(one, BURST - 1, address), askAll(other, BURST - 1, address)]);
      for (let tries = 0; tries < 50; tries += 1) {
        // An empty bucket has a token again after 1 / perSecond. One that is below zero takes longer. The node that reports last hears of
        // it.
        const waits = [await retryAfter(one, address), await retryAfter(other, address)];
        if (waits.some((seconds) => seconds > 1 / rule.perSecond)) return true;
        await setTimeout(20);
      }
      return false;
    });
  });

  it('count separately during an outage of Redis, report it once and without a secret, and then count together again', async () => {
    await redis.kill();
    const [one, other] = [await startNode(redis.url), await startNode(redis.url)];
    for (const node of [one, other]) {
      expect(new Set(await askAll(node, BURST))).toEqual(new Set([401]));
      expect(await ask(node)).toBe(429);
    }
    await until(async () => said.length > 0);
    await redis.start();
    let player = 10;
    await until(async () => {
      const address = `10.0.1.${player++}`;
      await askAll(one, BURST, address);
      return (await passed(other, address)) < BURST;
    });
    expect(said.join('')).toContain('each counts for itself');
    expect(said.join('')).not.toContain(REDIS_PASSWORD);
  });
});
