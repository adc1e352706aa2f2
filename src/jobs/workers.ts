import type { Logger } from 'pino';
import { errorMessage } from '../kernel/error-reporting.ts';
import { pause } from '../kernel/pause.ts';
import { QUEUES, type QueueName } from './kinds.ts';
import { enqueueDue, type Queues } from './queues.ts';
import type { Runner } from './runner.ts';
import type { JobWorker, StoredJob } from './store.ts';
import type { StoreConnection } from './store-connection.ts';
import { endsWithin } from './timeout.ts';
import { numberedId } from './view.ts';

export interface WorkersOptions {
  readonly connection: StoreConnection;
  /** `null` in a process that runs no jobs, such as a command that lists them. */
  readonly runner: Runner | null;
  readonly timing: { readonly retryMs: number; readonly lockMs: number; readonly lookMs: number };
  /** The address of the store as messages may show it. */
  readonly address: string;
  readonly logger: Logger;
  readonly onError: (reason: string) => void;
  readonly now: () => number;
}

const TAKE_OVERS = 3;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** How long closing workers that run nothing may take. */
export const IDLE_CLOSE_MS = 1000;

/** The workers of all queues, and the timer that adds scheduled jobs. The start is retried until the store answers. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #closing = new AbortController();
  readonly #workers: JobWorker[] = [];

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#options.runner?.running ?? 0;
  }

  /** Returns at once. */
  start(): void {
    void this.#keepTrying();
  }

  /** Stops the start and the timer. Running workers go on until {@link close}. */
  stop(): void {
    this.#closing.abort();
  }

  /** Takes no more jobs and resolves when running ones have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.close()));
  }

  async #keepTrying(): Promise<void> {
    const { signal } = this.#closing;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        await this.#work();
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(errorMessage(error));
        // The workers of a failed attempt are closed; the next attempt makes new ones.
        await endsWithin(this.close(), IDLE_CLOSE_MS);
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS), this.#closing.signal, { ref: false });
      }
    }
  }

  async #work(): Promise<void> {
    const { connection, runner, timing, logger, address, now } = this.#options;
    if (runner === null) throw new Error('jobs without handlers cannot be started');
    const { store, queues } = await connection.opened();
    for (const queue of QUEUES) {
      this.#closing.signal.throwIfAborted();
      const run = (job: StoredJob) => runner.run(numberedId(queue, job), job);
      const worker = store.worker(queue, run, { lockMs: timing.lockMs, takeOvers: TAKE_OVERS });
      worker.on('failed', (job, error) => logFailure(logger, queue, job, error));
      this.#workers.push(worker);
      await worker.waitUntilReady();
    }
    await enqueueDue(queues, now(), timing.retryMs);
    logger.info({ store: address }, 'jobs are running');
    void this.#keepSchedules(queues);
  }

  async #keepSchedules(queues: Queues): Promise<void> {
    const { timing, now, onError } = this.#options;
    for (;;) {
      await pause(timing.lookMs, this.#closing.signal, { ref: false });
      if (this.#closing.signal.aborted) return;
      await enqueueDue(queues, now(), timing.retryMs).catch((error: unknown) => onError(errorMessage(error)));
    }
  }
}

function logFailure(logger: Logger, queue: QueueName, job: StoredJob | undefined, error: Error): void {
  const facts = { job: job && numberedId(queue, job), name: job?.name, attempt: job?.attemptsMade, reason: errorMessage(error) };
  const isDead = job?.finishedOn !== undefined;
  if (isDead) logger.error(facts, 'a job is a dead letter; see `savepoint jobs list --failed`');
  else logger.warn(facts, 'a job failed and will be tried again');
}
