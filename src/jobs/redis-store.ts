import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { errorMessage } from '../kernel/error-reporting.ts';
import { connectForReading, retryStrategy } from './redis-connection.ts';
import { queueName, type Store, type StoreOptions, workerSettings } from './store.ts';

/**
 * Jobs in Redis. There are two kinds of connections. During an outage of Redis those for requests fail at once, and those of workers wait.
 */

/** Resolves when Redis has answered; rejects if it cannot be reached, or does not answer in time. */
export async function openRedisStore({ url, answerMs, onError }: StoreOptions): Promise<Store> {
  let closing = false;
  const report = (error: unknown) => {
    if (!closing) onError(errorMessage(error));
  };
  const asking = await connectForReading(url, answerMs, report);
  asking.on('close', () => report(new Error('the connection was lost')));
  const waiting = new Set<Redis>();

  return {
    kind: 'redis',
    queue(name) {
      const queue = new Queue<unknown, unknown, string>(queueName(name), { connection: asking });
      queue.on('error', report);
      return queue;
    },
    worker(name, run, tuning) {
      const own: Redis[] = [];
      /** The library stops listening when its worker closes, and a connection may fail once more after that. */
      const watched = (made: Redis) => {
        made.on('error', report);
        waiting.add(made);
        own.push(made);
        return made;
      };
      const connection = watched(new Redis(url, { maxRetriesPerRequest: null, connectTimeout: answerMs, retryStrategy }));
      // The library makes a second connection for blocking calls, which it cannot close during an outage of Redis.
      const duplicate = connection.duplicate.bind(connection);
      connection.duplicate = (options) => watched(duplicate(options));
      const worker = new Worker<unknown, unknown, string>(queueName(name), run, {
        connection,
        ...workerSettings(tuning),
      });
      worker.on('error', report);
      // The library does not close connections that it was given.
      worker.once('closed', () => {
        for (const each of own) each.disconnect();
        for (const each of own) waiting.delete(each);
      });
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
