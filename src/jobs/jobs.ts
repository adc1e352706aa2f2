import type { Logger } from 'pino';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import { refusal } from '../kernel/errors.ts';
import type { JobContext, JobHandlers } from './handlers.ts';
import { JOB_KINDS, type JobData, type JobName, QUEUES } from './kinds.ts';
import { countsOf, deadLetters, forgetJobs, type JobCounts, listJobs, settingsOf } from './queues.ts';
import { createRunner } from './runner.ts';
import type { Store } from './store.ts';
import { StoreConnection } from './store-connection.ts';
import { endsWithin } from './timeout.ts';
import { type JobState, type JobView, numberedId, STATES } from './view.ts';
import { IDLE_CLOSE_MS, Workers } from './workers.ts';

/**
 * Background jobs: queues and workers. No request needs them: during an outage of the store `enqueue` refuses within `answerMs`, and
 * workers resume by themselves afterwards.
 *
 * A job is *waiting*, *active*, *delayed* (between two attempts), *completed* or *failed*. Failed jobs are the dead letters: they failed at
 * the last attempt, or for good. `retry` makes a dead letter wait again, with all its attempts.
 */

export interface JobsOptions {
  /** `null`: jobs are kept in Postgres. */
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
  /** Removes secrets from an address, for logs and messages. */
  readonly redact: (url: string) => string;
  readonly logger: Logger;
  /** `null` in a process that runs no jobs, such as a command that lists them. */
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
  /** How long a job belongs to a worker that has died. */
  readonly lockMs: number;
  /** Pause between two checks for scheduled jobs that are due. */
  readonly lookMs: number;
}

interface EnqueueOptions {
  /** While a job with this text waits or runs, `enqueue` adds no other and returns its id. */
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
  /** Starts workers and schedules as soon as the store answers. Returns at once. */
  start(): void;
  /** Lists jobs, newest first within each queue and state. */
  list(filter?: { readonly states?: readonly JobState[]; readonly limit?: number }): Promise<readonly JobView[]>;
  /** Makes dead letters wait again. Resolves to their ids. Refuses with `NOT_FOUND` if a job is not a dead letter. */
  retry(which: { readonly id: string } | 'all'): Promise<readonly string[]>;
  /** Never rejects. */
  health(): Promise<JobsHealth>;
  /** Takes no more jobs, waits at most `graceMs` for running ones, and closes the connections. Unfinished jobs run again elsewhere. */
  close(graceMs?: number): Promise<void>;
}

const TIMING: Timing = { answerMs: 2000, retryMs: 5000, lockMs: 30_000, lookMs: 60_000 };
const LOGGED_EVERY_MS = 30_000;
const GRACE_MS = 10_000;

/** Jobs on Redis, or in Postgres without a `redisUrl`. It connects when first used or started. */
export function createJobs({ redisUrl, databaseUrl, redact, logger, handlers, timing: given, now = Date.now }: JobsOptions): Jobs {
  const timing = { ...TIMING, ...given };
  const kind = redisUrl === null ? 'postgres' : 'redis';
  const address = redact(redisUrl ?? databaseUrl);
  // During an outage of the store every connection reports it all the time, so the log line is throttled.
  const report = throttled(
    (reason: string) => logger.warn({ store: address, reason }, 'the job queue fails; requests go on'),
    LOGGED_EVERY_MS,
  );
  let isOver = false;
  /** A connection that the library has not let go yet may fail when the store ends, and nobody asks for it any more. */
  const onError = (reason: string) => {
    if (!isOver) report(reason);
  };
  const connection = new StoreConnection({ redisUrl, databaseUrl, address, answerMs: timing.answerMs, onError });
  const forget: JobContext['forget'] = async (age) => forgetJobs((await connection.opened()).queues, age);
  const runner = handlers === null ? null : createRunner(handlers, forget, logger);
  const workers = new Workers({ connection, runner, timing, address, logger, onError, now });
  let closed: Promise<void> | null = null;

  return {
    async enqueue(name, data, options = {}) {
      const { queue } = JOB_KINDS[name];
      const checked = checkedData(name, data);
      const { unique } = options;
      const extra = unique === undefined ? {} : { deduplication: { id: unique } };
      const job = await connection.ask('Look at `savepoint jobs list` before you enqueue it again', ({ queues }) =>
        queues[queue].add(name, checked, { ...settingsOf(name, timing.retryMs), ...extra }),
      );
      return numberedId(queue, job);
    },

    start: () => workers.start(),

    list: ({ states = STATES, limit = 100 } = {}) => connection.ask('Nothing was read', ({ queues }) => listJobs(queues, states, limit)),

    retry: (which) => retryDead(connection, which),

    async health() {
      try {
        const counts = await connection.ask('', async ({ store, queues }) => {
          await store.ping();
          return countsOf(queues);
        });
        return { status: 'ok', store: kind, address, counts, reason: null };
      } catch (error) {
        return { status: 'unavailable', store: kind, address, counts: null, reason: errorMessage(error) };
      }
    },

    close(graceMs = GRACE_MS) {
      closed ??= close(connection, workers, logger, graceMs).finally(() => {
        isOver = true;
      });
      return closed;
    },
  };
}

async function retryDead(connection: StoreConnection, which: { readonly id: string } | 'all'): Promise<readonly string[]> {
  const dead = await connection.ask('Nothing was retried', ({ queues }) => deadLetters(queues, which));
  if (which !== 'all' && dead.length === 0) throw refusal('NOT_FOUND', `There is no dead letter ${which.id}`);
  const ids: string[] = [];
  for (const { queue, job } of dead) {
    await connection.ask(`${ids.length} of ${dead.length} wait again`, () =>
      job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }),
    );
    ids.push(numberedId(queue, job));
  }
  return ids;
}

async function close(connection: StoreConnection, workers: Workers, logger: Logger, graceMs: number): Promise<void> {
  workers.stop();
  const open = await connection.refuse();
  if (!open) return;
  const { store, queues } = open;
  const ending = workers.close().then(() => Promise.all(QUEUES.map((queue) => queues[queue].close())));
  const ended = await endsWithin(ending, workers.running === 0 ? Math.min(graceMs, IDLE_CLOSE_MS) : graceMs);
  if (!ended) logger.warn({ running: workers.running }, 'jobs were left unfinished; they run again when their lock is over');
  await store.close(!ended);
}

function checkedData<N extends JobName>(name: N, data: unknown): JobData<N> {
  try {
    return JOB_KINDS[name].check(data);
  } catch (error) {
    throw refusal('VALIDATION_FAILED', `${name}: ${errorMessage(error)}`);
  }
}
