import { QUEUES, type QueueName } from './kinds.ts';
import type { StoredJob } from './store.ts';

/** Jobs as operators see them. */

/** States of jobs, in the order of lists. `failed` are the dead letters. */
export const STATES = ['active', 'waiting', 'delayed', 'failed', 'completed'] as const;
export type JobState = (typeof STATES)[number];

export interface JobView {
  /** Queue and number, such as `long-12`. */
  readonly id: string;
  readonly name: string;
  readonly state: JobState;
  /** Runs so far, and the maximum. */
  readonly attempts: number;
  readonly of: number;
  /** Percent; `null` for kinds that do not report progress. */
  readonly progress: number | null;
  readonly data: unknown;
  readonly result: unknown;
  /** Why the last run failed. */
  readonly error: string | null;
  /** Times in ISO 8601. */
  readonly enqueuedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

export function viewOf(queue: QueueName, state: JobState, job: StoredJob): JobView {
  return {
    id: numberedId(queue, job),
    name: job.name,
    state,
    attempts: job.attemptsMade,
    of: job.opts.attempts ?? 1,
    progress: typeof job.progress === 'number' && job.progress > 0 ? job.progress : null,
    data: job.data,
    result: job.returnvalue ?? null,
    error: job.failedReason || null,
    enqueuedAt: new Date(job.timestamp).toISOString(),
    startedAt: timeOf(job.processedOn),
    finishedAt: timeOf(job.finishedOn),
  };
}

function timeOf(ms: number | null | undefined): string | null {
  return ms === undefined || ms === null ? null : new Date(ms).toISOString();
}

/** The id of a job with its queue, because each queue counts for itself. */
export function numberedId(queue: QueueName, job: Pick<StoredJob, 'id'>): string {
  return `${queue}-${job.id ?? ''}`;
}

/** Queue and number of an id such as `long-12`; `null` for any other text. */
export function parseId(text: string): { readonly queue: QueueName; readonly id: string } | null {
  const queue = QUEUES.find((name) => text.startsWith(`${name}-`));
  return queue === undefined ? null : { queue, id: text.slice(queue.length + 1) };
}
