import type { Pool } from 'pg';
import { UnknownEvent } from '../../../src/log/decode.ts';
import type { Log, RecordedEvent } from '../../../src/log/port.ts';
import { TELEMETRY_PREFIX, TOTALS_PREFIX, telemetryStream } from '../../../src/log/streams.ts';
import { foreignOf, type TelemetryEntry } from '../../../src/log/telemetry.ts';
import { HistoryMismatch } from '../../checkpoints.ts';
import { behindProblem, lagging } from '../../maintenance/active-checkpoints.ts';
import { compareTable, foreignProblem, type Problem } from '../../maintenance/compare.ts';
import { TELEMETRY } from '../../registry.ts';
import { SCRATCH_VERSION, Transaction, tableName, tablesOf, type Versions } from '../../tables.ts';
import { snapshot, transaction } from '../../transaction.ts';
import { readBatch, readCheckpoint, TELEMETRY_VERSIONS } from './checkpoint.ts';
import { writeTelemetry } from './projection.ts';
import { foldTelemetry, retryOnTruncation, telemetryProjects } from './rebuild.ts';
import { beginScratch, onScratch } from './scratch.ts';
import { beginFromTotals, foreignTotals } from './totals.ts';

/**
 * Proves that the rows of telemetry agree with its streams. The streams are folded again into scratch tables, up to the checkpoint, and
 * compared column by column. Telemetry has no hash chain, so an altered event shows only where it changes a row.
 */

export interface VerifiedTelemetry {
  readonly problems: readonly Problem[];
  readonly events: number;
  readonly behind: number;
}

const SCRATCH: Versions = new Map([[TELEMETRY, SCRATCH_VERSION]]);
/** The most events that are folded while the snapshot is held. */
const LITTLE = 1_000;

/** The caller must hold the lock of verifications, because the scratch tables have fixed names. */
export async function verifyTelemetry({ log, pool }: { readonly log: Log; readonly pool: Pool }): Promise<VerifiedTelemetry> {
  const problems: Problem[] = [];
  const heads = new Map<string, number>();
  let events = 0;
  await onScratch(pool, SCRATCH_VERSION, async () => {
    for (const projectId of await telemetryProjects(pool)) {
      heads.set(projectId, (await log.head(telemetryStream(projectId)))?.revision ?? -1);
      const found = await verified(log, pool, projectId);
      problems.push(...found.problems);
      events += found.events;
    }
  });
  const unreadable = new Set(problems.map(({ project }) => project));
  for (const projectId of unreadable) heads.delete(projectId);
  const lags = await lagging(heads, () => shownRevisions(pool));
  const behind = lags.reduce((sum, { head, shown }) => sum + head - shown, 0);
  return { problems: [...problems, ...lags.map((lag) => behindProblem('telemetry', lag))], events, behind };
}

async function verified(log: Log, pool: Pool, projectId: string): Promise<Omit<VerifiedTelemetry, 'behind'>> {
  const problem = (kind: Problem['kind'], detail: string) => ({ kind, project: projectId, table: 'telemetry', row: '', detail });
  try {
    return await retryOnTruncation(() => verifyOne(log, pool, projectId));
  } catch (error) {
    if (error instanceof UnknownEvent) return { problems: [problem('unreadable', error.message)], events: 0 };
    if (error instanceof HistoryMismatch) return { problems: [problem('history', error.message)], events: 0 };
    throw error;
  }
}

async function verifyOne(log: Log, pool: Pool, projectId: string): Promise<Omit<VerifiedTelemetry, 'behind'>> {
  const shown = (await shownRevisions(pool)).get(projectId);
  if (shown === undefined) return { problems: [], events: 0 };
  const tables = tablesOf(TELEMETRY).map(({ name }) => tableName(name, 1));
  const foreign = [...(await foreignTotals(log, projectId)).map((event) => foreignIn(TOTALS_PREFIX, projectId, event))];
  const write = async (tx: Transaction, events: readonly TelemetryEntry[]) => {
    await writeTelemetry(tx, events);
    const met = foreignOf(events).map((event) => ({ ...event, type: event.theirType }));
    foreign.push(...met.map((event) => foreignIn(TELEMETRY_PREFIX, projectId, event)));
  };
  const folded = await foldMost(log, pool, projectId, shown, write);
  return snapshot(pool, projectId, SCRATCH, tables, async (tx) => {
    const active = new Transaction(tx.client, projectId, TELEMETRY_VERSIONS);
    const checkpoint = (await readCheckpoint(active)) ?? { revision: -1, eventId: '' };
    const events = folded.events + (await foldTelemetry(tx, log, folded.at, checkpoint.revision, (page) => write(tx, page)));
    const at = await scratchAt(tx);
    if (at < checkpoint.revision) {
      const row = `revision ${checkpoint.revision}`;
      const detail = `the read models stand at revision ${checkpoint.revision}, the log ends at ${at}`;
      return { problems: [...foreign, { kind: 'history', project: projectId, table: 'telemetry', row, detail }], events };
    }
    return { problems: [...foreign, ...(await compared(tx, projectId))], events };
  });
}

function foreignIn(prefix: string, project: string, event: Pick<RecordedEvent, 'revision' | 'type' | 'id'>): Problem {
  return foreignProblem(project, `${prefix}${project} revision ${event.revision}`, event);
}

async function shownRevisions(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ project: string; revision: string }>('SELECT project, revision FROM savepoint.telemetry_checkpoints');
  return new Map(rows.map(({ project, revision }) => [project, Number(revision)]));
}

/** Folds all but the last events, a batch at a time, while the projector continues. */
async function foldMost(
  log: Log,
  pool: Pool,
  projectId: string,
  shown: number,
  write: (tx: Transaction, events: readonly TelemetryEntry[]) => Promise<void>,
): Promise<{ readonly at: number; readonly events: number }> {
  let at = await transaction(pool, projectId, SCRATCH, async (tx) => {
    await beginScratch(tx);
    return beginFromTotals(tx, log, shown);
  });
  let count = 0;
  const to = shown - LITTLE;
  while (at < to) {
    const { events, unknown } = await readBatch(log, projectId, at, to);
    if (unknown !== null) throw unknown;
    const last = events.at(-1);
    if (last === undefined) break;
    await transaction(pool, projectId, SCRATCH, (tx) => write(tx, events));
    at = last.revision;
    count += events.length;
  }
  return { at, events: count };
}

async function scratchAt(tx: Transaction): Promise<number> {
  return (await readCheckpoint(tx))?.revision ?? -1;
}

async function compared(tx: Transaction, projectId: string): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const table of tablesOf(TELEMETRY)) problems.push(...(await compareTable(tx.client, table, 1, projectId)));
  return problems;
}
