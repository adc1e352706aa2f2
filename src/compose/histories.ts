import type pg from 'pg';
import { DatabaseProblem } from '../../infra/postgres/problem.ts';
import { checkpointHash } from '../log/foreign.ts';
import type { Log } from '../log/port.ts';
import { projectStream } from '../log/streams.ts';

/** A comparison of some projects' read models with the log. */
export interface HistoryComparison {
  /** How many projects of the read models were compared: those with the most events. */
  readonly compared: number;
  /** Those of them that the log does not have. */
  readonly missing: readonly string[];
  /** Those of them for which the log has another event, or none, at the checkpoint. */
  readonly different: readonly string[];
}

/** This many projects are enough to tell one installation from another. */
const SAMPLE = 20;

const CHECKPOINTS = `
SELECT c.project, c.revision, c.hash FROM savepoint.checkpoints c
JOIN savepoint.projection_versions v ON v.name = c.projection AND v.active = c.version
WHERE c.projection = 'authority' AND c.revision >= 0 ORDER BY c.revision DESC LIMIT $1`;

/** Compares the events at the checkpoints of the read models. Throws `LogUnavailable`, or what the database throws. */
export async function compareHistories(pool: pg.Pool, log: Log): Promise<HistoryComparison> {
  const { rows } = await pool.query<{ project: string; revision: string; hash: string }>(CHECKPOINTS, [SAMPLE]);
  const missing: string[] = [];
  const different: string[] = [];
  for (const { project, revision, hash } of rows) {
    const stream = projectStream(project);
    const [event] = await log.read(stream, { from: Number(revision), limit: 1, direction: 'forwards' });
    if (event !== undefined && checkpointHash(event) === hash) continue;
    const isThere = event !== undefined || (await log.head(stream)) !== null;
    (isThere ? different : missing).push(project);
  }
  return { compared: rows.length, missing, different };
}

export const OTHER_LOG_CURE =
  'Name the log that belongs to this database; or move it here with `savepoint log copy --from … --to …`; or, when this log is the one to keep, name an empty database, where the read models are built anew.';

/**
 * Throws if the log has none of the compared projects: the read models belong to another log, or the log was lost. An operator has to
 * decide.
 */
export function requireOneHistory({ compared, missing }: HistoryComparison, where: string): void {
  if (compared === 0 || missing.length < compared) return;
  throw new DatabaseProblem(
    `The database has read models of ${compared} projects, and the log in ${where} knows none of them.`,
    OTHER_LOG_CURE,
  );
}
