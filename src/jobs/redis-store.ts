import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { queueName, reasonOf, type Store, type StoreOptions } from './store.ts';

/**
 * Jobs in Redis. Two kinds of connections: those that ask are told at once when Redis is away, so that nobody waits and nothing is
 * sent later that its sender was told had failed; those of workers wait for it as long as it takes.
 */

const LONGEST_RETRY_MS = 2000;

function retryStrategy(times: number): number {
  return Math.min(times * 100, LONGEST_RETRY_MS);
}

/** Resolves when Redis has answered; rejects when it cannot be reached, or does not answer in time. */
export async function openRedisStore({ url, answerMs, trouble }: StoreOptions): Promise<Store> {
  const told = (error: unknown) => trouble(reasonOf(error));
  const asking = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    retryStrategy,
  });
  asking.on('error', told);
  try {
    await asking.connect();
    await asking.ping();
  } catch (error) {
    asking.disconnect();
    throw error;
  }
  const waiting: Redis[] = [];

  return {
    kind: 'redis',
    queue(lane) {
      const queue = new Queue<unknown, unknown, string>(queueName(lane), { connection: asking });
      queue.on('error', told);
      return queue;
    },
    worker(lane, run, { lockMs, takeOvers }) {
      const connection = new Redis(url, { maxRetriesPerRequest: null, connectTimeout: answerMs, retryStrategy });
      waiting.push(connection);
      const worker = new Worker<unknown, unknown, string>(queueName(lane), run, {
        connection,
        concurrency: 1,
        lockDuration: lockMs,
        stalledInterval: lockMs,
        maxStalledCount: takeOvers,
        runRetryDelay: 1000,
      });
      worker.on('error', told);
      return worker;
    },
    async ping() {
      await asking.ping();
    },
    async close() {
      for (const connection of [asking, ...waiting]) connection.disconnect();
    },
  };
}
