import type { Job, Queue } from 'bullmq';
import { QUEUES, type QueueName } from './kinds.ts';

/** Where jobs are kept. Two stores, one library: see `redis-store.ts` and `postgres-store.ts`. */

/** The jobs of one queue, as the library shows them on either store. */
export type JobQueue = Pick<
  Queue<unknown, unknown, string>,
  'add' | 'clean' | 'close' | 'getJob' | 'getJobCounts' | 'getJobs' | 'waitUntilReady'
>;

/** The most connections of the store in Postgres: the worker of each queue holds one on which it is woken. */
export const POSTGRES_CLIENTS = QUEUES.length + 4;

export interface JobWorker {
  /** Takes no more jobs and resolves when running ones have ended. */
  close(): Promise<void>;
  waitUntilReady(): Promise<void>;
  on(event: 'failed', listener: (job: StoredJob | undefined, error: Error) => void): unknown;
}

export type StoredJob = Job<unknown, unknown, string>;

export interface WorkerTuning {
  /** How long a job still belongs to a worker that went silent, ms. A living worker renews it after half of that. */
  readonly lockMs: number;
  /** How often a job may be taken over from a worker that died, before it is a dead letter. */
  readonly takeOvers: number;
}

/** How a worker of either store behaves. */
export function workerSettings({ lockMs, takeOvers }: WorkerTuning) {
  return { concurrency: 1, lockDuration: lockMs, stalledInterval: lockMs, maxStalledCount: takeOvers, runRetryDelay: 1000 };
}

export interface Store {
  readonly kind: 'redis' | 'postgres';
  queue(name: QueueName): JobQueue;
  /** A worker that takes jobs at once, one at a time. After an outage of the store it goes on by itself. */
  worker(name: QueueName, run: (job: StoredJob) => Promise<unknown>, tuning: WorkerTuning): JobWorker;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
  /** Closes the connections. Queues and workers must be closed before. `force`: waits for nothing. */
  close(force: boolean): Promise<void>;
}

export interface StoreOptions {
  /** It contains the password. */
  readonly url: string;
  /** The longest wait for an answer, ms. */
  readonly answerMs: number;
  /** Gets the reason of each failure, without secrets. Called often during an outage of the store. */
  readonly onError: (reason: string) => void;
}

/** The name of a queue in the store. Other programs may use the same store. */
export function queueName(name: QueueName): string {
  return `savepoint-${name}`;
}
