import type pg from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import { createCallTable } from '../../projections/call-log.ts';
import type { Config } from '../config/config.ts';
import type { CallLog } from '../http/call-log/call-log.ts';
import { MemoryCallLog } from '../http/call-log/memory.ts';
import { keepWithin } from '../http/call-log/retention.ts';
import { StoredCallLog } from '../http/call-log/stored.ts';
import { throttled } from '../kernel/error-reporting.ts';
import type { OutageLogger } from './outages.ts';
import type { ReadBulkhead } from './read-bulkhead.ts';
import type { Shutdown } from './shutdown.ts';

interface CallLogBuild {
  readonly pool: pg.Pool;
  /** Bounds what one project reads at a time. */
  readonly run: ReadBulkhead['run'];
  readonly outages: OutageLogger;
  readonly registry: Registry;
  readonly shutdown: Shutdown;
}

/** How often the log says that requests are not stored, ms. */
const REPORT_MS = 60_000;

/** The call log of a process that serves requests. */
export function openCallLog({ limits }: Config, { pool, run, outages, registry, shutdown }: CallLogBuild): CallLog {
  const table = createCallTable(pool, run);
  const failed = throttled(
    (err: unknown) => outages.warn({ err }, 'the call log could not be stored or read; requests go on without it'),
    REPORT_MS,
  );
  const bounds = { days: limits.callLogDays, requests: limits.callLogRequests };
  shutdown.add(keepWithin(table, bounds, failed));
  if (limits.callLogDays === 0) return new MemoryCallLog();
  const requests = new Counter({
    name: 'savepoint_call_log_requests_total',
    help: 'Requests for the call log that were stored, or lost: too many waited, or the database did not take them',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const callLog = new StoredCallLog(table, {
    failed,
    stored: (count) => requests.inc({ outcome: 'stored' }, count),
    lost: (count, outcome) => requests.inc({ outcome }, count),
  });
  new Gauge({
    name: 'savepoint_call_log_waiting',
    help: 'Requests that wait to be stored in the call log',
    registers: [registry],
    collect() {
      this.set(callLog.waiting);
    },
  });
  shutdown.add(() => callLog.close());
  return callLog;
}
