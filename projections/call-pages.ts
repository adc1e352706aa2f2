import type { CallCursor, RequestFilter, StoredRequest } from '../src/app/ports/call-table.ts';
import { callsOf, groupsThatMayPass } from './call-groups.ts';

/** Reads of the call log's table that answer a page of requests. */

/** The columns of a request, as both tables have them. */
export const NAMES = 'seq, at, missed, status, ms, revision, next, slug, code, player, request_id, method, path, route, message, step';
export const COLUMNS = `seq::float8 AS seq, at::float8 AS at, missed, status, ms::float8 AS ms, revision::float8 AS revision, next, slug, code, player,
  request_id, method, path, route, message, step`;

/** Runs a statement. */
export type RowsOf = <Row extends object>(text: string, values: readonly unknown[], name?: string) => Promise<Row[]>;

interface Wanted {
  readonly project: string;
  readonly filter: RequestFilter;
  readonly limit: number;
  readonly before: CallCursor | null;
}

/** Rows of calls that a page reads first. Each time that they do not suffice it reads four times as many, up to the most. */
const FIRST_GROUPS = 8;
const MOST_GROUPS = 512;

/** The newest that were refused or failed. */
export async function failedPage(rowsOf: RowsOf, { project, filter, limit, before }: Wanted): Promise<readonly StoredRequest[]> {
  const values: unknown[] = [project];
  const where = ['project = $1', 'missed = 0', ...conditionsOf(filter, before, values)].join(' AND ');
  const text = `SELECT ${COLUMNS} FROM savepoint.call_log c WHERE ${where} ORDER BY c.at DESC, c.seq DESC LIMIT ${placed(values, limit)}`;
  return (await rowsOf<CallRow>(text, values)).map(storedOf);
}

/** The newest calls that succeeded. Rows overlap in time: surely among them is what is newer than the end of the last row read. */
export async function succeededPage(rowsOf: RowsOf, wanted: Wanted): Promise<readonly StoredRequest[]> {
  const { limit } = wanted;
  let found: readonly StoredRequest[] = [];
  let last: LastGroup | null = null;
  for (let size = FIRST_GROUPS; ; size = Math.min(size * 4, MOST_GROUPS)) {
    const rows: readonly (CallRow & LastGroup)[] = await groupsAfter(rowsOf, wanted, size, last);
    [last = null] = rows;
    found = newest([...found, ...rows.filter(({ seq }) => seq !== null).map(storedOf)], limit);
    if (last === null || last.groups < size) return found;
    if ((found[limit - 1]?.at ?? -1) > last.until) return found;
  }
}

/** Of the next rows the newest calls, each with the last of the rows; if no call passes, that one alone. */
function groupsAfter(rowsOf: RowsOf, { project, filter, limit, before }: Wanted, size: number, last: LastGroup | null) {
  const values: unknown[] = [project];
  const place = (value: unknown) => placed(values, value);
  const further = last === null ? '' : ` AND (g.until, g.base, g.part) < (${place(last.until)}, ${place(last.base)}, ${place(last.part)})`;
  const groups = `${groupsThatMayPass(filter, before, place)}${further} ORDER BY g.until DESC, g.base DESC, g.part DESC LIMIT ${place(size)}`;
  const where = ['true', ...conditionsOf(filter, before, values)].join(' AND ');
  const text = `WITH groups AS MATERIALIZED (${groups})
SELECT l.*, c.* FROM (
  SELECT until::float8 AS until, base::float8 AS base, part, (count(*) OVER ())::int AS groups FROM groups ORDER BY groups.until, groups.base, part LIMIT 1
) l LEFT JOIN (
  SELECT ${COLUMNS} FROM (${callsOf('TABLE groups')}) c WHERE ${where} ORDER BY c.at DESC, c.seq DESC LIMIT ${place(limit)}
) c ON true`;
  return rowsOf<CallRow & LastGroup>(text, values);
}

export function newest(requests: readonly StoredRequest[], limit: number): readonly StoredRequest[] {
  return requests.toSorted((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit);
}

/** The oldest row of calls that a statement read, and how many it read. */
interface LastGroup {
  readonly until: number;
  readonly base: number;
  readonly part: number;
  readonly groups: number;
}

/** A request as it is read. */
export interface CallRow {
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
  readonly step: string | null;
}

export function storedOf(row: CallRow): StoredRequest {
  return {
    seq: row.seq,
    at: row.at,
    slug: row.slug,
    method: row.method,
    path: row.path,
    route: row.route,
    status: row.status,
    code: row.code,
    message: row.message,
    step: row.step,
    ms: row.ms,
    platformId: row.player,
    target: row.next ? 'next' : 'live',
    requestId: row.request_id,
    revision: row.revision,
  };
}

/** Adds a value, and returns its place in the statement. */
export function placed(values: unknown[], value: unknown): string {
  return `$${values.push(value)}`;
}

/** The conditions of a filter besides the project's; their values are added. */
export function conditionsOf(filter: RequestFilter, before: CallCursor | null, values: unknown[]): string[] {
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
