import { DEAD_KEPT_MS, DONE_KEPT_MS } from './handlers.ts';
import { JOB_KINDS, JOB_NAMES, type JobName, QUEUES, type QueueName } from './kinds.ts';
import type { JobQueue, Store, StoredJob } from './store.ts';
import { type JobState, type JobView, parseId, viewOf } from './view.ts';

/** Operations on all queues. They reject if the store fails. */

export type Queues = Readonly<Record<QueueName, JobQueue>>;

const PAGE = 1000;

export async function openQueues(store: Store): Promise<Queues> {
  const queues = { long: store.queue('long'), upkeep: store.queue('upkeep') };
  // A queue that could not connect to its store at the start never recovers.
  for (const queue of QUEUES) await queues[queue].waitUntilReady();
  return queues;
}

/**
 * The library's options for a job of this kind: attempts, back-off, how long it is stored. `retryMs`: pause before the second run, then
 * doubled.
 */
export function settingsOf(name: JobName, retryMs: number) {
  return {
    attempts: JOB_KINDS[name].attempts,
    backoff: { type: 'exponential', delay: retryMs },
    removeOnComplete: { age: DONE_KEPT_MS / 1000, count: PAGE },
    removeOnFail: { age: DEAD_KEPT_MS / 1000, count: PAGE },
    stackTraceLimit: 3,
  };
}

/**
 * Adds the scheduled jobs that are due. Every node adds the same run with the same id, which is stored longer than the job's period, so it
 * runs once. (The library's own schedulers caused deadlocks and duplicate runs if several nodes set them at once on Postgres:
 * docs/architecture.md.)
 */
export async function enqueueDue(queues: Queues, now: number, retryMs: number): Promise<void> {
  for (const name of JOB_NAMES) {
    const { queue, everyMs } = JOB_KINDS[name];
    if (everyMs === null) continue;
    const jobId = `${name}@${Math.floor(now / everyMs)}`;
    await queues[queue].add(name, {}, { ...settingsOf(name, retryMs), jobId });
  }
}

/** Lists jobs, newest first within each queue and state. */
export async function listJobs(queues: Queues, states: readonly JobState[], limit: number): Promise<readonly JobView[]> {
  const views: JobView[] = [];
  for (const queue of QUEUES) {
    for (const state of states) {
      const jobs = await queues[queue].getJobs(state === 'waiting' ? ['waiting', 'prioritized'] : [state], 0, limit - 1);
      views.push(...jobs.map((job) => viewOf(queue, state, job)));
    }
  }
  return views;
}

export interface DeadLetter {
  readonly queue: QueueName;
  readonly job: StoredJob;
}

/** The dead letter with this id, if it is one, or the newest {@link PAGE} of each queue. */
export async function deadLetters(queues: Queues, which: { readonly id: string } | 'all'): Promise<readonly DeadLetter[]> {
  if (which !== 'all') {
    const parsed = parseId(which.id);
    const job = parsed && (await queues[parsed.queue].getJob(parsed.id));
    return parsed && job && (await job.isFailed()) ? [{ queue: parsed.queue, job }] : [];
  }
  const all = QUEUES.map(async (queue) => (await queues[queue].getJobs(['failed'], 0, PAGE - 1)).map((job) => ({ queue, job })));
  return (await Promise.all(all)).flat();
}

export type JobCounts = Readonly<Record<QueueName, Readonly<Record<JobState, number>>>>;

export async function countsOf(queues: Queues): Promise<JobCounts> {
  const [long, upkeep] = await Promise.all([countsIn(queues.long), countsIn(queues.upkeep)]);
  return { long, upkeep };
}

async function countsIn(queue: JobQueue): Promise<Record<JobState, number>> {
  const found = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'completed', 'failed');
  const count = (state: string) => found[state] ?? 0;
  return {
    waiting: count('waiting') + count('prioritized'),
    active: count('active'),
    delayed: count('delayed'),
    completed: count('completed'),
    failed: count('failed'),
  };
}

/** Removes jobs that ended longer ago than this, ms. Resolves to how many. */
export async function forgetJobs(queues: Queues, age: { readonly doneMs: number; readonly deadMs: number }): Promise<number> {
  let removed = 0;
  for (const queue of QUEUES) {
    removed += (await queues[queue].clean(age.doneMs, PAGE, 'completed')).length;
    removed += (await queues[queue].clean(age.deadMs, PAGE, 'failed')).length;
  }
  return removed;
}
