import type { CallCursor, NewCall, RequestFilter } from '../src/app/ports/call-table.ts';
import { groupBy } from '../src/kernel/group.ts';
import { bigintArray, intArray } from '../src/log/postgres/arrays.ts';
import { type Kinds, kindsAmong, numbers, type PlacedCall, tenthsOf, texts } from './call-values.ts';
import { endsOf } from './list-ends.ts';

/** Calls that succeeded, as lists in rows of `call_log_calls`: see call-log.sql. */

/** Numbers that a statement takes, so the most requests of one. As the sequence in call-log.sql says. */
export const NUMBERS = 1_024;
/** No row has calls of a longer span, so a time leads to a row. */
export const SPAN_MS = 10_000;

/** Whether it is one of these. All else has rows of its own. */
export function isSuccess({ request }: NewCall): boolean {
  return request !== null && (request.code ?? '') === '' && request.status < 400;
}

/** $1 to $22: {@link groupValues}. `numbered`: a relation with the number of the statement. */
export const PUT_GROUPS = `INSERT INTO savepoint.call_log_calls (project, base, part, since, until, places, later, tenths, revisions, players,
    request_ids, kinds, slugs, statuses, nexts, methods, paths, routes, messages)
  SELECT g.project, n.base, g.part, g.since, g.until, l.places[g.first:g.last], l.later[g.first:g.last], l.tenths[g.first:g.last],
    l.revisions[g.first:g.last], l.players[g.first:g.last], l.request_ids[g.first:g.last], l.kinds[g.first:g.last],
    l.slugs[g.head:g.tail], l.statuses[g.head:g.tail], l.nexts[g.head:g.tail], l.methods[g.head:g.tail], l.paths[g.head:g.tail],
    l.routes[g.head:g.tail], l.messages[g.head:g.tail]
  FROM numbered n CROSS JOIN unnest($1::text[], $2::int4[], $3::int8[], $4::int8[], $5::int4[], $6::int4[], $7::int4[], $8::int4[])
    WITH ORDINALITY AS g (project, proven, since, until, first, last, head, tail, part)
  CROSS JOIN (SELECT $9::int4[] AS places, $10::int4[] AS later, $11::int4[] AS tenths, $12::int8[] AS revisions, $13::text[] AS players,
    $14::text[] AS request_ids, $15::int4[] AS kinds, $16::text[] AS slugs, $17::int4[] AS statuses, $18::int4[] AS nexts,
    $19::text[] AS methods, $20::text[] AS paths, $21::text[] AS routes, $22::text[] AS messages OFFSET 0) l
  WHERE g.proven = 1 OR EXISTS (SELECT FROM savepoint.projects p WHERE p.project = g.project AND NOT p.deleted)
  RETURNING project, cardinality(places) AS requests`;

interface Group {
  readonly calls: readonly PlacedCall[];
  readonly kinds: Kinds;
  readonly project: string;
  readonly isProven: boolean;
  readonly since: number;
  readonly until: number;
}

export function groupValues(succeeded: readonly PlacedCall[]): readonly unknown[] {
  const groups = [
    ...groupBy(succeeded, ({ project, isProven, at }) => `${isProven} ${Math.floor(at / SPAN_MS)} ${project}`).values(),
  ].flatMap(groupOf);
  const calls = groups.flatMap((group) => group.calls);
  const kinds = groups.flatMap((group) => group.kinds.kinds);
  const [firsts, lasts] = endsOf(groups.map((group) => group.calls.length));
  const [heads, tails] = endsOf(groups.map((group) => group.kinds.kinds.length));
  return [
    texts(groups, ({ project }) => project),
    numbers(groups, ({ isProven }) => (isProven ? 1 : 0)),
    bigintArray(groups.map(({ since }) => since)),
    bigintArray(groups.map(({ until }) => until)),
    ...[firsts, lasts, heads, tails].map(intArray),
    numbers(calls, ({ place }) => place),
    intArray(groups.flatMap((group) => group.calls.map(({ at }) => at - group.since))),
    numbers(calls, tenthsOf),
    bigintArray(calls.map(({ request }) => request?.revision ?? -1)),
    texts(calls, ({ request }) => request?.platformId),
    texts(calls, ({ request }) => request?.requestId),
    intArray(groups.flatMap((group) => group.kinds.alike)),
    texts(kinds, ({ request }) => request?.slug),
    numbers(kinds, ({ request }) => (request?.status ?? 0) | 0),
    numbers(kinds, ({ request }) => (request?.target === 'next' ? 1 : 0)),
    texts(kinds, ({ request }) => request?.method),
    texts(kinds, ({ request }) => request?.path),
    texts(kinds, ({ request }) => request?.route),
    texts(kinds, ({ request }) => request?.message),
  ];
}

function groupOf(calls: readonly PlacedCall[]): readonly Group[] {
  const [first] = calls;
  if (first === undefined) return [];
  const { project, isProven } = first;
  const [since, until] = [Math.min, Math.max].map((end) => calls.reduce((time, { at }) => end(time, at), first.at));
  return [{ calls, kinds: kindsAmong(calls), project, isProven, since: since ?? 0, until: until ?? 0 }];
}

/** The calls of some rows, with the columns of `call_log`. `groups`: the rows. */
export function callsOf(groups: string): string {
  return `SELECT g.project, g.base + r.place AS seq, g.since + r.later AS at, 0 AS missed, g.statuses[r.kind] AS status, r.tenths / 10.0 AS ms,
    nullif(r.revision, -1) AS revision, g.nexts[r.kind] = 1 AS next, nullif(g.slugs[r.kind], '') AS slug, NULL::text AS code,
    nullif(r.player, '') AS player, r.request_id, g.methods[r.kind] AS method, g.paths[r.kind] AS path, g.routes[r.kind] AS route,
    nullif(g.messages[r.kind], '') AS message, NULL::text AS step
  FROM (${groups}) g CROSS JOIN LATERAL unnest(g.places, g.later, g.tenths, g.revisions, g.players, g.request_ids, g.kinds)
    AS r (place, later, tenths, revision, player, request_id, kind)`;
}

/** Selects the rows that may have calls that pass, in the time of a page. The values are added. */
export function groupsThatMayPass(filter: RequestFilter, before: CallCursor | null, place: (value: unknown) => string): string {
  const among: readonly (readonly [string, string | number | null])[] = [
    ['slugs', filter.slug],
    ['players', filter.platformId],
    ['statuses', filter.status],
    ['request_ids', filter.requestId],
  ];
  const conditions = among.flatMap(([column, value]) => (value === null ? [] : [`${place(value)} = ANY (g.${column})`]));
  if (filter.from !== null) conditions.push(`g.until >= ${place(Math.ceil(filter.from))}`);
  const ends = [filter.to === null ? [] : [Math.ceil(filter.to)], before === null ? [] : [before.at + 1]].flat();
  const end = Math.min(...ends);
  if (ends.length > 0) conditions.push(`g.since < ${place(end)}`, `g.until < ${place(end + SPAN_MS)}`);
  return ['SELECT * FROM savepoint.call_log_calls g WHERE g.project = $1', ...conditions].join(' AND ');
}

/** $1 project, $2 calls to remove, $3 unix ms: only rows that ended before. Removes the oldest calls, and where a row's lists begin. */
export const REMOVE_CALLS = `WITH oldest AS MATERIALIZED (
  SELECT base, part, cardinality(places) AS calls, until FROM savepoint.call_log_calls WHERE project = $1 AND until < $3
  ORDER BY until, base, part LIMIT $2 FOR UPDATE SKIP LOCKED
), counted AS (
  SELECT base, part, calls, (sum(calls) OVER (ORDER BY until, base, part))::int - calls AS before FROM oldest
), gone AS (
  DELETE FROM savepoint.call_log_calls g USING counted c
  WHERE g.project = $1 AND g.base = c.base AND g.part = c.part AND c.before + c.calls <= $2 RETURNING c.calls
), cut AS (
  UPDATE savepoint.call_log_calls g SET ${['places', 'later', 'tenths', 'revisions', 'players', 'request_ids', 'kinds']
    .map((list) => `${list} = g.${list}[$2 - c.before + 1:]`)
    .join(', ')}
  FROM counted c WHERE g.project = $1 AND g.base = c.base AND g.part = c.part AND c.before < $2 AND c.before + c.calls > $2
  RETURNING $2 - c.before AS calls
), removed AS (SELECT coalesce(sum(calls), 0)::int AS removed FROM (TABLE gone UNION ALL TABLE cut) u)
UPDATE savepoint.call_log_counts SET requests = requests - (SELECT removed FROM removed) WHERE project = $1 AND NOT failed
RETURNING (SELECT removed FROM removed) AS removed`;
