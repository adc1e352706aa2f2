import type { Pool } from 'pg';
import type { KeyUse, KeyUseTable } from '../src/app/ports/key-uses.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';

/** Sorted, so that two nodes never wait for one another. It may lose its last half second: it does not wait for the disk. */
const NOTE = `WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO savepoint.key_uses AS k (project, key_id, label, used_at)
SELECT project, key_id, label, used_at FROM (
  SELECT project, key_id, max(label) AS label, max(used_at) AS used_at
  FROM quick, unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS w (project, key_id, label, used_at) GROUP BY 1, 2
) AS each ORDER BY project, key_id
ON CONFLICT (project, key_id) DO UPDATE SET used_at = excluded.used_at, label = excluded.label WHERE k.used_at < excluded.used_at`;

const LAST = `SELECT project, key_id AS "keyId", label, used_at::float8 AS "usedAt" FROM savepoint.key_uses WHERE project = $1
ORDER BY used_at DESC, key_id LIMIT 1000`;

/** The table of `key-uses.sql`. */
export function createKeyUseTable(pool: Pool): KeyUseTable {
  const query = async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>({ ...QUERY_TIMEOUT, text, values: [...values] })).rows;
  return {
    async note(uses) {
      const column = <K extends keyof KeyUse>(name: K) => uses.map((use) => use[name]);
      await query(NOTE, [column('project'), column('keyId'), column('label'), column('usedAt')]);
    },
    of: (project) => query<KeyUse>(LAST, [project]),
    async since() {
      const [row] = await query<{ value: string }>(`SELECT value FROM savepoint.installation WHERE name = 'key-uses-since'`, []);
      return Number(row?.value ?? 0);
    },
  };
}
