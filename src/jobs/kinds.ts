import { z } from 'zod';
import type { PublishTarget } from '../domain/events.ts';

/**
 * The kinds of jobs: their data, queue and number of attempts. A new kind is added here and in the handlers, and nowhere else. A job may
 * run more than once (a worker died, its answer was lost), so every handler must be idempotent.
 */

/** A failure that a retry cannot fix: the job becomes a dead letter at once. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/**
 * The queues, each with one job at a time in a process: one for long work, and one for short maintenance, which must not wait for a rebuild
 * of an hour.
 */
export const QUEUES = ['long', 'upkeep'] as const;
export type QueueName = (typeof QUEUES)[number];

interface Kind<T> {
  readonly queue: QueueName;
  readonly about: string;
  /** Throws `JobFailure` if the data is not of this kind. */
  readonly check: (data: unknown) => T;
  /** The number of runs before the job is a dead letter. */
  readonly attempts: number;
  /** The interval of scheduled runs, ms; `null`: none. */
  readonly everyMs: number | null;
}

const HOUR = 3_600_000;
const nothing = shaped(z.strictObject({}));

function shaped<T>(shape: z.ZodType<T>): (data: unknown) => T {
  return (data) => {
    const checked = shape.safeParse(data);
    if (checked.success) return checked.data;
    throw new JobFailure(`the data does not fit: ${checked.error.issues.map(({ message }) => message).join('; ')}`);
  };
}

/** The data of each kind. */
export interface JobDatas {
  'projection.rebuild': { readonly names: readonly string[] };
  'verify.run': Readonly<Record<string, never>>;
  'tests.run': { readonly projectId: string; readonly target: PublishTarget };
  'grants.run': { readonly projectId: string; readonly grant: string };
  'tables.cleanup': Readonly<Record<string, never>>;
  'telemetry.retain': Readonly<Record<string, never>>;
  'access.sweep': Readonly<Record<string, never>>;
  'looks.retain': Readonly<Record<string, never>>;
  'economy.watch': Readonly<Record<string, never>>;
  'promotion.watch': Readonly<Record<string, never>>;
  'jobs.forget': Readonly<Record<string, never>>;
}
export type JobName = keyof JobDatas;
export type JobData<N extends JobName> = JobDatas[N];

export const JOB_KINDS: { readonly [N in JobName]: Kind<JobDatas[N]> } = {
  'projection.rebuild': {
    queue: 'long',
    about: 'builds read models anew beside the running ones and switches; no names: all of them',
    check: shaped(z.strictObject({ names: z.array(z.string().min(1).max(64)).max(64) })),
    attempts: 4,
    everyMs: null,
  },
  'verify.run': {
    queue: 'long',
    about: 'checks the hash chain and every row; a difference makes the job a dead letter at once',
    check: nothing,
    attempts: 3,
    everyMs: null,
  },
  'tests.run': {
    queue: 'long',
    about: "runs a project's saved tests dry; its result says which failed",
    check: shaped(z.strictObject({ projectId: z.string().min(1).max(64), target: z.enum(['live', 'next']) })),
    attempts: 3,
    everyMs: null,
  },
  'grants.run': {
    queue: 'long',
    about: 'goes on with a grant, or with undoing it, where its events end; its state is events, so it may run twice',
    check: shaped(z.strictObject({ projectId: z.string().min(1).max(64), grant: z.string().min(1).max(64) })),
    attempts: 4,
    everyMs: null,
  },
  'tables.cleanup': {
    queue: 'upkeep',
    about: 'drops tables that an aborted rebuild or verification left behind',
    check: nothing,
    attempts: 3,
    everyMs: HOUR,
  },
  'telemetry.retain': {
    queue: 'upkeep',
    about: 'removes telemetry that is older than its project keeps it, from the lists and then from the log',
    check: nothing,
    attempts: 3,
    everyMs: 6 * HOUR,
  },
  'access.sweep': {
    queue: 'upkeep',
    about: 'forgets auth sessions, used request ids and answers under an Idempotency-Key that have expired',
    check: nothing,
    attempts: 3,
    everyMs: HOUR,
  },
  'looks.retain': {
    queue: 'upkeep',
    about: 'gives up who looked at whose data once that is older than ACCESS_LOG_DAYS, behind a checkpoint',
    check: nothing,
    attempts: 3,
    everyMs: 6 * HOUR,
  },
  'economy.watch': {
    queue: 'upkeep',
    about: 'looks at the economies of projects that have alarms, and raises those that are due',
    check: nothing,
    attempts: 1,
    everyMs: 60_000,
  },
  'promotion.watch': {
    queue: 'upkeep',
    about: 'makes live what was scheduled for by now, and keeps why where it may not be',
    check: nothing,
    attempts: 1,
    everyMs: 60_000,
  },
  'jobs.forget': {
    queue: 'upkeep',
    about: 'removes done jobs after a week and dead letters after thirty days',
    check: nothing,
    attempts: 3,
    everyMs: 6 * HOUR,
  },
};

export const JOB_NAMES = Object.keys(JOB_KINDS).filter(isJobName);

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOB_KINDS, name);
}
