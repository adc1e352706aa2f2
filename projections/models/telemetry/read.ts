import type { Pool } from 'pg';
import type { TelemetryReader } from '../../../src/app/ports/readers.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { type PlayerRow, playerOf } from './players.ts';

/** Checkpoint and row come from one snapshot. */
const PLAYER = `
SELECT coalesce((SELECT revision FROM savepoint.telemetry_checkpoints WHERE project = $1), -1) AS revision, p.*
FROM (SELECT) one LEFT JOIN savepoint.telemetry_players p ON p.project = $1 AND p.platform_id = $2`;

const NAMED = 'SELECT * FROM savepoint.telemetry_players WHERE project = $1 AND platform_id = ANY ($2::text[])';

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
      const { rows } = await pool.query<PlayerRow>({
        ...QUERY_TIMEOUT,
        name: 'telemetry-profiles',
        text: NAMED,
        values: [projectId, players],
      });
      return new Map(rows.map((row) => [row.platform_id, playerOf(row).profile]));
    },
  };
}
