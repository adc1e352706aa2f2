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
      const { status } = await health();
      if (status !== 'ok') return { status, version: VERSION };
      const { behind } = readiness;
      return behind === 0 ? { status: 'ready', version: VERSION } : { status: 'catching-up', version: VERSION, behind };
    },
  };
}

/** `separateLog`: the log, if it is not in the database and must be checked separately. */
async function healthOf(pool: pg.Pool, separateLog: Log | null): Promise<Health> {
  const started = performance.now();
  try {
    await withTimeout(Promise.all([pool.query('SELECT 1'), separateLog?.end()]));
    return { status: 'ok', version: VERSION, database: 'postgres', databaseLatencyMs: Math.round(performance.now() - started) };
  } catch {
    return { status: 'database-unavailable', version: VERSION, database: 'postgres' };
  }
}

function withTimeout<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
