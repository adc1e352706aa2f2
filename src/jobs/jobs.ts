import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import { refusal } from '../kernel/errors.ts';
import type { JobContext, JobHandlers } from './handlers.ts';
import { JOB_KINDS, type JobData, type JobName, QUEUES, type QueueName } from './kinds.ts';
import { openPostgresStore } from './postgres-store.ts';
import { countsOf, deadLetters, enqueueDue, forgetJobs, type JobCounts, listJobs, openQueues, type Queues, settingsOf } from './queues.ts';
import { openRedisStore } from './redis-store.ts';
import { createRunner } from './runner.ts';
import type { JobWorker, Store, StoredJob } from './store.ts';
import { within } from './timeout.ts';
import { type JobState, type JobView, numberedId, STATES } from './view.ts';

/**
 * The only place that makes queues and workers. No request needs them: during an outage of the store `enqueue` refuses within `answerMs`,
 * and workers go on by themselves afterwards.
 *
 * A job is *waiting*, *active*, *delayed* (between two tries), *completed* or *failed*. Failed jobs are the dead letters: they failed at
 * the last try, or for good. `retry` makes a dead letter wait again with all its tries.
 */

export interface JobsOptions {
  /** `null`: jobs are kept in Postgres. */
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
  /** Makes an address fit for logs and messages. */
  readonly redact: (url: string) => string;
  readonly logger: Logger;
  /** `null` where no jobs run, such as in a command that lists them. */
  readonly handlers: JobHandlers | null;
  readonly timing?: Partial<Timing>;
  /** Unix ms. */
  readonly now?: () => number;
}

/** All in milliseconds. */
export interface Timing {
  /** The longest wait for an answer of the store. */
  readonly answerMs: number;
  /** Pause before the second run; doubled before each further one. */
  readonly retryMs: number;
  /** How long a job still belongs to a worker that died. */
  readonly lockMs: number;
  /** Pause between two checks for scheduled jobs that are due. */
  readonly lookMs: number;
}

interface EnqueueOptions {
  /** While a job with this text waits or runs, no other is added, and `enqueue` returns its id. */
  readonly unique?: string;
}

interface JobsHealth {
  readonly status: 'ok' | 'unavailable';
  readonly store: Store['kind'];
  readonly address: string;
  /** How many jobs are in each queue and state; `null` when the store does not answer. */
  readonly counts: JobCounts | null;
  readonly reason: string | null;
}

export interface Jobs {
  /** Resolves to the job's id. Refuses with `VALIDATION_FAILED`, or with `STORAGE_UNAVAILABLE` when the store does not answer in time. */
  enqueue<N extends JobName>(name: N, data: JobData<N>, options?: EnqueueOptions): Promise<string>;
  /** Starts workers and schedules as soon as the store is there. Returns at once. */
  start(): void;
  /** Newest first within each queue and state. */
  list(filter?: { readonly states?: readonly JobState[]; readonly limit?: number }): Promise<readonly JobView[]>;
  /** Resolves to the ids of jobs that wait again. Refuses with `NOT_FOUND` if a job is not a dead letter. */
  retry(which: { readonly id: string } | 'all'): Promise<readonly string[]>;
  /** It never rejects. */
  health(): Promise<JobsHealth>;
  /** Takes no more jobs, waits at most `graceMs` for running ones, and closes the connections. Unfinished jobs run again elsewhere. */
  close(graceMs?: number): Promise<void>;
}

const TIMING: Timing = { answerMs: 2000, retryMs: 5000, lockMs: 30_000, lookMs: 60_000 };
const TAKE_OVERS = 3;
const MAX_PAUSE_MS = 5000;
const QUIET_MS = 30_000;
const GRACE_MS = 10_000;
/** How long closing connections may take when no job runs. */
const GOODBYE_MS = 1000;

interface Opened {
  readonly store: Store;
  readonly queues: Queues;
}

/** Jobs on Redis, or in Postgres without a `redisUrl`. It connects when first used or started. */
export function createJobs({ redisUrl, databaseUrl, redact, logger, handlers, timing: given, now = Date.now }: JobsOptions): Jobs {
  const timing = { ...TIMING, ...given };
  const kind = redisUrl === null ? 'postgres' : 'redis';
  const address = redact(redisUrl ?? databaseUrl);
  // While the store is away every connection reports that all the time, so it is logged only now and then.
  const onError = throttled((reason: string) => logger.warn({ store: address, reason }, 'the job queue fails; requests go on'), QUIET_MS);
  const closing = new AbortController();
  const workers: JobWorker[] = [];
  let opening: Promise<Opened> | null = null;
  let closed: Promise<void> | null = null;

  async function opened(): Promise<Opened> {
    if (closing.signal.aborted) throw new Error('it was closed');
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  async function open(): Promise<Opened> {
    const store = await (redisUrl === null
      ? openPostgresStore({ url: databaseUrl, answerMs: timing.answerMs, onError })
      : openRedisStore({ url: redisUrl, answerMs: timing.answerMs, onError }));
    try {
      return { store, queues: await openQueues(store) };
    } catch (error) {
      await store.close(true);
      throw error;
    }
  }

  /** Asks the store. The refusal says what is known of the outcome. */
  async function ask<T>(what: string, question: (opened: Opened) => Promise<T>): Promise<T> {
    const timeout = new AbortController();
    const tooLong = sleep(timing.answerMs, undefined, { signal: timeout.signal }).then(() => {
      throw new Error(`no answer within ${timing.answerMs} ms`);
    });
    try {
      return await Promise.race([opened().then(question), tooLong]);
    } catch (error) {
      throw refusal(
        'STORAGE_UNAVAILABLE',
        `The job queue (${address}) cannot do this now: ${errorMessage(error)}${what === '' ? '' : `. ${what}`}`,
      );
    } finally {
      tooLong.catch(() => undefined);
      timeout.abort();
    }
  }

  const forget: JobContext['forget'] = async (age) => forgetJobs((await opened()).queues, age);
  const runner = handlers === null ? null : createRunner(handlers, forget, logger);

  async function work(): Promise<void> {
    if (runner === null) throw new Error('jobs without handlers cannot be started');
    const { store, queues } = await opened();
    for (const queue of QUEUES) {
      closing.signal.throwIfAborted();
      const run = (job: StoredJob) => runner.run(numberedId(queue, job), job);
      const worker = store.worker(queue, run, { lockMs: timing.lockMs, takeOvers: TAKE_OVERS });
      worker.on('failed', (job, error) => tellFailure(logger, queue, job, error));
      workers.push(worker);
      await worker.waitUntilReady();
    }
    await enqueueDue(queues, now(), timing.retryMs);
    logger.info({ store: address }, 'jobs are running');
    void keepSchedules(queues);
  }

  async function keepSchedules(queues: Queues): Promise<void> {
    for (;;) {
      await pause(timing.lookMs);
      if (closing.signal.aborted) return;
      await enqueueDue(queues, now(), timing.retryMs).catch((error: unknown) => onError(errorMessage(error)));
    }
  }

  /** Ends early when closing, and does not keep the process alive. */
  function pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
  }

  async function keepTrying(): Promise<void> {
    for (let tries = 0; !closing.signal.aborted; tries++) {
      try {
        await work();
        return;
      } catch (error) {
        if (closing.signal.aborted) return;
        onError(errorMessage(error));
        // Workers of an attempt that failed are not used by the next one.
        await within(Promise.allSettled(workers.splice(0).map((worker) => worker.close())), GOODBYE_MS);
        await pause(Math.min(100 * 2 ** tries, MAX_PAUSE_MS));
      }
    }
  }

  return {
    async enqueue(name, data, options = {}) {
      const { queue } = JOB_KINDS[name];
      const checked = checkedData(name, data);
      const { unique } = options;
      const extra = unique === undefined ? {} : { deduplication: { id: unique } };
      const job = await ask('Look at `savepoint jobs list` before you enqueue it again', ({ queues }) =>
        queues[queue].add(name, checked, { ...settingsOf(name, timing.retryMs), ...extra }),
      );
      return numberedId(queue, job);
    },

    start() {
      void keepTrying();
    },

    list({ states = STATES, limit = 100 } = {}) {
      return ask('Nothing was read', ({ queues }) => listJobs(queues, states, limit));
    },

    async retry(which) {
      const dead = await ask('Nothing was retried', ({ queues }) => deadLetters(queues, which));
      if (which !== 'all' && dead.length === 0) throw refusal('NOT_FOUND', `There is no dead letter ${which.id}`);
      const ids: string[] = [];
      for (const { queue, job } of dead) {
        await ask(`${ids.length} of ${dead.length} wait again`, () =>
          job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }),
        );
        ids.push(numberedId(queue, job));
      }
      return ids;
    },

    async health() {
      try {
        const counts = await ask('', async ({ store, queues }) => {
          await store.ping();
          return countsOf(queues);
        });
        return { status: 'ok', store: kind, address, counts, reason: null };
      } catch (error) {
        return { status: 'unavailable', store: kind, address, counts: null, reason: errorMessage(error) };
      }
    },

    close(graceMs = GRACE_MS) {
      closed ??= stop(graceMs);
      return closed;
    },
  };

  async function stop(graceMs: number): Promise<void> {
    closing.abort();
    const last = await opening?.catch(() => null);
    if (!last) return;
    const { store, queues } = last;
    const isIdle = (runner?.running ?? 0) === 0;
    const stopping = Promise.all(workers.map((worker) => worker.close())).then(() =>
      Promise.all(QUEUES.map((queue) => queues[queue].close())),
    );
    const stopped = await within(stopping, isIdle ? Math.min(graceMs, GOODBYE_MS) : graceMs);
    if (!stopped) logger.warn({ running: runner?.running ?? 0 }, 'jobs were left unfinished; they run again when their lock is over');
    await store.close(!stopped);
  }
}

function checkedData<N extends JobName>(name: N, data: unknown): JobData<N> {
  try {
    return JOB_KINDS[name].check(data);
  } catch (error) {
    throw refusal('VALIDATION_FAILED', `${name}: ${errorMessage(error)}`);
  }
}

function tellFailure(logger: Logger, queue: QueueName, job: StoredJob | undefined, error: Error): void {
  const facts = { job: job && numberedId(queue, job), name: job?.name, attempt: job?.attemptsMade, reason: errorMessage(error) };
  const isDead = job?.finishedOn !== undefined;
  if (isDead) logger.error(facts, 'a job is a dead letter; see `savepoint jobs list --failed`');
  else logger.warn(facts, 'a job failed and will be tried again');
}
