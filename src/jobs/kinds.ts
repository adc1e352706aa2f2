import { z } from 'zod';

/**
 * Every kind of job there is: what it carries, where it runs, how often it is tried. A kind is added here and in the handlers, and
 * nowhere else. A job may run more than once (a worker died, its answer was lost), so every handler must bear repetition.
 */

/** Long work in one lane, one at a time in a process; small upkeep in the other, so that it never waits for a rebuild of an hour. */
export const LANES = ['long', 'upkeep'] as const;
export type Lane = (typeof LANES)[number];

interface Kind<T> {
  readonly lane: Lane;
  readonly about: string;
  readonly data: z.ZodType<T>;
  /** Runs in all before it is a dead letter. */
  readonly attempts: number;
  /** Runs by itself this often, ms; `null`: only when asked for. */
  readonly everyMs: number | null;
}

const HOUR = 3_600_000;
const nothing = z.strictObject({});

function kind<T>(row: Kind<T>): Kind<T> {
  return row;
}

export const JOB_KINDS = {
  'projection.rebuild': kind({
    lane: 'long',
    about: 'builds read models anew beside the running ones and switches; no names: all of them',
    data: z.strictObject({ names: z.array(z.string().min(1).max(64)).max(64) }),
    attempts: 4,
    everyMs: null,
  }),
  'verify.run': kind({
    lane: 'long',
    about: 'checks the hash chain and every row; a difference makes the job a dead letter at once',
    data: nothing,
    attempts: 3,
    everyMs: null,
  }),
  'access.cleanup': kind({
    lane: 'upkeep',
    about: 'drops tables that an aborted rebuild or verification left behind',
    data: nothing,
    attempts: 3,
    everyMs: HOUR,
  }),
  'telemetry.retention': kind({
    lane: 'upkeep',
    about: 'removes done jobs after a week and dead letters after thirty days',
    data: nothing,
    attempts: 3,
    everyMs: 6 * HOUR,
  }),
} as const;

export type JobName = keyof typeof JOB_KINDS;
export type JobData<N extends JobName> = z.infer<(typeof JOB_KINDS)[N]['data']>;

export const JOB_NAMES = Object.keys(JOB_KINDS).filter(isJobName);

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOB_KINDS, name);
}
