import { pino } from 'pino';
import type { JobHandlers } from '../../src/jobs/handlers.ts';
import { createJobs, type Jobs, type Timing } from '../../src/jobs/jobs.ts';
import type { JobState, JobView } from '../../src/jobs/view.ts';

/** A store on which the suite runs. `kill` is a power cut; `start` brings it back with what it held. */
export interface TestStore {
  readonly name: 'redis' | 'postgres';
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface TestJobs extends Jobs {
  /** Everything it logged. */
  readonly logged: readonly string[];
}

const IDLE: JobHandlers = {
  'projection.rebuild': async () => ({}),
  'verify.run': async () => ({}),
  'tests.run': async () => ({}),
  'tables.cleanup': async () => ({}),
  'telemetry.retain': async () => ({}),
  'access.sweep': async () => ({}),
  'looks.retain': async () => ({}),
  'economy.watch': async () => ({}),
  'promotion.watch': async () => ({}),
  'grants.run': async () => ({}),
  'jobs.forget': async () => ({}),
};

export function jobsOn(
  store: Pick<TestStore, 'redisUrl' | 'databaseUrl'>,
  handlers: Partial<JobHandlers> = {},
  timing: Partial<Timing> = {},
  now: () => number = Date.now,
): TestJobs {
  const logged: string[] = [];
  const logger = pino({ level: 'trace', base: null }, { write: (line: string) => void logged.push(line) });
  const { redisUrl, databaseUrl } = store;
  const jobs = createJobs({
    redisUrl,
    databaseUrl,
    redact: (url) => new URL(url).host,
    logger,
    handlers: { ...IDLE, ...handlers },
    timing: { retryMs: 10, ...timing },
    now,
  });
  return Object.assign(jobs, { logged });
}

/** The job, once it is in that state. */
export async function jobIn(jobs: Jobs, id: string, state: JobState): Promise<JobView> {
  return until(async () => (await jobs.list({ states: [state], limit: 1000 })).find((job) => job.id === id));
}

/** The first value that is not missing. Fails by the test's own time-out. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** A gate at which a handler waits. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
