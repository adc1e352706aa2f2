import type { Pool } from 'pg';
import type { ReportRow } from '../../../src/app/ports/telemetry.ts';
import { categoryOf } from '../../../src/domain/telemetry/analytics.ts';
import { SAVE_UNCONFIRMED } from '../../../src/domain/telemetry/listing.ts';
import { isOnline } from '../../../src/domain/telemetry/player.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { type PlayerRow, playerOf } from './players.ts';

/** Lists for operators: the last events, failed saves and players, of one project or of all. */

export interface EventFilter {
  readonly project: string | null;
  readonly player: string | null;
  /** A type such as `error.reported`, or a category such as `error`. */
  readonly type: string | null;
  readonly limit: number;
}

export interface EventView extends ReportRow {
  readonly project: string;
}

/** Takes the last events of each project from the index, so that no list is sorted as a whole. */
const events = (order: string) => `
SELECT e.* FROM savepoint.projects p CROSS JOIN LATERAL (
  SELECT * FROM savepoint.telemetry_events e WHERE e.project = p.project AND ($2::text IS NULL OR e.platform_id = $2)
    AND ($3::text IS NULL OR e.category = $3) AND ($4::text IS NULL OR e.type = $4)
  ORDER BY ${order} LIMIT $5) e
WHERE $1::text IS NULL OR p.project = $1 ORDER BY e.recorded_at DESC, e.project, e.revision DESC LIMIT $5`;
const OF_ALL = events('e.revision DESC');
const OF_PLAYER = events('e.recorded_at DESC, e.revision DESC');

export interface EventRow {
  readonly project: string;
  readonly revision: string;
  readonly recorded_at: string;
  readonly platform_id: string;
  readonly type: string;
  readonly label: string;
  readonly source: string;
  readonly endpoint_slug: string | null;
  readonly collection_id: string | null;
  readonly session_id: string | null;
  readonly payload: JsonObject;
}

/** Newest first. */
export async function listEvents(pool: Pool, { project, player, type, limit }: EventFilter): Promise<readonly EventView[]> {
  const isType = type?.includes('.') ?? false;
  // The index holds categories, not types.
  const category = type !== null && isType ? categoryOf(type) : type;
  const { rows } = await pool.query<EventRow>(player === null ? OF_ALL : OF_PLAYER, [
    project,
    player,
    category,
    isType ? type : null,
    limit,
  ]);
  return rows.map((row) => ({ project: row.project, ...reportOf(row) }));
}

export function reportOf(row: EventRow): ReportRow {
  return {
    revision: Number(row.revision),
    at: isoTime(row.recorded_at),
    platformId: row.platform_id,
    type: row.type,
    label: row.label,
    source: row.source,
    endpointSlug: row.endpoint_slug,
    collectionId: row.collection_id,
    sessionId: row.session_id,
    payload: row.payload,
  };
}

/** Saves that games could not load again, newest first. */
export function listFailures(pool: Pool, filter: Pick<EventFilter, 'project' | 'limit'>): Promise<readonly EventView[]> {
  return listEvents(pool, { ...filter, player: null, type: SAVE_UNCONFIRMED });
}

export interface PlayerView {
  readonly project: string;
  readonly platformId: string;
  readonly playerName: string | null;
  readonly online: boolean;
  /** ISO 8601. */
  readonly lastSeen: string;
  /** Sum of the heartbeats; `null`: there was none. */
  readonly totalSeconds: number | null;
  /** Over all sessions, as reported by the game or measured by the clock. */
  readonly playSeconds: number;
  readonly sessions: number;
  readonly events: number;
  readonly lastType: string;
  /** `null` where the project has no calls recorded. */
  readonly lastEndpointSlug: string | null;
}

const PLAYERS = `
SELECT p.* FROM savepoint.telemetry_players p WHERE $1::text IS NULL OR p.project = $1
ORDER BY p.last_seen DESC, p.project, p.platform_id LIMIT $2`;

type PlayerViewRow = PlayerRow & { readonly project: string };

/** Players, last seen first. A player without a heartbeat for a minute counts as offline. */
export async function listPlayers(
  pool: Pool,
  { project, limit, now }: { readonly project: string | null; readonly limit: number; readonly now: number },
): Promise<readonly PlayerView[]> {
  const { rows } = await pool.query<PlayerViewRow>(PLAYERS, [project, limit]);
  return rows.map((row) => ({
    project: row.project,
    platformId: row.platform_id,
    playerName: row.player_name,
    online: isOnline(playerOf(row).profile, now),
    lastSeen: isoTime(row.last_seen),
    totalSeconds: row.total_seconds === null ? null : Number(row.total_seconds),
    playSeconds: Math.round(row.play_seconds),
    sessions: Number(row.session_count),
    events: Number(row.events),
    lastType: row.last_type,
    lastEndpointSlug: row.last_endpoint_slug,
  }));
}

function isoTime(at: string): string {
  return new Date(Number(at)).toISOString();
}
