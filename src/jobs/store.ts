import type { Job, Queue } from 'bullmq';
import { QUEUES, type QueueName } from './kinds.ts';

/** The store of jobs. One library works on two stores: see `redis-store.ts` and `postgres-store.ts`. */

/** The part of the library's queue that is used, on either store. */
export type JobQueue = Pick<
  Queue<unknown, unknown, string>,
  'add' | 'clean' | 'close' | 'getJob' | 'getJobCounts' | 'getJobs' | 'waitUntilReady'
>;

/** Most connections of the store in Postgres: the worker of each queue holds one for notifications. */
export const POSTGRES_CLIENTS = QUEUES.length + 4;

export interface JobWorker {
  /** Takes no more jobs and resolves when running ones have ended. */
  close(): Promise<void>;
  waitUntilReady(): Promise<void>;
  on(event: 'failed', listener: (job: StoredJob | undefined, error: Error) => void): unknown;
}

export type StoredJob = Job<unknown, unknown, string>;

export interface WorkerTuning {
  /** How long a job belongs to a worker that has become silent, ms. A living worker renews the lock after half of that. */
  readonly lockMs: number;
  /** How often a job may be taken over from a dead worker, before it is a dead letter. */
  readonly takeOvers: number;
}

/** The library's options for a worker, on either store. */
export function workerSettings({ lockMs, takeOvers }: WorkerTuning) {
  return { concurrency: 1, lockDuration: lockMs, stalledInterval: lockMs, maxStalledCount: takeOvers, runRetryDelay: 1000 };
}

export interface Store {
  readonly kind: 'redis' | 'postgres';
  queue(name: QueueName): JobQueue;
  /** Starts a worker that takes one job at a time. After an outage of the store it resumes by itself. */
  worker(name: QueueName, run: (job: StoredJob) => Promise<unknown>, tuning: WorkerTuning): JobWorker;
  /** Rejects if the store does not answer. */
  ping(): Promise<void>;
  /** Closes the connections. Queues and workers must be closed first. `force`: without waiting. */
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

/** The name of a queue in the store. It has a prefix, because other programs may use the same store. */
export function queueName(name: QueueName): string {
  return `savepoint-${name}`;
}
