import { UnrecoverableError } from 'bullmq';
import type { Logger } from 'pino';
import { errorMessage } from '../kernel/error-reporting.ts';
import { Refusal } from '../kernel/errors.ts';
import type { JobContext, JobHandlers, JobOutcome } from './handlers.ts';
import { isJobName, JOB_KINDS, JobFailure, type JobName } from './kinds.ts';
import type { StoredJob } from './store.ts';

/** Runs one job once: checks its data, calls its handler, and decides whether a failure is retried. */

export interface Runner {
  run(id: string, job: StoredJob): Promise<JobOutcome>;
  /** How many handlers are running. */
  readonly running: number;
}

export function createRunner(handlers: JobHandlers, forget: JobContext['forget'], logger: Logger): Runner {
  let running = 0;
  return {
    get running() {
      return running;
    },
    async run(id, job) {
      const { name } = job;
      // The job belongs to a newer release. That release can run it after a `retry`.
      if (!isJobName(name)) throw new UnrecoverableError(`this version has no job ${name}`);
      const context = { id, attempt: job.attemptsMade + 1, progress: progressOf(job, logger), forget };
      running += 1;
      try {
        return await call(handlers, name, job.data, context);
      } catch (error) {
        throw isForGood(error) ? new UnrecoverableError(errorMessage(error)) : error;
      } finally {
        running -= 1;
      }
    },
  };
}

/** Calls the handler with its own kind of data. */
async function call<N extends JobName>(handlers: JobHandlers, name: N, stored: unknown, context: JobContext): Promise<JobOutcome> {
  return handlers[name](JOB_KINDS[name].check(stored), context);
}

function isForGood(error: unknown): boolean {
  return error instanceof JobFailure || (error instanceof Refusal && error.status < 500);
}

/** Reports whole percents, one update at a time. An update that fails does not fail the job. */
function progressOf(job: StoredJob, logger: Logger): (percent: number) => void {
  let reported = -1;
  let busy = false;
  let next = 0;
  const send = async () => {
    busy = true;
    while (next !== reported) {
      reported = next;
      await job
        .updateProgress(reported)
        .catch((error: unknown) => logger.debug({ reason: errorMessage(error) }, 'progress was not stored'));
    }
    busy = false;
  };
  return (percent) => {
    next = Math.floor(Math.min(Math.max(percent, 0), 100));
    if (!busy && next !== reported) void send();
  };
}
