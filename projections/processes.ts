import type { Pool } from 'pg';
import type { Piece, ProcessNow, ProcessTable } from '../src/app/ports/processes.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';

const MINUTE_MS = 60_000;
/** Nobody runs an installation with more. */
const MAX_PROCESSES = 200;

/** One statement, whose commit does not wait for the disk: a crash of the database may take the last half second of it. */
const NOTE = `WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)), seen AS (
  INSERT INTO savepoint.processes (id, host, pid, version, roles, started_at, seen_at)
  SELECT $1, $2, $3::int4, $4, $5, $6::int8, $7::int8 FROM quick
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
)
INSERT INTO savepoint.process_minutes (minute, process, requests, refused, failed, p50, p99, busy, memory, behind)
VALUES ($8::int8, $1, $9::int4, $10::int4, $11::int4, $12::real, $13::real, $14::real, $15::int8, $16::int8)
ON CONFLICT (minute, process) DO UPDATE SET requests = excluded.requests, refused = excluded.refused, failed = excluded.failed,
  p50 = excluded.p50, p99 = excluded.p99, busy = excluded.busy, memory = excluded.memory, behind = excluded.behind`;

const SEEN = `SELECT p.id, p.host, p.pid, p.version, p.roles, p.started_at::float8 AS "startedAt", p.seen_at::float8 AS "seenAt",
  (m.minute * ${MINUTE_MS})::float8 AS at, m.requests, m.refused, m.failed, m.p50, m.p99, m.busy, m.memory::float8 AS memory, m.behind::float8 AS behind
FROM savepoint.processes p
LEFT JOIN LATERAL (
  SELECT * FROM savepoint.process_minutes m
  WHERE m.process = p.id AND m.minute BETWEEN p.seen_at / ${MINUTE_MS} - 1 AND p.seen_at / ${MINUTE_MS} ORDER BY m.minute DESC LIMIT 1
) m ON true
WHERE p.seen_at >= $1 ORDER BY p.started_at DESC, p.id LIMIT ${MAX_PROCESSES}`;

const DAY = `WITH minutes AS (
  SELECT minute, sum(requests) AS requests, sum(refused) AS refused, sum(failed) AS failed, max(p50) AS p50, max(p99) AS p99, max(busy) AS busy,
    sum(memory) AS memory, max(behind) AS behind
  FROM savepoint.process_minutes WHERE minute >= $1 GROUP BY minute
)
SELECT (minute * ${MINUTE_MS} / $2 * $2)::float8 AS at, sum(requests)::float8 AS requests, sum(refused)::float8 AS refused,
  sum(failed)::float8 AS failed, max(p50) AS p50, max(p99) AS p99, max(busy) AS busy, max(memory)::float8 AS memory, max(behind)::float8 AS behind
FROM minutes GROUP BY 1 ORDER BY 1`;

/** Of a process that has noted nothing yet, all of the piece is null. */
type SeenRow = Omit<ProcessNow, 'last'> & Omit<Piece, 'at'> & { readonly at: number | null };

/** The tables of `processes.sql`. */
export function createProcessTable(pool: Pool): ProcessTable {
  const query = async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>({ ...QUERY_TIMEOUT, text, values: [...values] })).rows;

  return {
    async note(
      { id, host, pid, version, roles, startedAt, seenAt },
      minute,
      { requests, refused, failed, p50, p99, busy, memory, behind },
    ) {
      const process = [id, host, pid, version, roles, startedAt, seenAt];
      await query(NOTE, [...process, minute, requests, refused, failed, p50, p99, busy, memory, behind]);
    },

    async seenSince(since) {
      const rows = await query<SeenRow>(SEEN, [since]);
      return rows.map(({ at, requests, refused, failed, p50, p99, busy, memory, behind, ...process }) => ({
        ...process,
        last: at === null ? null : { at, requests, refused, failed, p50, p99, busy, memory, behind },
      }));
    },

    day: (since, stepMs) => query<Piece>(DAY, [Math.floor(since / MINUTE_MS), stepMs]),

    async sweep(before) {
      await query('DELETE FROM savepoint.process_minutes WHERE minute < $1', [Math.floor(before / MINUTE_MS)]);
      await query('DELETE FROM savepoint.processes WHERE seen_at < $1', [before]);
    },
  };
}
