import type { Pool } from 'pg';
import { isDatabaseOutage } from '../../src/kernel/outage.ts';
import { decodeProjectEvent } from '../../src/log/decode.ts';
import { type Log, LogUnavailable } from '../../src/log/port.ts';
import { projectStream } from '../../src/log/streams.ts';
import type { Projection } from '../batch.ts';
import { advance, CheckpointMoved, hold } from '../checkpoints.ts';
import { IN_TIME } from '../patience.ts';
import type { Standing } from '../standing.ts';
import type { Session } from '../tables.ts';
import { transaction } from '../transaction.ts';
import { type Memory, NOTHING, writeBatch } from '../write.ts';

const PAGE = 500;

/** As long as a view may take for one transaction, ms. */
export const LONGEST_PATIENCE_MS = 600_000;

/** Failures in a row after which a view is paused for the project. */
const TRIES = 5;

/**
 * Brings a view that fell behind up to the state tables: a derived one is made anew out of their rows, any other reads the events
 * it missed. Throws what the view throws, and {@link CheckpointMoved}. `patienceMs`: of each transaction.
 */
export async function catchUpView(
  view: Projection,
  projectId: string,
  standing: Standing,
  memory: Memory,
  { pool, log }: { readonly pool: Pool; readonly log: Log },
  patienceMs: number,
): Promise<void> {
  const from = standing.views.get(view.name)?.revision ?? -1;
  if (view.reindex) {
    await transaction(pool, projectId, standing.versions, (session) => reindex(session, view, from, standing, memory), patienceMs);
    return;
  }
  for (let at = from; at < standing.revision; ) {
    const limit = Math.min(PAGE, standing.revision - at);
    const page = await log.read(projectStream(projectId), { from: at + 1, limit, direction: 'forwards' });
    if (page.length === 0) throw new CheckpointMoved(`the log of project ${projectId} ends at ${at}`);
    const events = page.map((event) => decodeProjectEvent(event));
    await transaction(pool, projectId, standing.versions, (session) => writeBatch(session, [view], events, NOTHING), patienceMs);
    at += page.length;
  }
}

async function reindex(session: Session, view: Projection, from: number, standing: Standing, memory: Memory): Promise<void> {
  await hold(session, ['documents', 'definitions'], standing.revision);
  await advance(session, [view.name], from, standing);
  await view.reindex?.(session, memory.catalog);
}

/** Deadlocks, locks that were waited for too long, statements and transactions that were ended from outside. */
const PASSING = /^(?:40...|55P03|57014|25P0[34])$/;

/**
 * Whether a failure says nothing of the view: the log or the database could not be reached, or somebody was in the way. It passes by
 * itself, so it is no try: five lost connections in a row once left a ledger standing until somebody rebuilt it. What the database has
 * not taken for `failingMs`, longer than anything passes, is the view's own after all, such as a statement that no time-out ever lets
 * end: its tries hold up the project.
 */
export function passes(error: unknown, failingMs: number): boolean {
  if (error instanceof LogUnavailable) return true;
  if (failingMs >= LONGEST_PATIENCE_MS) return false;
  if (isDatabaseOutage(error)) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && PASSING.test(error.code);
}

/** Notes a failure where operators and every node see it; the last try pauses. Answers whether the view is paused now. */
export async function noteFailure(
  pool: Pool,
  projectId: string,
  view: Projection,
  standing: Standing,
  error: unknown,
  now: number,
): Promise<boolean> {
  const message = error instanceof Error ? error.message : String(error);
  const { rows } = await pool.query<{ paused: boolean }>({
    text: `UPDATE savepoint.checkpoints SET failures = failures + 1, error = $4,
       paused_at = CASE WHEN failures + 1 >= $5 THEN coalesce(paused_at, $6) ELSE paused_at END
     WHERE project = $1 AND projection = $2 AND version = $3
     RETURNING paused_at IS NOT NULL AS paused`,
    values: [projectId, view.name, standing.versions.get(view.name), message, TRIES, now],
    ...IN_TIME,
  });
  return rows[0]?.paused ?? false;
}
