import type { Pool } from 'pg';
import type { TelemetryReader } from '../../../src/app/ports/telemetry.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { type EventRow, reportOf } from './list.ts';
import { type PlayerRow, playerOf } from './players.ts';

/** Checkpoint and row come from one snapshot. */
const PLAYER = `
SELECT coalesce((SELECT revision FROM savepoint.telemetry_checkpoints WHERE project = $1), -1) AS revision, p.*
FROM (SELECT) one LEFT JOIN savepoint.telemetry_players p ON p.project = $1 AND p.platform_id = $2`;

const NAMED = 'SELECT * FROM savepoint.telemetry_players WHERE project = $1 AND platform_id = ANY ($2::text[])';

/** A range, because only that uses the index whatever the text. U+10FFFF comes behind every character of a name. */
const NAMED_SO = `
SELECT platform_id, player_name, last_seen, online, online_until FROM savepoint.telemetry_players
WHERE project = $1 AND player_name IS NOT NULL AND strpos(platform_id, '/') = 0
  AND lower(player_name) COLLATE "C" >= lower($2) AND lower(player_name) COLLATE "C" < lower($2) || chr(1114111)
ORDER BY lower(player_name) COLLATE "C", platform_id LIMIT $3`;

const REPORTS = `
SELECT * FROM savepoint.telemetry_events
WHERE project = $1 AND platform_id = $2 AND (recorded_at, revision) < ($3, $4) AND recorded_at >= $5
ORDER BY recorded_at DESC, revision DESC LIMIT $6`;

interface NamedRow {
  readonly platform_id: string;
  readonly player_name: string;
  readonly last_seen: string;
  readonly online: boolean;
  readonly online_until: string | null;
}

type Found = { readonly revision: string } & (PlayerRow | { readonly platform_id: null });

export function createTelemetryReader(pool: Pool): TelemetryReader {
  return {
    async player(projectId, platformId) {
      const { rows } = await pool.query<Found>({
        ...QUERY_TIMEOUT,
        name: 'telemetry-player',
        text: PLAYER,
        values: [projectId, platformId],
      });
      const [row] = rows;
      const revision = Number(row?.revision ?? -1);
      if (row === undefined || row.platform_id === null) return { revision, stats: null, profile: null };
      return { revision, ...playerOf(row) };
    },

    async profiles(projectId, players) {
      // No text of a table holds U+0000, but the log tells who looked at such a player.
      const storable = players.filter((player) => !player.includes('\0'));
      const { rows } = await pool.query<PlayerRow>({
        ...QUERY_TIMEOUT,
        name: 'telemetry-profiles',
        text: NAMED,
        values: [projectId, storable],
      });
      return new Map(rows.map((row) => [row.platform_id, playerOf(row).profile]));
    },

    async named(projectId, beginning, limit) {
      const { rows } = await pool.query<NamedRow>({
        ...QUERY_TIMEOUT,
        name: 'telemetry-named',
        text: NAMED_SO,
        values: [projectId, beginning, limit],
      });
      return rows.map((row) => ({
        platformId: row.platform_id,
        name: row.player_name,
        lastSeen: Number(row.last_seen),
        onlineUntil: row.online && row.online_until !== null ? Number(row.online_until) : null,
      }));
    },

    async reports(projectId, platformId, { before, from, limit }) {
      const values = [projectId, platformId, before.at, before.revision, from, limit];
      const { rows } = await pool.query<EventRow>({ ...QUERY_TIMEOUT, name: 'telemetry-reports', text: REPORTS, values });
      return rows.map(reportOf);
    },
  };
}
