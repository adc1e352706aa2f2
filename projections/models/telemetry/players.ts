import type { Player } from '../../../src/domain/telemetry/player.ts';
import type { Transaction } from '../../tables.ts';

/** Loads and writes the rows of `telemetry_players` for one batch. */

const LOAD = 'SELECT * FROM {telemetry_players} WHERE project = $1 AND platform_id = ANY ($2::text[])';

const COLUMNS = [
  ['platform_id', 'text'],
  ['first_seen', 'bigint'],
  ['last_heartbeat', 'bigint'],
  ['total_seconds', 'bigint'],
  ['player_name', 'text'],
  ['online', 'boolean'],
  ['online_since', 'bigint'],
  ['last_seen', 'bigint'],
  ['profile_heartbeat', 'bigint'],
  ['online_until', 'bigint'],
  ['session_id', 'text'],
  ['session_seconds', 'double precision'],
  ['play_seconds', 'double precision'],
  ['session_count', 'bigint'],
  ['last_type', 'text'],
  ['events', 'bigint'],
  ['listed_at', 'bigint'],
  ['last_endpoint_slug', 'text'],
] as const;

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const SAVE = `
INSERT INTO {telemetry_players} (project, ${NAMES})
SELECT $1, ${NAMES} FROM unnest(${COLUMNS.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ')}) AS w (${NAMES})
ON CONFLICT (project, platform_id) DO UPDATE SET ${COLUMNS.map(([name]) => `${name} = excluded.${name}`).join(', ')}`;

/** Numbers are texts as Postgres prints them. */
export interface PlayerRow {
  readonly platform_id: string;
  readonly first_seen: string | null;
  readonly last_heartbeat: string | null;
  readonly total_seconds: string | null;
  readonly player_name: string | null;
  readonly online: boolean;
  readonly online_since: string | null;
  readonly last_seen: string;
  readonly profile_heartbeat: string | null;
  readonly online_until: string | null;
  readonly session_id: string | null;
  readonly session_seconds: number;
  readonly play_seconds: number;
  readonly session_count: string;
  readonly last_type: string;
  readonly events: string;
  readonly listed_at: string | null;
  readonly last_endpoint_slug: string | null;
}

export async function loadPlayers(tx: Transaction, ids: readonly string[]): Promise<Map<string, Player>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.run<PlayerRow>('telemetry-players', LOAD, [ids]);
  return new Map(rows.map((row) => [row.platform_id, playerOf(row)]));
}

export async function savePlayers(tx: Transaction, players: ReadonlyMap<string, Player>): Promise<void> {
  if (players.size === 0) return;
  const rows = [...players].map(([id, player]) => valuesOf(id, player));
  await tx.run(
    'telemetry-players-save',
    SAVE,
    COLUMNS.map((_, column) => rows.map((row) => row[column])),
  );
}

export function playerOf(row: PlayerRow): Player {
  const { first_seen, last_heartbeat, total_seconds } = row;
  const stats =
    first_seen === null || last_heartbeat === null
      ? null
      : { firstSeen: Number(first_seen), lastHeartbeat: Number(last_heartbeat), totalSeconds: Number(total_seconds) };
  return {
    stats,
    profile: {
      playerName: row.player_name,
      online: row.online,
      onlineSince: numberOrNull(row.online_since),
      lastSeen: Number(row.last_seen),
      lastHeartbeat: numberOrNull(row.profile_heartbeat),
      onlineUntil: numberOrNull(row.online_until),
      sessionId: row.session_id,
      sessionSeconds: row.session_seconds,
      totalSeconds: row.play_seconds,
      sessionCount: Number(row.session_count),
      lastType: row.last_type,
      lastEndpointSlug: row.last_endpoint_slug,
      events: Number(row.events),
      listedAt: numberOrNull(row.listed_at),
    },
  };
}

function valuesOf(id: string, { stats, profile }: Player): readonly unknown[] {
  return [
    id,
    stats?.firstSeen ?? null,
    stats?.lastHeartbeat ?? null,
    stats?.totalSeconds ?? null,
    profile.playerName,
    profile.online,
    profile.onlineSince,
    profile.lastSeen,
    profile.lastHeartbeat,
    profile.onlineUntil,
    profile.sessionId,
    profile.sessionSeconds,
    profile.totalSeconds,
    profile.sessionCount,
    profile.lastType,
    profile.events,
    profile.listedAt,
    profile.lastEndpointSlug,
  ];
}

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}
