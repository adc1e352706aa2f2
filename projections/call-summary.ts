import type { CallGroup, CallGroups, CallWindow } from '../src/app/ports/call-table.ts';
import { callsOf, SPAN_MS } from './call-groups.ts';
import type { RowsOf } from './call-pages.ts';

/** The newest requests of a window, grouped by their outcome: two ranges of indexes that are bounded, however many requests there are. */

/** Most groups that are told: anybody can make up codes and endpoints. */
const MAX_GROUPS = 1_000;
/** Most rows of calls that succeeded: where little is called, each holds few. */
const MAX_ROWS = 2_000;

/**
 * $1 project, $2 and $3 the window, $4 how many of each kind. What lies at the edge of what was read, or before it, is not counted, so that
 * from there on everything is.
 */
const GROUPS = `WITH failures AS MATERIALIZED (
  SELECT slug, route, status, code, next, ms, at FROM savepoint.call_log
  WHERE project = $1 AND missed = 0 AND at >= $2 AND at < $3 ORDER BY at DESC, seq DESC LIMIT $4 + 1
), lists AS MATERIALIZED (
  SELECT *, row_number() OVER w > ${MAX_ROWS} OR sum(cardinality(places)) OVER w - cardinality(places) >= $4 AS beyond FROM (
    SELECT * FROM savepoint.call_log_calls WHERE project = $1 AND until >= $2 AND until < $3 + ${SPAN_MS} AND since < $3
    ORDER BY until DESC, base DESC, part DESC LIMIT ${MAX_ROWS + 1}
  ) n WINDOW w AS (ORDER BY until DESC, base DESC, part DESC ROWS UNBOUNDED PRECEDING)
), edges AS MATERIALIZED (
  SELECT (SELECT min(at) FROM failures HAVING count(*) > $4) AS failed, (SELECT max(until) FROM lists WHERE beyond) AS succeeded
), counted AS (
  SELECT f.* FROM failures f, edges e WHERE f.at > coalesce(e.failed, -1)
  UNION ALL
  SELECT slug, route, status, code, next, ms, at FROM (${callsOf('SELECT * FROM lists WHERE NOT beyond')}) c, edges e
  WHERE c.at >= $2 AND c.at < $3 AND c.at > coalesce(e.succeeded, -1)
), groups AS (
  SELECT slug, CASE WHEN slug IS NULL THEN route END AS of_route, status, code, next, count(*)::int AS requests, max(at)::float8 AS last,
    percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY ms)::float8[] AS times
  FROM counted GROUP BY 1, 2, 3, 4, 5 ORDER BY requests DESC LIMIT ${MAX_GROUPS}
)
SELECT g.slug, g.of_route AS route, g.status, g.code, g.next, g.requests, g.last, g.times, (e.failed + 1)::float8 AS failed,
  (e.succeeded + 1)::float8 AS succeeded
FROM edges e LEFT JOIN groups g ON true`;

interface GroupRow {
  /** Null: there is no group. */
  readonly requests: number | null;
  readonly slug: string | null;
  readonly route: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly next: boolean;
  readonly last: number;
  readonly times: readonly [number, number];
  readonly failed: number | null;
  readonly succeeded: number | null;
}

export async function groupsIn(rowsOf: RowsOf, project: string, { from, to }: CallWindow, most: number): Promise<CallGroups> {
  const rows = await rowsOf<GroupRow>(GROUPS, [project, Math.ceil(from), Math.ceil(to), most]);
  const groups = rows.flatMap(({ requests, slug, route, status, code, next, last, times }): readonly CallGroup[] =>
    requests === null ? [] : [{ slug, route, status, code, target: next ? 'next' : 'live', requests, p50: times[0], p95: times[1], last }],
  );
  const { failed = null, succeeded = null } = rows[0] ?? {};
  return { groups, since: { failed, succeeded } };
}
