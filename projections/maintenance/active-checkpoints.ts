import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { PROJECTION_NAMES } from '../registry.ts';
import type { ProjectionName, Versions } from '../tables.ts';
import type { Problem } from './compare.ts';

/** How far the read models are, for verification. These functions only read and take no locks. */

export interface ActiveCheckpoint {
  readonly name: ProjectionName;
  readonly version: number;
  readonly revision: number;
  readonly hash: string;
}

/** The revision that all active tables of a project show, by project. */
export async function checkpoints(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ project: string; revision: string }>(
    `SELECT c.project, min(c.revision) AS revision FROM savepoint.checkpoints c
     JOIN savepoint.projection_versions v ON v.name = c.projection AND v.active = c.version GROUP BY c.project`,
  );
  return new Map(rows.map((row) => [row.project, Number(row.revision)]));
}

/** The version of each projection that readers see. */
export async function activeVersions(pool: Pool): Promise<Versions> {
  const { rows } = await pool.query<{ name: ProjectionName; active: number }>(
    'SELECT name, active FROM savepoint.projection_versions WHERE name = ANY ($1)',
    [PROJECTION_NAMES],
  );
  return new Map(rows.map(({ name, active }) => [name, active]));
}

/** The checkpoints of a project in the versions that readers see. */
export async function activeCheckpoints(client: Pool | PoolClient, projectId: string): Promise<readonly ActiveCheckpoint[]> {
  const { rows } = await client.query<{ name: ProjectionName; version: number; revision: string; hash: string }>(
    `SELECT c.projection AS name, c.version, c.revision, c.hash FROM savepoint.checkpoints c
     JOIN savepoint.projection_versions v ON v.name = c.projection AND v.active = c.version
     WHERE c.project = $1 ORDER BY c.projection`,
    [projectId],
  );
  return rows.map((row) => ({ ...row, revision: Number(row.revision) }));
}

/** Whether the error says that a table was dropped after its name was read. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01';
}

/** A stream that has events beyond what the read models show. */
export interface Lag {
  readonly project: string;
  readonly head: number;
  readonly shown: number;
}

/** How long verification waits for a running projector that makes no progress. It waits for a projector that does. */
const STILL_MS = 2_000;
const MAX_MS = 20_000;
const POLL_MS = 50;

/**
 * Streams that the read models do not show up to these heads, after the projector's pending work was written. `shown`: revision by project;
 * absent where nothing is shown.
 */
export async function lagging(
  heads: ReadonlyMap<string, number>,
  shown: () => Promise<ReadonlyMap<string, number>>,
): Promise<readonly Lag[]> {
  const began = performance.now();
  let movedAt = began;
  let before = '';
  for (;;) {
    const at = await shown();
    const projects = [...heads].map(([project, head]) => ({ project, head, shown: at.get(project) ?? -1 }));
    const behind = projects.filter((entry) => entry.shown < entry.head);
    const now = performance.now();
    const seen = behind.map((entry) => entry.shown).join();
    if (seen !== before) movedAt = now;
    before = seen;
    if (behind.length === 0 || now - movedAt > STILL_MS || now - began > MAX_MS) return behind;
    await sleep(POLL_MS);
  }
}

export function behindProblem(table: string, { project, head, shown }: Lag): Problem {
  const count = head - shown;
  const detail = `${count} event${count === 1 ? '' : 's'} behind the log, which goes on to revision ${head}; nothing is proved of ${count === 1 ? 'it' : 'them'}`;
  return { kind: 'behind', project, table, row: `revision ${shown}`, detail };
}
