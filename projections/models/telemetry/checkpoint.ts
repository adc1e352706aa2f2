import type { Pool } from 'pg';
import type { Log } from '../../../src/log/port.ts';
import { TRUNCATED, telemetryStream } from '../../../src/log/streams.ts';
import { readTelemetryEvent, type TelemetryEntry } from '../../../src/log/telemetry.ts';
import { HistoryMismatch } from '../../checkpoints.ts';
import { batchLength, decoded } from '../../projector/batch-slicing.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import type { Transaction, Versions } from '../../tables.ts';

/** The checkpoint of the telemetry tables in a project's telemetry stream. Only the holder of a lock on this row may write the tables. */
export interface TelemetryCheckpoint {
  readonly revision: number;
  readonly eventId: string;
}

/** The tables are rebuilt in place, so there is only one version of them. */
export const TELEMETRY_VERSIONS: Versions = new Map([['telemetry', 1]]);

const BEGIN = `
INSERT INTO savepoint.telemetry_checkpoints (project, revision, event_id) VALUES ($1, -1, '') ON CONFLICT DO NOTHING`;

/** Creates the checkpoint, at −1, of a project that is new to these tables. */
export async function beginTelemetry(pool: Pool, projectId: string): Promise<void> {
  await pool.query({ ...QUERY_TIMEOUT, text: BEGIN, values: [projectId] });
}

const READ = 'SELECT revision, event_id FROM {telemetry_checkpoints} WHERE project = $1';
const TRY_LOCK = 'SELECT revision, event_id FROM {telemetry_checkpoints} WHERE project = $1 FOR UPDATE SKIP LOCKED';
const LOCK = 'SELECT revision, event_id FROM {telemetry_checkpoints} WHERE project = $1 FOR UPDATE';

interface Row {
  readonly revision: string;
  readonly event_id: string;
}

/** Locks the checkpoint until the transaction ends; `null` while another projector holds it. */
export async function tryLockCheckpoint(tx: Transaction): Promise<TelemetryCheckpoint | null> {
  return checkpointOf(await tx.run<Row>('telemetry-try-lock', TRY_LOCK, []));
}

/** Locks the checkpoint like {@link tryLockCheckpoint}, but waits for the other projector. `null`: the project has no checkpoint. */
export async function lockCheckpoint(tx: Transaction): Promise<TelemetryCheckpoint | null> {
  return checkpointOf(await tx.run<Row>('telemetry-lock', LOCK, []));
}

/** The checkpoint as it is now, or as the transaction's snapshot shows it. */
export async function readCheckpoint(tx: Transaction): Promise<TelemetryCheckpoint | null> {
  return checkpointOf(await tx.run<Row>('telemetry-read', READ, []));
}

function checkpointOf([row]: readonly Row[]): TelemetryCheckpoint | null {
  return row ? { revision: Number(row.revision), eventId: row.event_id } : null;
}

/** Throws {@link HistoryMismatch} when the log does not hold the event of the checkpoint. */
export async function checkHistory(log: Log, projectId: string, { revision, eventId }: TelemetryCheckpoint): Promise<void> {
  if (revision < 0) return;
  const [event] = await log.read(telemetryStream(projectId), { from: revision, limit: 1, direction: 'forwards' });
  if (event?.id === eventId) return;
  throw new HistoryMismatch(projectId, `its telemetry has another event at revision ${revision}`);
}

const ADVANCE = 'UPDATE {telemetry_checkpoints} SET revision = $2, event_id = $3 WHERE project = $1';

/** Moves the checkpoint to an event. The caller must have locked it. */
export async function advanceTelemetry(tx: Transaction, { revision, eventId }: TelemetryCheckpoint): Promise<void> {
  await tx.run('telemetry-advance', ADVANCE, [revision, eventId]);
}

const PAGE = 500;

/**
 * The next events, as many as one batch takes, none beyond `until`. If one cannot be read, returns those before it. Throws {@link
 * HistoryMismatch} if the next one was truncated: only the totals then contain what the truncated events added up to.
 */
export async function readBatch(
  log: Log,
  projectId: string,
  after: number,
  until = Number.MAX_SAFE_INTEGER,
): Promise<{ readonly events: readonly TelemetryEntry[]; readonly unknown: Error | null }> {
  const limit = Math.min(PAGE, until - after);
  const page = limit <= 0 ? [] : await log.read(telemetryStream(projectId), { from: after + 1, limit, direction: 'forwards' });
  const [first] = page;
  if (first !== undefined && (first.revision !== after + 1 || first.type === TRUNCATED)) {
    throw new HistoryMismatch(projectId, `its telemetry behind revision ${after} was cut from the log`);
  }
  return decoded(page.slice(0, batchLength(page)), readTelemetryEvent);
}
