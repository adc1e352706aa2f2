import type { Pool } from 'pg';
import { UnknownEvent } from '../../../src/log/decode.ts';
import type { Log } from '../../../src/log/port.ts';
import { telemetryStream } from '../../../src/log/streams.ts';
import { HistoryMismatch } from '../../checkpoints.ts';
import { compareTable, type Problem } from '../../maintenance/compare.ts';
import { behindProblem, lagging } from '../../maintenance/places.ts';
import { TELEMETRY } from '../../registry.ts';
import { SCRATCH_VERSION, Session, tableName, tablesOf, type Versions } from '../../tables.ts';
import { snapshot, transaction } from '../../transaction.ts';
import { lookAtPlace, readBatch, TELEMETRY_VERSIONS } from './place.ts';
import { writeTelemetry } from './project.ts';
import { foldTelemetry, telemetryProjects, unlessCutMeanwhile } from './rebuild.ts';
import { beginScratch, onScratch } from './scratch.ts';
import { beginFromTotals } from './totals.ts';

/**
 * The proof that the rows of telemetry agree with its streams. They are folded again into scratch tables, up to where the tables are, and
 * compared column by column. Telemetry has no hash chain, so an altered event shows only where it changes a row.
 */

export interface VerifiedTelemetry {
  readonly problems: readonly Problem[];
  readonly events: number;
  readonly behind: number;
}

const SCRATCH: Versions = new Map([[TELEMETRY, SCRATCH_VERSION]]);
/** The most events that are left to fold while the snapshot is held. */
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
  const lags = await lagging(heads, () => shownPlaces(pool));
  const behind = lags.reduce((sum, { head, shown }) => sum + head - shown, 0);
  return { problems: [...problems, ...lags.map((lag) => behindProblem('telemetry', lag))], events, behind };
}

async function verified(log: Log, pool: Pool, projectId: string): Promise<Omit<VerifiedTelemetry, 'behind'>> {
  const problem = (kind: Problem['kind'], detail: string) => ({ kind, project: projectId, table: 'telemetry', row: '', detail });
  try {
    return await unlessCutMeanwhile(() => verifyOne(log, pool, projectId));
  } catch (error) {
    if (error instanceof UnknownEvent) return { problems: [problem('unreadable', error.message)], events: 0 };
    if (error instanceof HistoryMismatch) return { problems: [problem('history', error.message)], events: 0 };
    throw error;
  }
}

async function verifyOne(log: Log, pool: Pool, projectId: string): Promise<Omit<VerifiedTelemetry, 'behind'>> {
  const shown = (await shownPlaces(pool)).get(projectId);
  if (shown === undefined) return { problems: [], events: 0 };
  const tables = tablesOf(TELEMETRY).map(({ name }) => tableName(name, 1));
  const folded = await foldMost(log, pool, projectId, shown);
  return snapshot(pool, projectId, SCRATCH, tables, async (session) => {
    const active = new Session(session.client, projectId, TELEMETRY_VERSIONS);
    const place = (await lookAtPlace(active)) ?? { revision: -1, eventId: '' };
    const events = folded.events + (await foldTelemetry(session, log, folded.at, place.revision));
    const at = await scratchAt(session);
    if (at < place.revision) {
      const row = `revision ${place.revision}`;
      const detail = `the read models stand at revision ${place.revision}, the log ends at ${at}`;
      return { problems: [{ kind: 'history', project: projectId, table: 'telemetry', row, detail }], events };
    }
    return { problems: await compared(session, projectId), events };
  });
}

async function shownPlaces(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ project: string; revision: string }>('SELECT project, revision FROM savepoint.telemetry_checkpoints');
  return new Map(rows.map(({ project, revision }) => [project, Number(revision)]));
}

/** Folds all but the last events, a batch at a time, while the projector goes on. */
async function foldMost(log: Log, pool: Pool, projectId: string, shown: number): Promise<{ readonly at: number; readonly events: number }> {
  let at = await transaction(pool, projectId, SCRATCH, async (session) => {
    await beginScratch(session);
    return beginFromTotals(session, log, shown);
  });
  let count = 0;
  const to = shown - LITTLE;
  while (at < to) {
    const { events, unknown } = await readBatch(log, projectId, at, to);
    if (unknown !== null) throw unknown;
    const last = events.at(-1);
    if (last === undefined) break;
    await transaction(pool, projectId, SCRATCH, (session) => writeTelemetry(session, events));
    at = last.revision;
    count += events.length;
  }
  return { at, events: count };
}

async function scratchAt(session: Session): Promise<number> {
  return (await lookAtPlace(session))?.revision ?? -1;
}

async function compared(session: Session, projectId: string): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const table of tablesOf(TELEMETRY)) problems.push(...(await compareTable(session.client, table, 1, projectId)));
  return problems;
}
