import type { PlaySession } from '../../../src/domain/telemetry/session.ts';
import { parseJson, stringifyJson } from '../../../src/kernel/json.ts';
import type { Transaction } from '../../tables.ts';

/** Loads and writes the rows of `telemetry_sessions` for one batch. */

export interface SessionRow extends PlaySession {
  readonly platformId: string;
  readonly sessionId: string;
  readonly revision: number;
}

const LOAD = `
SELECT platform_id, session_id, revision, started_at, last_heartbeat_at, ended_at, seconds, fps::text AS fps FROM {telemetry_sessions}
WHERE project = $1 AND (platform_id, session_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))`;

const SAVE = `
INSERT INTO {telemetry_sessions} (project, platform_id, session_id, revision, started_at, last_heartbeat_at, ended_at, seconds, fps)
SELECT $1, platform_id, session_id, revision, started_at, last_heartbeat_at, ended_at, seconds, fps::json
FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::double precision[], $9::text[])
  AS w (platform_id, session_id, revision, started_at, last_heartbeat_at, ended_at, seconds, fps)
ON CONFLICT (project, platform_id, session_id) DO UPDATE SET revision = excluded.revision, started_at = excluded.started_at,
  last_heartbeat_at = excluded.last_heartbeat_at, ended_at = excluded.ended_at, seconds = excluded.seconds, fps = excluded.fps`;

/** Numbers are texts as Postgres prints them. */
export interface LoadedSession {
  readonly platform_id: string;
  readonly session_id: string;
  readonly revision: string;
  readonly started_at: string | null;
  readonly last_heartbeat_at: string | null;
  readonly ended_at: string | null;
  readonly seconds: number;
  readonly fps: string | null;
}

/** Names a session among the others of a batch. */
export function sessionKey(platformId: string, sessionId: string): string {
  return JSON.stringify([platformId, sessionId]);
}

export async function loadSessions(
  tx: Transaction,
  wanted: readonly { readonly platformId: string; readonly sessionId: string }[],
): Promise<Map<string, SessionRow>> {
  if (wanted.length === 0) return new Map();
  const lists = [wanted.map((one) => one.platformId), wanted.map((one) => one.sessionId)];
  const rows = await tx.run<LoadedSession>('telemetry-sessions', LOAD, lists);
  return new Map(rows.map((row) => [sessionKey(row.platform_id, row.session_id), sessionOf(row)]));
}

export function sessionOf(row: LoadedSession): SessionRow {
  const number = (text: string | null) => (text === null ? null : Number(text));
  return {
    platformId: row.platform_id,
    sessionId: row.session_id,
    revision: Number(row.revision),
    startedAt: number(row.started_at),
    lastHeartbeatAt: number(row.last_heartbeat_at),
    endedAt: number(row.ended_at),
    seconds: row.seconds,
    fps: row.fps === null ? null : parseJson(row.fps),
  };
}

export async function saveSessions(tx: Transaction, rows: readonly SessionRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run('telemetry-sessions-save', SAVE, [
    rows.map((row) => row.platformId),
    rows.map((row) => row.sessionId),
    rows.map((row) => row.revision),
    rows.map((row) => row.startedAt),
    rows.map((row) => row.lastHeartbeatAt),
    rows.map((row) => row.endedAt),
    rows.map((row) => row.seconds),
    rows.map((row) => (row.fps === null ? null : stringifyJson(row.fps))),
  ]);
}
