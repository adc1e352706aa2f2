import type { Pool } from 'pg';
import type { CallCursor, CallTable, NewCall, NewRow, RequestFilter, StoredRequest } from '../src/app/ports/call-table.ts';
import { ADVISORY_LOCKS } from '../src/kernel/advisory-locks.ts';
import { bigintArray, intArray, textArray } from '../src/log/postgres/arrays.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';

/**
 * One statement, so a node that goes away in the middle holds the lock for no one. Its commit does not wait for the disk: a crash of the
 * database may take the last half second, and no commit of a game waits behind it. What calls have in common, such as their path, is sent once.
 */
const APPEND = `WITH held AS MATERIALIZED (
  SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.callLog}), set_config('synchronous_commit', 'off', true)
), put AS (
  INSERT INTO savepoint.call_log (project, at, failed, missed, status, ms, revision, next, slug, code, player, request_id, method, path, route, message)
  SELECT s.project, $1::int8 + r.later, s.code <> '' OR s.status >= 400 OR s.missed > 0, s.missed, s.status, r.tenths / 10.0, nullif(r.revision, -1),
    s.next = 1, nullif(s.slug, ''), nullif(s.code, ''), nullif(r.player, ''), r.request_id, s.method, s.path, s.route, nullif(s.message, '')
  FROM held CROSS JOIN unnest($2::int4[], $3::int4[], $4::int4[], $5::int8[], $6::text[], $7::text[])
    WITH ORDINALITY AS r (alike, later, tenths, revision, player, request_id, number)
  JOIN unnest($8::text[], $9::int4[], $10::int4[], $11::int4[], $12::int4[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[])
    WITH ORDINALITY AS s (project, proven, missed, status, next, slug, code, method, path, route, message, alike) ON s.alike = r.alike
  WHERE s.proven = 1 OR EXISTS (SELECT FROM savepoint.projects p WHERE p.project = s.project AND NOT p.deleted)
  ORDER BY r.number
  RETURNING project, failed
)
INSERT INTO savepoint.call_log_counts AS c (project, failed, requests)
SELECT project, failed, count(*) FROM put GROUP BY project, failed ORDER BY project, failed
ON CONFLICT (project, failed) DO UPDATE SET requests = c.requests + excluded.requests`;

const COLUMNS = `seq::float8 AS seq, at::float8 AS at, missed, status, ms::float8 AS ms, revision::float8 AS revision, next, slug, code, player,
  request_id, method, path, route, message`;

const MISSED = `SELECT coalesce(sum(missed), 0)::float8 AS missed FROM savepoint.call_log
WHERE project = $1 AND missed > 0 AND at >= $2 AND at < $3`;

const ENDS = 'SELECT min(seq)::float8 AS first, max(seq)::float8 AS last FROM savepoint.call_log WHERE project = $1';

const AFTER = `SELECT f.project, c.* FROM unnest($1::text[], $2::int8[]) AS f (project, after) CROSS JOIN LATERAL (
  SELECT ${COLUMNS} FROM savepoint.call_log c WHERE c.project = f.project AND c.seq > f.after ORDER BY c.seq LIMIT $3
) c ORDER BY c.seq`;

/** When the oldest row of a kind was answered. The kind is named, because each has an index of its own. */
const oldestOf = (kind: string) =>
  `SELECT l.at FROM savepoint.call_log l WHERE l.project = c.project AND ${kind} ORDER BY l.at, l.seq LIMIT 1`;

/** A deleted project keeps nothing. The oldest row of a kind says whether any is too old. */
const SURPLUS = `SELECT c.project, c.failed, CASE WHEN p.deleted THEN c.requests ELSE greatest(c.requests - $1, 0) END::float8 AS requests
FROM savepoint.call_log_counts c
LEFT JOIN savepoint.projects p ON p.project = c.project
WHERE c.requests > $1 OR (p.deleted AND c.requests > 0) OR
  CASE WHEN c.failed THEN (${oldestOf('l.failed')}) ELSE (${oldestOf('NOT l.failed')}) END < $2`;

/** Others may remove at the same time, so the count goes by what this one has removed. */
const REMOVE = `WITH old AS (
  SELECT seq FROM savepoint.call_log WHERE project = $1 AND FAILED ORDER BY at, seq LIMIT $2 FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM savepoint.call_log WHERE project = $1 AND seq IN (SELECT seq FROM old) RETURNING seq
)
UPDATE savepoint.call_log_counts SET requests = requests - (SELECT count(*) FROM gone) WHERE project = $1 AND failed = $3
RETURNING (SELECT count(*) FROM gone)::int AS removed`;

/** Texts that Postgres takes: none with U+0000. */
const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);

/** The table of the call log. `run` bounds what one project reads at a time. */
export function createCallTable(pool: Pool, run: <T>(projectId: string, read: () => Promise<T>) => Promise<T>): CallTable {
  const rowsOf = async <Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ text, values: [...values], ...QUERY_TIMEOUT })).rows;

  return {
    append: async (calls) => void (await rowsOf(APPEND, valuesOf(calls))),

    page(project, filter, { limit, before }) {
      return run(project, async () => {
        const values: unknown[] = [project];
        const conditions = conditionsOf(filter, before, values);
        return (await rowsOf<CallRow>(pageOf(filter, conditions, placed(values, limit)), values)).map(storedOf);
      });
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
        const where = ['project = $1', 'missed = 0', ...conditionsOf(filter, null, values), `seq > ${placed(values, seq)}`].join(' AND ');
        const matching = `SELECT * FROM savepoint.call_log WHERE ${where} ORDER BY seq DESC LIMIT ${placed(values, most)}`;
        const text = `SELECT ${COLUMNS}, (count(*) OVER ())::int AS all FROM (${matching}) c ORDER BY c.seq DESC LIMIT ${placed(values, limit)}`;
        const rows = await rowsOf<CallRow & { readonly all: number }>(text, values);
        return { requests: rows.map(storedOf), all: rows[0]?.all ?? 0 };
      });
    },

    async after(from, most) {
      const rows = await rowsOf<CallRow & { readonly project: string }>(AFTER, [
        textArray([...from.keys()]),
        bigintArray([...from.values()]),
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
      const kind = failed ? 'failed' : 'NOT failed';
      const which = requests > 0 ? kind : `${kind} AND at < ${Math.floor(since)}`;
      const limit = requests > 0 ? Math.min(requests, most) : most;
      const [row] = await rowsOf<{ removed: number }>(REMOVE.replace('FAILED', which), [project, limit, failed]);
      return row?.removed ?? 0;
    },
  };
}

/** A row as it is read. */
interface CallRow {
  readonly seq: number;
  readonly at: number;
  readonly missed: number;
  readonly status: number;
  readonly ms: number;
  readonly revision: number | null;
  readonly next: boolean;
  readonly slug: string | null;
  readonly code: string | null;
  readonly player: string | null;
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly message: string | null;
}

function storedOf({
  seq,
  at,
  slug,
  method,
  path,
  route,
  status,
  code,
  message,
  ms,
  player,
  next,
  request_id,
  revision,
}: CallRow): StoredRequest {
  const target = next ? 'next' : 'live';
  return { seq, at, slug, method, path, route, status, code, message, ms, platformId: player, target, requestId: request_id, revision };
}

/** The values of {@link APPEND}. An empty text stands for none. Times are told as what they are later than the first. */
function valuesOf(calls: readonly NewCall[]): readonly unknown[] {
  const first = calls.reduce((least, { at }) => Math.min(least, at), Number.MAX_SAFE_INTEGER);
  const { alike, kinds } = alikeAmong(calls);
  const texts = (of: (call: NewCall) => string | null | undefined, from = calls) => textArray(from.map((call) => storable(of(call) ?? '')));
  const numbers = (of: (call: NewCall) => number, from = calls) => intArray(from.map(of));
  return [
    first,
    intArray(alike),
    numbers(({ at }) => Math.min(at - first, MAX_INT)),
    numbers(({ request }) => Math.min(Math.round((request?.ms ?? 0) * 10), MAX_INT)),
    bigintArray(calls.map(({ request }) => request?.revision ?? -1)),
    texts(({ request }) => request?.platformId),
    texts(({ request }) => request?.requestId),
    texts(({ project }) => project, kinds),
    numbers(({ isProven }) => (isProven ? 1 : 0), kinds),
    numbers(({ missed }) => Math.min(missed, MAX_INT), kinds),
    numbers(({ request }) => (request?.status ?? 0) | 0, kinds),
    numbers(({ request }) => (request?.target === 'next' ? 1 : 0), kinds),
    texts(({ request }) => request?.slug, kinds),
    texts(({ request }) => request?.code, kinds),
    texts(({ request }) => request?.method, kinds),
    texts(({ request }) => request?.path, kinds),
    texts(({ request }) => request?.route, kinds),
    texts(({ request }) => request?.message, kinds),
  ];
}

const MAX_INT = 2 ** 31 - 1;
const NO_REQUEST = { status: 0, target: '', method: '', path: '', slug: null, code: null, message: null } as const;

/** One call of each kind, of which the others differ in time, player, request id and revision alone, and the place of each call's kind, from 1. */
function alikeAmong(calls: readonly NewCall[]): { readonly alike: readonly number[]; readonly kinds: readonly NewCall[] } {
  const places = new Map<string, number>();
  const kinds: NewCall[] = [];
  const alike = calls.map((call) => {
    const { project, missed, isProven, request } = call;
    const { status, target, method, path, slug, code, message } = request ?? NO_REQUEST;
    // With the lengths of what clients choose, no two kinds have the same text.
    const lengths = `${path.length} ${slug?.length} ${code?.length}`;
    const kind = `${project} ${missed} ${isProven} ${status} ${target} ${method} ${lengths} ${path}${slug}${code}${message}`;
    const known = places.get(kind);
    if (known !== undefined) return known;
    places.set(kind, kinds.push(call));
    return kinds.length;
  });
  return { alike, kinds };
}

/** Adds a value, and returns its place in the statement. */
function placed(values: unknown[], value: unknown): string {
  return `$${values.push(value)}`;
}

/** The conditions of a filter besides the project's; their values are added. */
function conditionsOf(filter: RequestFilter, before: CallCursor | null, values: unknown[]): string[] {
  const equal: readonly (readonly [string, string | number | null])[] = [
    ['slug', filter.slug],
    ['player', filter.platformId],
    ['status', filter.status],
    ['code', filter.code],
    ['request_id', filter.requestId],
  ];
  const conditions = equal.flatMap(([column, value]) => (value === null ? [] : [`${column} = ${placed(values, value)}`]));
  if (filter.errors) conditions.push('code IS NOT NULL');
  if (filter.from !== null) conditions.push(`at >= ${placed(values, Math.ceil(filter.from))}`);
  if (filter.to !== null) conditions.push(`at < ${placed(values, Math.ceil(filter.to))}`);
  if (before !== null) conditions.push(`(at, seq) < (${placed(values, before.at)}, ${placed(values, before.seq)})`);
  return conditions;
}

/**
 * The statement of a page. Each kind has an index by time, and so have players, endpoints, codes and statuses of what failed. Where none of
 * these is asked for, the newest of both kinds are put together.
 */
function pageOf(filter: RequestFilter, conditions: readonly string[], limit: string): string {
  const onlyFailed = filter.errors || filter.code !== null || (filter.status ?? 0) >= 400;
  const hasIndex = filter.platformId !== null || filter.slug !== null || filter.requestId !== null;
  const kinds = onlyFailed ? ['failed'] : hasIndex ? ['true'] : ['failed', 'NOT failed'];
  const parts = kinds.map((kind) => {
    const where = ['project = $1', 'missed = 0', kind, ...conditions].join(' AND ');
    return `(SELECT * FROM savepoint.call_log WHERE ${where} ORDER BY at DESC, seq DESC LIMIT ${limit})`;
  });
  return `SELECT ${COLUMNS} FROM (${parts.join(' UNION ALL ')}) c ORDER BY c.at DESC, c.seq DESC LIMIT ${limit}`;
}
