import type { Pool } from 'pg';
import { type CallTable, isOfFailures, type NewCall, type NewRow } from '../src/app/ports/call-table.ts';
import { ADVISORY_LOCKS } from '../src/kernel/advisory-locks.ts';
import { bigintArray, intArray, textArray } from '../src/log/postgres/arrays.ts';
import { callsOf, groupValues, isSuccess, NUMBERS, PUT_GROUPS, REMOVE_CALLS } from './call-groups.ts';
import {
  type CallRow,
  COLUMNS,
  conditionsOf,
  failedPage,
  NAMES,
  newest,
  placed,
  type RowsOf,
  storedOf,
  succeededPage,
} from './call-pages.ts';
import { groupsIn } from './call-summary.ts';
import { kindsAmong, MAX_INT, numbers, tenthsOf, texts } from './call-values.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';

/**
 * One statement, so a node that goes away in the middle holds the lock for no one. Its commit does not wait for the disk: a crash of the
 * database may take the last half second, and no commit of a game waits behind it. The number is taken behind the lock.
 */
const APPEND = `WITH held AS MATERIALIZED (
  SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.callLog}), set_config('synchronous_commit', 'off', true)
), numbered AS MATERIALIZED (SELECT nextval('savepoint.call_log_numbers') AS base FROM held), calls AS (
  ${PUT_GROUPS}
), put AS (
  INSERT INTO savepoint.call_log (project, seq, at, missed, status, ms, revision, next, slug, code, player, request_id, method, path, route, message,
    step)
  SELECT s.project, n.base + r.place, $23::int8 + r.later, s.missed, s.status, r.tenths / 10.0, nullif(r.revision, -1),
    s.next = 1, nullif(s.slug, ''), nullif(s.code, ''), nullif(r.player, ''), r.request_id, s.method, s.path, s.route, nullif(s.message, ''),
    nullif(s.step, '')
  FROM numbered n CROSS JOIN unnest($24::int4[], $25::int4[], $26::int4[], $27::int4[], $28::int8[], $29::text[], $30::text[])
    AS r (alike, place, later, tenths, revision, player, request_id)
  JOIN unnest($31::text[], $32::int4[], $33::int4[], $34::int4[], $35::int4[], $36::text[], $37::text[], $38::text[], $39::text[], $40::text[],
    $41::text[], $42::text[])
    WITH ORDINALITY AS s (project, proven, missed, status, next, slug, code, method, path, route, message, step, alike) ON s.alike = r.alike
  WHERE s.proven = 1 OR EXISTS (SELECT FROM savepoint.projects p WHERE p.project = s.project AND NOT p.deleted)
  RETURNING project
)
INSERT INTO savepoint.call_log_counts AS c (project, failed, requests)
SELECT project, failed, sum(requests) FROM (
  SELECT project, false AS failed, requests FROM calls UNION ALL SELECT project, true, 1 FROM put
) u GROUP BY project, failed ORDER BY project, failed
ON CONFLICT (project, failed) DO UPDATE SET requests = c.requests + excluded.requests`;

const MISSED = `SELECT coalesce(sum(missed), 0)::float8 AS missed FROM savepoint.call_log
WHERE project = $1 AND missed > 0 AND at >= $2 AND at < $3`;

/** A number is of all requests of a statement, so the last one is that of the last place. */
const ENDS = `SELECT min(first)::float8 AS first, max(last)::float8 AS last FROM (
  SELECT min(seq) AS first, max(seq) AS last FROM savepoint.call_log WHERE project = $1
  UNION ALL
  SELECT (SELECT min(f.base + f.places[1]) FROM savepoint.call_log_calls f WHERE f.project = $1 AND f.base = g.first), g.last + ${NUMBERS - 1}
  FROM (SELECT min(base) AS first, max(base) AS last FROM savepoint.call_log_calls WHERE project = $1) g
) e`;

/** Rows that share a number are read together, because their requests lie between each other's. */
const AFTER = `SELECT f.project, c.* FROM unnest($1::text[], $2::int8[], $3::int8[]) AS f (project, failed, succeeded) CROSS JOIN LATERAL (
  SELECT ${COLUMNS} FROM (
    (SELECT ${NAMES} FROM savepoint.call_log WHERE project = f.project AND seq > f.failed ORDER BY seq LIMIT $4)
    UNION ALL
    (SELECT ${NAMES} FROM (${callsOf(`SELECT * FROM savepoint.call_log_calls
      WHERE f.succeeded >= 0 AND project = f.project AND base > f.succeeded - ${NUMBERS} AND base + places[cardinality(places)] > f.succeeded
      ORDER BY base FETCH FIRST $4 ROWS WITH TIES`)}) c WHERE seq > f.succeeded ORDER BY seq LIMIT $4)
  ) u ORDER BY u.seq LIMIT $4
) c ORDER BY c.seq`;

/** A deleted project keeps nothing. The oldest row of a kind says whether any is too old. */
const SURPLUS = `SELECT c.project, c.failed, CASE WHEN p.deleted THEN c.requests ELSE greatest(c.requests - $1, 0) END::float8 AS requests
FROM savepoint.call_log_counts c
LEFT JOIN savepoint.projects p ON p.project = c.project
WHERE c.requests > $1 OR (p.deleted AND c.requests > 0) OR
  CASE WHEN c.failed THEN (SELECT l.at FROM savepoint.call_log l WHERE l.project = c.project ORDER BY l.at, l.seq LIMIT 1)
    ELSE (SELECT l.until FROM savepoint.call_log_calls l WHERE l.project = c.project ORDER BY l.until LIMIT 1) END < $2`;

/** $1 project, $2 rows, $3 unix ms: only older ones. Others may remove at the same time, so the count goes by what this one has removed. */
const REMOVE_FAILED = `WITH old AS (
  SELECT seq FROM savepoint.call_log WHERE project = $1 AND at < $3 ORDER BY at, seq LIMIT $2 FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM savepoint.call_log WHERE project = $1 AND seq IN (SELECT seq FROM old) RETURNING seq
)
UPDATE savepoint.call_log_counts SET requests = requests - (SELECT count(*) FROM gone) WHERE project = $1 AND failed
RETURNING (SELECT count(*) FROM gone)::int AS removed`;

/** Later than all. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The table of the call log. `run` bounds what one project reads at a time. */
export function createCallTable(pool: Pool, run: <T>(projectId: string, read: () => Promise<T>) => Promise<T>): CallTable {
  const rowsOf: RowsOf = async <Row extends object>(text: string, values: readonly unknown[], name?: string) =>
    (await pool.query<Row>({ text, values: [...values], ...(name !== undefined && { name }), ...QUERY_TIMEOUT })).rows;

  return {
    append: async (calls) => void (await rowsOf(APPEND, valuesOf(calls), 'call-log-append')),

    page(project, filter, { limit, before }) {
      return run(project, async () => {
        const wanted = { project, filter, limit, before };
        const failed = await failedPage(rowsOf, wanted);
        return newest([...failed, ...(isOfFailures(filter) ? [] : await succeededPage(rowsOf, wanted))], limit);
      });
    },

    groups(project, window, most) {
      return run(project, () => groupsIn(rowsOf, project, window, most));
    },

    async missed(project, from, to) {
      return run(project, async () => (await rowsOf<{ missed: number }>(MISSED, [project, from, to]))[0]?.missed ?? 0);
    },

    async ends(project) {
      const [row] = await run(project, () => rowsOf<{ first: number | null; last: number | null }>(ENDS, [project]));
      return row === undefined || row.first === null || row.last === null ? null : { first: row.first, last: row.last };
    },

    since(project, filter, seq, { limit, most }) {
      return run(project, async () => {
        const values: unknown[] = [project];
        const after = placed(values, seq);
        const all = placed(values, most);
        const where = ['missed = 0', ...conditionsOf(filter, null, values), `seq > ${after}`].join(' AND ');
        const groups = `SELECT * FROM savepoint.call_log_calls WHERE project = $1 AND base > ${after} - ${NUMBERS} ORDER BY base DESC`;
        const parts = [`savepoint.call_log c WHERE project = $1 AND ${where}`, `(${callsOf(groups)}) c WHERE ${where}`];
        const kinds = parts.map((part) => `(SELECT ${NAMES} FROM ${part} ORDER BY seq DESC LIMIT ${all})`);
        const matching = `SELECT * FROM (${kinds.join(' UNION ALL ')}) u ORDER BY seq DESC LIMIT ${all}`;
        const text = `SELECT ${COLUMNS}, (count(*) OVER ())::int AS all FROM (${matching}) c ORDER BY c.seq DESC LIMIT ${placed(values, limit)}`;
        const rows = await rowsOf<CallRow & { readonly all: number }>(text, values);
        return { requests: rows.map(storedOf), all: rows[0]?.all ?? 0 };
      });
    },

    async after(from, most) {
      const rows = await rowsOf<CallRow & { readonly project: string }>(AFTER, [
        textArray([...from.keys()]),
        bigintArray([...from.values()].map(({ failed }) => failed)),
        bigintArray([...from.values()].map(({ succeeded }) => succeeded ?? -1)),
        most,
      ]);
      return rows.map((row): NewRow => {
        const { project, seq, missed } = row;
        return { project, seq, missed, request: missed > 0 ? null : storedOf(row) };
      });
    },

    async surplus({ requests, since }) {
      const rows = await rowsOf<{ project: string; failed: boolean; requests: number }>(SURPLUS, [requests, since]);
      return rows.map((row) => ({ ...row, since }));
    },

    async remove({ project, failed, requests, since }, most) {
      const values = [project, requests > 0 ? Math.min(requests, most) : most, requests > 0 ? NEVER : Math.floor(since)];
      const [row] = await rowsOf<{ removed: number }>(failed ? REMOVE_FAILED : REMOVE_CALLS, values);
      return row?.removed ?? 0;
    },
  };
}

/** The values of {@link APPEND}. An empty text stands for none. Times are told as what they are later than the first. */
function valuesOf(calls: readonly NewCall[]): readonly unknown[] {
  if (calls.length > NUMBERS) throw new Error(`a statement stores ${NUMBERS} requests at most`);
  const placed = calls.map((call, place) => ({ ...call, place }));
  const others = placed.filter((call) => !isSuccess(call));
  const first = others.reduce((least, { at }) => Math.min(least, at), NEVER);
  const { alike, kinds } = kindsAmong(others);
  return [
    ...groupValues(placed.filter(isSuccess)),
    first,
    intArray(alike),
    numbers(others, ({ place }) => place),
    numbers(others, ({ at }) => Math.min(at - first, MAX_INT)),
    numbers(others, tenthsOf),
    bigintArray(others.map(({ request }) => request?.revision ?? -1)),
    texts(others, ({ request }) => request?.platformId),
    texts(others, ({ request }) => request?.requestId),
    texts(kinds, ({ project }) => project),
    numbers(kinds, ({ isProven }) => (isProven ? 1 : 0)),
    numbers(kinds, ({ missed }) => Math.min(missed, MAX_INT)),
    numbers(kinds, ({ request }) => (request?.status ?? 0) | 0),
    numbers(kinds, ({ request }) => (request?.target === 'next' ? 1 : 0)),
    texts(kinds, ({ request }) => request?.slug),
    texts(kinds, ({ request }) => request?.code),
    texts(kinds, ({ request }) => request?.method),
    texts(kinds, ({ request }) => request?.path),
    texts(kinds, ({ request }) => request?.route),
    texts(kinds, ({ request }) => request?.message),
    texts(kinds, ({ request }) => request?.step),
  ];
}
