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
  let closing = false;
  const told = (error: unknown) => {
    if (!closing) trouble(reasonOf(error));
  };
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
  // `connect` rejects with "Connection is closed" alone; the cause was told before.
  let cause: unknown;
  asking.on('error', (error) => {
    cause = error;
  });
  try {
    await asking.connect();
    await asking.ping();
  } catch (error) {
    asking.disconnect();
    throw cause ?? error;
  }
  asking.on('close', () => told(new Error('the connection was lost')));
  const waiting: Redis[] = [];
  /** The library stops listening when its worker closes, and a connection may fail once more after that. */
  const watched = (connection: Redis) => {
    connection.on('error', told);
    waiting.push(connection);
    return connection;
  };

  return {
    kind: 'redis',
    queue(lane) {
      const queue = new Queue<unknown, unknown, string>(queueName(lane), { connection: asking });
      queue.on('error', told);
      return queue;
    },
    worker(lane, run, { lockMs, takeOvers }) {
      const connection = watched(new Redis(url, { maxRetriesPerRequest: null, connectTimeout: answerMs, retryStrategy }));
      // The library makes a second one for blocking calls, which it cannot close while Redis is away.
      const duplicate = connection.duplicate.bind(connection);
      connection.duplicate = (options) => watched(duplicate(options));
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
      closing = true;
      for (const connection of [asking, ...waiting]) connection.disconnect();
    },
  };
}
