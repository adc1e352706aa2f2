import type { Pool, PoolClient } from 'pg';
import { IN_TIME } from './patience.ts';
import { LATER_STATES, PROJECTION_NAMES, STATE_NAMES, VIEW_NAMES } from './registry.ts';
import type { Standing, ViewPlace } from './standing.ts';
import type { ProjectionName, Session } from './tables.ts';

/** The log and the read models of a project hold different histories, because one of them was restored to an older state. */
export class HistoryMismatch extends Error {
  override readonly name = 'HistoryMismatch';

  constructor(projectId: string, detail: string) {
    super(`The log and the read models of project ${projectId} tell two histories (${detail}). Cure: savepoint rebuild`);
  }
}

/** Another projector moved the checkpoint, or a rebuild switched versions. The standing must be read again. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

const STANDING = `
SELECT v.name, v.active, c.revision, c.hash, c.failures, c.paused_at IS NOT NULL AS paused
FROM savepoint.projection_versions v
LEFT JOIN savepoint.checkpoints c ON c.project = $1 AND c.projection = v.name AND c.version = v.active
WHERE v.name = ANY ($2)`;

/** The share lock keeps a rebuild from switching versions while this runs. */
const CREATE = `
INSERT INTO savepoint.checkpoints (projection, version, project, revision, hash)
SELECT name, active, $1, -1, '' FROM savepoint.projection_versions WHERE name = ANY ($2) FOR SHARE
ON CONFLICT DO NOTHING`;

/** Sets {@link LATER_STATES} to where `documents` is. `$2`: the one project to do it for; `null`: all. */
const LEVEL = `
INSERT INTO savepoint.checkpoints (projection, version, project, revision, hash)
SELECT later.name, later.active, c.project, c.revision, c.hash
FROM savepoint.projection_versions later, savepoint.projection_versions first
JOIN savepoint.checkpoints c ON c.projection = first.name AND c.version = first.active
WHERE later.name = ANY ($1) AND first.name = 'documents' AND ($2::text IS NULL OR c.project = $2)
ON CONFLICT (projection, version, project) DO UPDATE SET revision = excluded.revision, hash = excluded.hash
  WHERE checkpoints.revision < excluded.revision`;

/** Sets the state tables that an older build has not moved to where the others are; see {@link LATER_STATES}. */
export async function level(client: Pool | PoolClient, projectId: string | null): Promise<void> {
  await client.query({ ...IN_TIME, text: LEVEL, values: [LATER_STATES, projectId] });
}

interface StandingRow {
  readonly name: ProjectionName;
  readonly active: number;
  readonly revision: string | null;
  readonly hash: string | null;
  readonly failures: number | null;
  readonly paused: boolean;
}

/** Reads the standing. A project that is new to a projection gets its checkpoint, at −1. Throws {@link HistoryMismatch}. */
export async function readStanding(pool: Pool | PoolClient, projectId: string): Promise<Standing> {
  const read = () => pool.query<StandingRow>({ ...IN_TIME, name: 'standing', text: STANDING, values: [projectId, PROJECTION_NAMES] });
  const found = await read();
  if (found.rows.every((row) => row.revision !== null) && areLevel(found.rows)) return standingOf(projectId, found.rows);
  await pool.query({ ...IN_TIME, text: CREATE, values: [projectId, PROJECTION_NAMES] });
  await level(pool, projectId);
  return standingOf(projectId, (await read()).rows);
}

function areLevel(rows: readonly StandingRow[]): boolean {
  const states = rows.filter(({ name }) => STATE_NAMES.includes(name));
  return states.every(({ revision }) => revision === states[0]?.revision);
}

function standingOf(projectId: string, rows: readonly StandingRow[]): Standing {
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
    views: new Map(VIEW_NAMES.map((name) => [name, placeOf(byName.get(name))])),
  };
}

function placeOf(row: StandingRow | undefined): ViewPlace {
  return { revision: Number(row?.revision ?? -1), failures: row?.failures ?? 0, paused: row?.paused ?? false };
}

const ADVANCE = `
UPDATE savepoint.checkpoints SET revision = $5, hash = $6, failures = 0, error = NULL, paused_at = NULL
WHERE project = $1 AND revision = $4
  AND (projection, version) IN (SELECT name, version FROM unnest($2::text[], $3::int[]) AS w (name, version))`;

/** Moves the checkpoints of `names` together, from exactly `from`. Throws {@link CheckpointMoved}; then the transaction must end. */
export async function advance(
  session: Session,
  names: readonly ProjectionName[],
  from: number,
  to: { readonly revision: number; readonly hash: string },
): Promise<void> {
  const versions = names.map((name) => session.versions.get(name));
  const values = [session.projectId, names, versions, from, to.revision, to.hash];
  const { rowCount } = await session.client.query({ name: 'advance', text: ADVANCE, values });
  if (rowCount !== names.length) throw new CheckpointMoved(`project ${session.projectId} no longer stands at ${from}`);
}

/**
 * Locks the checkpoints of the given projections of a project until the transaction ends. They must be at `at`. Throws {@link
 * CheckpointMoved}.
 */
export async function hold(session: Session, names: readonly ProjectionName[], at: number): Promise<void> {
  const { rows } = await session.client.query<{ revision: string }>(
    `SELECT revision FROM savepoint.checkpoints WHERE project = $1
       AND (projection, version) IN (SELECT name, version FROM unnest($2::text[], $3::int[]) AS w (name, version))
     ORDER BY projection, version FOR UPDATE`,
    [session.projectId, names, names.map((name) => session.versions.get(name))],
  );
  const still = rows.length === names.length && rows.every((row) => Number(row.revision) === at);
  if (!still) throw new CheckpointMoved(`project ${session.projectId} no longer stands at ${at}`);
}
