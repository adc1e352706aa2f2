import type { Pool } from 'pg';
import { groupBy } from '../../src/kernel/group.ts';
import { isDatabaseOutage } from '../../src/kernel/outage.ts';
import { decodeProjectEvent } from '../../src/log/decode.ts';
import { type Log, LogUnavailable } from '../../src/log/port.ts';
import { projectStream } from '../../src/log/streams.ts';
import type { Projection } from '../batch.ts';
import type { Catalog } from '../catalog.ts';
import type { CheckpointSet } from '../checkpoint-set.ts';
import { advance, CheckpointMoved } from '../checkpoints.ts';
import { QUERY_TIMEOUT } from '../query-timeout.ts';
import { TooLate } from '../tables.ts';
import { transaction } from '../transaction.ts';
import { NOTHING, writeAnew, writeBatch, writeTouched } from '../write.ts';

/** The most missed events in one page. */
export const PAGE = 500;

/** The longest time limit of one transaction of a view, ms. */
export const MAX_TIMEOUT_MS = 600_000;

/** The number of failures in a row after which a view counts as paused for the project. */
const TRIES = 5;

export interface CatchUpOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly projectId: string;
  /** The checkpoints of the project, or those of a moment ago. */
  readonly checkpoints: CheckpointSet;
  /** What the definitions ask of views; not older than `checkpoints`. */
  readonly catalog: () => Promise<Catalog>;
  /** See `Batch.atOnce`. */
  readonly atOnce: number;
  readonly timeoutMs: number;
}

/**
 * Groups views that are behind. Views at the same revision are caught up together, so that each event is read once. A view that shows
 * nothing yet is a group of its own, because it may start from the documents.
 */
export function groupsByRevision(views: readonly Projection[], checkpoints: CheckpointSet): Iterable<readonly Projection[]> {
  const at = ({ name }: Projection) => checkpoints.views.get(name)?.revision ?? -1;
  return groupBy(views, (view) => (at(view) < 0 ? view.name : at(view))).values();
}

/**
 * Catches a group of views up by one page of the events that they missed: all of them or none. Derived views read the present rows of the
 * documents that these events changed; a derived view that shows nothing yet starts from all documents. Returns the revision that the views
 * then show. Throws the views' errors, and {@link CheckpointMoved}.
 */
export async function catchUpViews(views: readonly Projection[], options: CatchUpOptions): Promise<number> {
  const { pool, log, projectId, checkpoints, atOnce, timeoutMs } = options;
  const [first] = views;
  if (first === undefined) return checkpoints.revision;
  const from = checkpoints.views.get(first.name)?.revision ?? -1;
  const run = (work: Parameters<typeof transaction<void>>[3]) => transaction(pool, projectId, checkpoints.versions, work, timeoutMs);
  if (first.derived && from < 0) {
    const catalog = await options.catalog();
    await run(async (tx) => {
      await advance(tx, [first.name], from, checkpoints);
      await writeAnew(tx, first, catalog, atOnce);
    });
    return checkpoints.revision;
  }
  const limit = Math.min(PAGE, checkpoints.revision - from);
  const page = await log.read(projectStream(projectId), { from: from + 1, limit, direction: 'forwards' });
  const last = page.at(-1);
  if (last === undefined) throw new CheckpointMoved(`the log of project ${projectId} ends at ${from}`);
  const events = page.map((event) => decodeProjectEvent(event));
  const derived = views.filter((view) => view.derived);
  const others = views.filter((view) => !view.derived);
  const catalog = derived.length === 0 ? null : await options.catalog();
  await run(async (tx) => {
    if (others.length > 0) await writeBatch(tx, others, events, NOTHING);
    if (catalog !== null) await writeTouched(tx, derived, events, catalog, atOnce);
  });
  return last.revision;
}

/** Deadlocks, lock time-outs, and statements and transactions that were ended from outside. */
const PASSING = /^(?:40...|55P03|57014|25P0[34])$/;

/**
 * Whether a failure says nothing about the view itself: the log or the database could not be reached, another transaction was in the way,
 * or no time was left. Such a failure passes by itself, so the view is not reported as paused. After `failingMs`, which is longer than any
 * such failure lasts, the view itself counts as the cause: a statement that always times out, for example.
 */
export function isTransient(error: unknown, failingMs: number): boolean {
  if (error instanceof LogUnavailable) return true;
  if (failingMs >= MAX_TIMEOUT_MS) return false;
  if (error instanceof TooLate || isDatabaseOutage(error)) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && PASSING.test(error.code);
}

/** Records a failure where operators and every node see it. Pauses the view after the last try. Returns whether it is paused. */
export async function noteFailure(
  pool: Pool,
  projectId: string,
  view: Projection,
  checkpoints: CheckpointSet,
  error: unknown,
  now: number,
): Promise<boolean> {
  const message = error instanceof Error ? error.message : String(error);
  const { rows } = await pool.query<{ paused: boolean }>({
    text: `UPDATE savepoint.checkpoints SET failures = failures + 1, error = $4,
       paused_at = CASE WHEN failures + 1 >= $5 THEN coalesce(paused_at, $6) ELSE paused_at END
     WHERE project = $1 AND projection = $2 AND version = $3
     RETURNING paused_at IS NOT NULL AS paused`,
    values: [projectId, view.name, checkpoints.versions.get(view.name), message, TRIES, now],
    ...QUERY_TIMEOUT,
  });
  return rows[0]?.paused ?? false;
}
