import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { projectSettings } from '../../../src/domain/project/settings.ts';
import { TELEMETRY_VERSIONS, type TelemetrySwept } from '../../../src/domain/telemetry/events.ts';
import { analyticsSetting } from '../../../src/domain/telemetry/switches.ts';
import { encodeEvent, type JsonObject } from '../../../src/kernel/json.ts';
import type { Log } from '../../../src/log/port.ts';
import { telemetryStream } from '../../../src/log/streams.ts';

/**
 * Retention. It removes nothing itself: it appends an event that says what is no longer shown. The projector, a rebuild and a verification
 * remove the rows at that event. The events themselves are truncated later (truncate.ts).
 */

export interface Retained {
  /** Projects that lost rows. */
  readonly projects: number;
  /** Events that are no longer shown. */
  readonly events: number;
}

const DAY_MS = 86_400_000;

interface ProjectRow {
  readonly project: string;
  readonly deleted: boolean;
  readonly settings: JsonObject;
}

/** Sweeps every project's telemetry by the project's own setting, and that of a deleted project completely. `now`: unix ms. */
export async function retainTelemetry({
  log,
  pool,
  now,
}: {
  readonly log: Log;
  readonly pool: Pool;
  readonly now: number;
}): Promise<Retained> {
  const { rows } = await pool.query<ProjectRow>(
    `SELECT p.project, p.deleted, p.settings FROM savepoint.projects p
     JOIN savepoint.telemetry_checkpoints c ON c.project = p.project AND c.revision >= 0 ORDER BY p.project`,
  );
  let projects = 0;
  let events = 0;
  for (const row of rows) {
    const swept = await sweptOf(pool, row, now);
    if (swept === null) continue;
    await appendSwept(log, row.project, swept, now);
    projects += 1;
    events += Object.values(swept.totals.swept).reduce((sum, count) => sum + count, 0);
  }
  return { projects, events };
}

/** What a sweep must remove of a project's rows; `null` for nothing. */
async function sweptOf(pool: Pool, { project, deleted, settings }: ProjectRow, now: number): Promise<TelemetrySwept | null> {
  const days = analyticsSetting(projectSettings(settings).analytics).retentionDays;
  if (!deleted && days === 0) return null;
  const before = await firstKept(pool, project, deleted ? Number.MAX_SAFE_INTEGER : now - days * DAY_MS);
  const totals = await totalsOf(pool, project, before);
  const rows = Object.values(totals.swept).reduce((sum, count) => sum + count, 0);
  if (rows === 0 && !(deleted && totals.players > 0)) return null;
  return { before, forgotten: deleted, totals };
}

/** The first row that is young enough, in the order of the stream. Without one, the position after the last row. */
const FIRST_KEPT = `
SELECT coalesce(
  (SELECT revision FROM savepoint.telemetry_events WHERE project = $1 AND recorded_at >= $2 ORDER BY revision LIMIT 1),
  (SELECT revision + 1 FROM savepoint.telemetry_checkpoints WHERE project = $1)) AS revision`;

async function firstKept(pool: Pool, projectId: string, youngerThan: number): Promise<number> {
  const { rows } = await pool.query<{ revision: string }>(FIRST_KEPT, [projectId, youngerThan]);
  return Number(rows[0]?.revision ?? 0);
}

const TOTALS = `
SELECT count(*) AS players, coalesce(sum(total_seconds), 0) AS total_seconds, coalesce(sum(play_seconds), 0) AS play_seconds,
  coalesce(sum(session_count), 0) AS session_count
FROM savepoint.telemetry_players WHERE project = $1`;
const SWEPT = `
SELECT category, count(*) AS count FROM savepoint.telemetry_events WHERE project = $1 AND revision < $2 GROUP BY category ORDER BY category`;

async function totalsOf(pool: Pool, projectId: string, before: number): Promise<TelemetrySwept['totals']> {
  const swept = await pool.query<{ category: string; count: string }>(SWEPT, [projectId, before]);
  const { rows } = await pool.query<Record<'players' | 'total_seconds' | 'play_seconds' | 'session_count', string>>(TOTALS, [projectId]);
  const [row] = rows;
  return {
    players: Number(row?.players ?? 0),
    totalSeconds: Number(row?.total_seconds ?? 0),
    playSeconds: Math.round(Number(row?.play_seconds ?? 0)),
    sessionCount: Number(row?.session_count ?? 0),
    swept: Object.fromEntries(swept.rows.map(({ category, count }) => [category, Number(count)])),
  };
}

/** Appends the sweep. A second append is harmless: nothing is left to remove. */
async function appendSwept(log: Log, projectId: string, swept: TelemetrySwept, recordedAt: number): Promise<void> {
  const metadata = { schemaVersion: TELEMETRY_VERSIONS['telemetry.swept'], recordedAt, actor: { kind: 'operator' } };
  const event = { id: randomUUID(), type: 'telemetry.swept', data: encodeEvent(swept), metadata: JSON.stringify(metadata) };
  const result = await log.append(telemetryStream(projectId), 'any', [event]);
  if (!result.ok) throw new Error(`the log refused a sweep of ${projectId} at revision ${result.actual}`);
}
