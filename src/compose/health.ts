import type pg from 'pg';
import type { Health, Probes } from '../http/routes/system.ts';
import { SingleFlight } from '../kernel/single-flight.ts';
import type { Log } from '../log/port.ts';
import { VERSION } from '../version.ts';

/** How long a check may take until the node counts as unhealthy: load balancers do not wait long. */
const TIMEOUT_MS = 3_000;

/** The probes of a process. `readiness`: from `watchReadiness`. */
export function probesOf(pool: pg.Pool, separateLog: Log | null, readiness: { readonly behind: number | null }): Probes {
  const running = new SingleFlight<Health>();
  // Concurrent probes share one check, because each check takes a connection away from players.
  const health = () => running.run('health', null, () => healthOf(pool, separateLog));
  return {
    health,
    async ready() {
      const report = await health();
      if (report.status !== 'ok') return { status: report.status, away: report.away, version: VERSION };
      const { behind } = readiness;
      return behind === 0 ? { status: 'ready', version: VERSION } : { status: 'catching-up', version: VERSION, behind };
    },
  };
}

/** `separateLog`: the log, if it is not in the database and must be checked separately. */
async function healthOf(pool: pg.Pool, separateLog: Log | null): Promise<Health> {
  const started = performance.now();
  const [hasDatabase, hasLog] = await Promise.all([answers(pool.query('SELECT 1')), separateLog === null || answers(separateLog.end())]);
  if (hasDatabase && hasLog)
    return { status: 'ok', version: VERSION, database: 'postgres', databaseLatencyMs: Math.round(performance.now() - started) };
  // A log in the database is away with it.
  const isLogAway = separateLog === null || !hasLog;
  const away = [...(isLogAway ? (['log'] as const) : []), ...(hasDatabase ? [] : (['database'] as const))];
  return { status: hasDatabase ? 'log-unavailable' : 'database-unavailable', away, version: VERSION, database: 'postgres' };
}

function answers(question: Promise<unknown>): Promise<boolean> {
  return withTimeout(question).then(
    () => true,
    () => false,
  );
}

function withTimeout<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
