import type { Pool } from 'pg';
import type { Log } from '../../../src/log/port.ts';
import { telemetryStream } from '../../../src/log/streams.ts';
import type { TelemetryEntry } from '../../../src/log/telemetry.ts';
import { HistoryMismatch } from '../../checkpoints.ts';
import type { Transaction } from '../../tables.ts';
import { transaction } from '../../transaction.ts';
import { writeAndTell } from './batch.ts';
import { beginTelemetry, lockCheckpoint, readBatch, TELEMETRY_VERSIONS } from './checkpoint.ts';
import { beginFromTotals } from './totals.ts';

/**
 * Rebuilds the rows of telemetry, one project at a time in one transaction. Readers see the old rows until it ends. The running projector
 * waits for the project's checkpoint, which the transaction has locked.
 */
export async function rebuildTelemetry(options: {
  readonly log: Log;
  readonly pool: Pool;
}): Promise<{ readonly projects: number; readonly events: number; readonly seconds: number }> {
  const { log, pool } = options;
  const startedAt = performance.now();
  let events = 0;
  let projects = 0;
  for (const projectId of await telemetryProjects(pool)) {
    const head = await log.head(telemetryStream(projectId));
    await beginTelemetry(pool, projectId);
    const again = () => transaction(pool, projectId, TELEMETRY_VERSIONS, (tx) => rebuildOne(tx, log, head?.revision ?? -1));
    events += await retryOnTruncation(again);
    projects += head === null ? 0 : 1;
  }
  return { projects, events, seconds: (performance.now() - startedAt) / 1000 };
}

/** Repeats the work if the beginning of the stream was truncated while it was read. The second try begins with the newer totals. */
export async function retryOnTruncation<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HistoryMismatch) return work();
    throw error;
  }
}

/** Every project that may have telemetry, or rows of it. */
export async function telemetryProjects(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ project: string }>(
    'SELECT project FROM savepoint.projects UNION SELECT project FROM savepoint.telemetry_checkpoints ORDER BY project',
  );
  return rows.map(({ project }) => project);
}

const WIPE = ['events', 'players', 'sessions'] as const;
const BACK = `UPDATE {telemetry_checkpoints} SET revision = -1, event_id = '' WHERE project = $1`;

/** Folds the stream up to `head`. Rows from beyond it belong to another history and are removed. */
async function rebuildOne(tx: Transaction, log: Log, head: number): Promise<number> {
  await lockCheckpoint(tx);
  for (const table of WIPE) await tx.run(`telemetry-wipe-${table}`, `DELETE FROM {telemetry_${table}} WHERE project = $1`, []);
  await tx.run('telemetry-back', BACK, []);
  const write = (events: readonly TelemetryEntry[]) => writeAndTell(tx, events);
  return foldTelemetry(tx, log, await beginFromTotals(tx, log, head), head, write);
}

/** Folds the events after `from`, up to `to`, a batch at a time. Throws `UnknownEvent` and `HistoryMismatch`. */
export async function foldTelemetry(
  { projectId }: Transaction,
  log: Log,
  from: number,
  to: number,
  write: (events: readonly TelemetryEntry[]) => Promise<unknown>,
): Promise<number> {
  let at = from;
  let count = 0;
  while (at < to) {
    const { events, unknown } = await readBatch(log, projectId, at, to);
    if (unknown !== null) throw unknown;
    const last = events.at(-1);
    if (last === undefined) return count;
    await write(events);
    at = last.revision;
    count += events.length;
  }
  return count;
}
