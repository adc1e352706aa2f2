import type { TestsDone } from '../app/management/test-runs.ts';
import type { PublishTarget } from '../domain/events.ts';
import { type JobData, JobFailure, type JobName } from './kinds.ts';

/** Handlers of jobs. The work itself belongs to other rooms and is passed in as functions. */

export interface JobContext {
  readonly id: string;
  /** 1 for the first run. */
  readonly attempt: number;
  /** Reports percent done, 0 to 100; `savepoint jobs list` shows it. It may be called often. */
  progress(percent: number): void;
  /** Removes completed jobs and dead letters that ended longer ago than this, ms. Resolves to how many. */
  forget(age: { readonly doneMs: number; readonly deadMs: number }): Promise<number>;
}

/** The result that a handler leaves for operators, as JSON. */
export type JobOutcome = Readonly<Record<string, unknown>>;

export type JobHandlers = { readonly [N in JobName]: (data: JobData<N>, context: JobContext) => Promise<JobOutcome> };

export interface JobWork {
  /** Rebuilds these read models; no names: all. A refusal fails the job for good; after any other error it is retried. */
  rebuild(names: readonly string[], onPercent: (percent: number) => void): Promise<JobOutcome>;
  verify(
    onPercent: (percent: number) => void,
  ): Promise<{ readonly ok: boolean; readonly problems: readonly { readonly detail: string }[]; readonly events: number }>;
  runTests(projectId: string, target: PublishTarget, onPercent: (percent: number) => void): Promise<TestsDone>;
  /** Goes on with a grant until nobody waits. Resolves to how many players it looked at. */
  driveGrant(projectId: string, grant: string, onPercent: (percent: number) => void): Promise<number>;
  /** Drops tables that aborted rebuilds and verifications left. Resolves to their names. */
  dropAbandoned(): Promise<readonly string[]>;
  /**
   * Sweeps telemetry that is older than its project keeps it. `cut`: how many events, swept by an earlier run, were truncated from the log.
   */
  retainTelemetry(): Promise<{ readonly projects: number; readonly events: number; readonly cut: number }>;
  /**
   * Sweeps expired auth sessions, used request ids and stored answers, by an event in each project that has any. Resolves to those
   * projects.
   */
  sweepAccess(): Promise<readonly string[]>;
  /** Gives up looks that are no longer kept. Resolves to how many. */
  retainLooks(): Promise<number>;
  /** Raises the alarms of economies that are due, and tells of them. Resolves to how many. */
  watchEconomies(): Promise<{ readonly raised: number }>;
  /** Deals with the promotions whose time has come. Resolves to how many went live, and how many did not. */
  watchPromotions(): Promise<{ readonly promoted: number; readonly missed: number }>;
}

/** Most failed tests that a result names, because a job is stored for a week. */
const FAILURES_KEPT = 100;

const DAY = 86_400_000;
export const DONE_KEPT_MS = 7 * DAY;
export const DEAD_KEPT_MS = 30 * DAY;

export function createJobHandlers(work: JobWork): JobHandlers {
  return {
    'projection.rebuild': ({ names }, { progress }) => work.rebuild(names, progress),
    'verify.run': async (_, { progress }) => {
      const { ok, problems, events } = await work.verify(progress);
      if (ok) return { ok, events };
      throw new JobFailure(
        `${problems.length} problems, the first: ${problems[0]?.detail ?? ''}; run \`savepoint verify\` for all of them`,
      );
    },
    'tests.run': async ({ projectId, target }, { progress }) => {
      const { total, passed, failed, results } = await work.runTests(projectId, target, progress);
      const failures = results.filter((result) => result['passed'] !== true).slice(0, FAILURES_KEPT);
      return { total, passed, failed, failures: failures.map(({ id = null, name = null, reason = null }) => ({ id, name, reason })) };
    },
    'grants.run': async ({ projectId, grant }, { progress }) => ({ players: await work.driveGrant(projectId, grant, progress) }),
    // Only tables are dropped. Rows that follow from the log stay: `verify` would report them as missing.
    'tables.cleanup': async () => ({ dropped: await work.dropAbandoned() }),
    'telemetry.retain': async () => ({ ...(await work.retainTelemetry()) }),
    'access.sweep': async () => ({ swept: await work.sweepAccess() }),
    'looks.retain': async () => ({ events: await work.retainLooks() }),
    'economy.watch': async () => ({ ...(await work.watchEconomies()) }),
    'promotion.watch': async () => ({ ...(await work.watchPromotions()) }),
    'jobs.forget': async (_, { forget }) => ({ removed: await forget({ doneMs: DONE_KEPT_MS, deadMs: DEAD_KEPT_MS }) }),
  };
}
