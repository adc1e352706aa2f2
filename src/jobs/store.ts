import type { Job, Queue } from 'bullmq';
import { LANES, type Lane } from './kinds.ts';

/** Where jobs are kept. Two stores, one library: see `redis-store.ts` and `postgres-store.ts`. */

/** A lane's jobs, as the library shows them on either store. */
export type LaneQueue = Pick<
  Queue<unknown, unknown, string>,
  'add' | 'clean' | 'close' | 'getJob' | 'getJobCounts' | 'getJobs' | 'waitUntilReady'
>;

/** Connections of the store in Postgres, at most: each lane's worker holds one for being woken. */
export const POSTGRES_CLIENTS = LANES.length + 4;

export interface LaneWorker {
  /** Takes no more jobs and resolves when what runs is done. */
  close(): Promise<void>;
  waitUntilReady(): Promise<void>;
  on(event: 'failed', listener: (job: StoredJob | undefined, error: Error) => void): unknown;
}

export type StoredJob = Job<unknown, unknown, string>;

export interface WorkerTuning {
  /** How long a worker that went silent keeps its job, ms; a living one renews it at half of that. */
  readonly lockMs: number;
  /** How often a job may be taken over from a worker that died before it is a dead letter. */
  readonly takeOvers: number;
}

/** How a worker of either store behaves. */
export function workerSettings({ lockMs, takeOvers }: WorkerTuning) {
  return { concurrency: 1, lockDuration: lockMs, stalledInterval: lockMs, maxStalledCount: takeOvers, runRetryDelay: 1000 };
}

export interface Store {
  readonly kind: 'redis' | 'postgres';
  queue(lane: Lane): LaneQueue;
  /** Begins to take jobs at once, one at a time; takes up again by itself when the store was away. */
  worker(lane: Lane, run: (job: StoredJob) => Promise<unknown>, tuning: WorkerTuning): LaneWorker;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
  /** Gives up the connections; queues and workers are to be closed before. `force`: waits for nothing. */
  close(force: boolean): Promise<void>;
}

export interface StoreOptions {
  /** With its password. */
  readonly url: string;
  /** Longest wait for an answer, ms. */
  readonly answerMs: number;
  /** Told what went wrong, without secrets; called often while the store is away. */
  readonly trouble: (reason: string) => void;
}

/** The name under which a lane is kept; the stores may be shared with other programs. */
export function queueName(lane: Lane): string {
  return `savepoint-${lane}`;
}
