import type { Pool, PoolClient } from 'pg';
import type { CheckpointSet, ViewCheckpoint } from './checkpoint-set.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';
import { PROJECTION_NAMES, STATE_NAMES, VIEW_NAMES } from './registry.ts';
import type { ProjectionName, Transaction } from './tables.ts';

/** The log and the read models of a project hold different histories, because one of them was restored to an older state. */
export class HistoryMismatch extends Error {
  override readonly name = 'HistoryMismatch';

  constructor(projectId: string, detail: string) {
    super(`The log and the read models of project ${projectId} tell two histories (${detail}). Cure: savepoint rebuild`);
  }
}

/** Another projector moved the checkpoint, or a rebuild switched versions. The checkpoints must be read again. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

const CHECKPOINTS = `
SELECT v.name, v.active, c.revision, c.hash, c.failures, c.paused_at IS NOT NULL AS paused
FROM savepoint.projection_versions v
LEFT JOIN savepoint.checkpoints c ON c.project = $1 AND c.projection = v.name AND c.version = v.active
WHERE v.name = ANY ($2)`;

/** The share lock keeps a rebuild from switching versions while this runs. */
const CREATE = `
INSERT INTO savepoint.checkpoints (projection, version, project, revision, hash)
SELECT name, active, $1, -1, '' FROM savepoint.projection_versions WHERE name = ANY ($2) FOR SHARE
ON CONFLICT DO NOTHING`;

interface CheckpointRow {
  readonly name: ProjectionName;
  readonly active: number;
  readonly revision: string | null;
  readonly hash: string | null;
  readonly failures: number | null;
  readonly paused: boolean;
}

/** Reads the checkpoints. A project that is new to a projection gets its checkpoint, at −1. Throws {@link HistoryMismatch}. */
export async function readCheckpoints(pool: Pool | PoolClient, projectId: string): Promise<CheckpointSet> {
  const read = () =>
    pool.query<CheckpointRow>({ ...QUERY_TIMEOUT, name: 'checkpoints', text: CHECKPOINTS, values: [projectId, PROJECTION_NAMES] });
  const found = await read();
  if (found.rows.every((row) => row.revision !== null)) return checkpointSetOf(projectId, found.rows);
  await pool.query({ ...QUERY_TIMEOUT, text: CREATE, values: [projectId, PROJECTION_NAMES] });
  return checkpointSetOf(projectId, (await read()).rows);
}

function checkpointSetOf(projectId: string, rows: readonly CheckpointRow[]): CheckpointSet {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const states = STATE_NAMES.map((name) => byName.get(name));
  const first = states[0];
  if (first === undefined || rows.some((row) => row.revision === null))
    throw new Error(`no checkpoints for project ${projectId}: was the database migrated?`);
  if (states.some((row) => row?.revision !== first.revision || row.hash !== first.hash)) {
    throw new HistoryMismatch(projectId, 'its state tables stand at different revisions');
  }
  return {
    versions: new Map(rows.map((row) => [row.name, row.active])),
    revision: Number(first.revision),
    hash: first.hash ?? '',
    views: new Map(VIEW_NAMES.map((name) => [name, viewCheckpointOf(byName.get(name))])),
  };
}

function viewCheckpointOf(row: CheckpointRow | undefined): ViewCheckpoint {
  return { revision: Number(row?.revision ?? -1), failures: row?.failures ?? 0, paused: row?.paused ?? false };
}

const ADVANCE = `
UPDATE savepoint.checkpoints SET revision = $5, hash = $6, failures = 0, error = NULL, paused_at = NULL
WHERE project = $1 AND revision = $4
  AND (projection, version) IN (SELECT name, version FROM unnest($2::text[], $3::int[]) AS w (name, version))`;

/**
 * Moves the checkpoints of `names` together from `from`. Throws {@link CheckpointMoved} when they are elsewhere; the transaction must then
 * end.
 */
export async function advance(
  tx: Transaction,
  names: readonly ProjectionName[],
  from: number,
  to: { readonly revision: number; readonly hash: string },
): Promise<void> {
  const versions = names.map((name) => tx.versions.get(name));
  const values = [tx.projectId, names, versions, from, to.revision, to.hash];
  const { rowCount } = await tx.client.query({ name: 'advance', text: ADVANCE, values });
  if (rowCount !== names.length) throw new CheckpointMoved(`project ${tx.projectId} no longer stands at ${from}`);
}

/**
 * Locks the checkpoints of these projections of a project until the transaction ends. Throws {@link CheckpointMoved} when they are not at
 * `at`.
 */
export async function lockCheckpoints(tx: Transaction, names: readonly ProjectionName[], at: number): Promise<void> {
  const { rows } = await tx.client.query<{ revision: string }>(
    `SELECT revision FROM savepoint.checkpoints WHERE project = $1
       AND (projection, version) IN (SELECT name, version FROM unnest($2::text[], $3::int[]) AS w (name, version))
     ORDER BY projection, version FOR UPDATE`,
    [tx.projectId, names, names.map((name) => tx.versions.get(name))],
  );
  const still = rows.length === names.length && rows.every((row) => Number(row.revision) === at);
  if (!still) throw new CheckpointMoved(`project ${tx.projectId} no longer stands at ${at}`);
}
