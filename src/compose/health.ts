import type pg from 'pg';
import type { Health, Probes } from '../http/routes/system.ts';
import { SingleFlight } from '../kernel/single-flight.ts';
import type { Log } from '../log/port.ts';
import { VERSION } from '../version.ts';

/** A balancer must not wait long for the answer that this node is not well. */
const PATIENCE_MS = 3_000;

/** What a process answers to its watchers; `readiness` as `watchReadiness` watches it. */
export function probesOf(pool: pg.Pool, separateLog: Log | null, readiness: { readonly behind: number | null }): Probes {
  const asked = new SingleFlight<Health>();
  // However many watch: each that asked by itself would take a connection from those who play.
  const health = () => asked.run('health', null, () => healthOf(pool, separateLog));
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

/** `separateLog`: the log is not in the database, so it is asked for itself. */
async function healthOf(pool: pg.Pool, separateLog: Log | null): Promise<Health> {
  const started = performance.now();
  try {
    await inTime(Promise.all([pool.query('SELECT 1'), separateLog?.end()]));
    return { status: 'ok', version: VERSION, database: 'postgres', databaseLatencyMs: Math.round(performance.now() - started) };
  } catch {
    return { status: 'database-unavailable', version: VERSION, database: 'postgres' };
  }
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
