import type { Pool } from 'pg';
import type { BoardQuery, LeaderboardPage, LeaderboardRow, TakeRows } from '../../../src/app/ports/boards.ts';
import type { Space } from '../../../src/domain/events.ts';
import { pagesByBytes } from '../../pages-by-bytes.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { readSnapshot } from '../../transaction.ts';
import { readBuilding } from './building.ts';

/**
 * $1 project, $2 space, $3 query, $4 its hash, $5 limit, $6 offset. Looks up the board first. The rows then come from the index in order,
 * and only the page's documents are read. `rank`, `reached` and key are the whole order: of equal values the one that was reached first
 * comes first.
 */
export const BOARD = `SELECT q.board, q.collection, q.descending FROM {leaderboard_queries} q
WHERE q.project = $1 AND q.query = $3 AND q.hash = $4 AND NOT EXISTS (SELECT FROM {leaderboard_fills} f WHERE f.project = $1 AND f.board = q.board)`;

export const OWN = `
SELECT l.space, l.key, l.value, l.rank, l.reached FROM {leaderboards} l
WHERE l.project = $1 AND l.board = b.board AND l.space = $2`;

/** A live row is visible in the `next` space unless that space has a document of the same key, even a deleted one. */
export const UNHIDDEN = `
SELECT l.space, l.key, l.value, l.rank, l.reached FROM {leaderboards} l
WHERE l.project = $1 AND l.board = b.board AND l.space = 'live' AND NOT EXISTS (
  SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = b.collection AND n.key = l.key)`;

export const OWN_COUNT = `coalesce((SELECT c.count FROM {leaderboard_counts} c WHERE c.project = $1 AND c.board = b.board AND c.space = $2), 0)`;
export const LIVE_COUNT = `coalesce((SELECT c.count FROM {leaderboard_counts} c WHERE c.project = $1 AND c.board = b.board AND c.space = 'live'), 0)`;
/** Few documents are staged, so each is looked up on the live board by its key. A join would be planned for many. */
export const HIDDEN_COUNT = `(SELECT count(*) FROM {documents} n, LATERAL (SELECT FROM {leaderboards} l
    WHERE l.project = $1 AND l.board = b.board AND l.space = 'live' AND l.key = n.key LIMIT 1) hidden
  WHERE n.project = $1 AND n.space = $2 AND n.collection = b.collection)`;

/** The most bytes of document texts in one answer that is not paged. */
const AT_ONCE = 4 * 1024 * 1024;

/**
 * The columns to read of the rows `p`, in order. `size` is the size of a row's document and of those before it. In pages every text is
 * included.
 */
export function rowColumns(paged: boolean): string {
  const size = 'sum(octet_length(d.document::text)) OVER (ORDER BY p.rank, p.reached, p.key)';
  const text = paged ? 'd.document::text' : `CASE WHEN ${size} <= ${AT_ONCE} THEN d.document::text END`;
  return `p.key, p.value, ${text} AS text, ${paged ? 'NULL' : size} AS size`;
}

/** The document of the row `p`. */
export const ITS_DOCUMENT =
  'LEFT JOIN {documents} d ON d.project = $1 AND d.space = p.space AND d.collection = b.collection AND d.key = p.key';

/**
 * The first `reach` rows, with a literal limit. Postgres cannot estimate a parameter: it would plan every call anew (measured: four fifths
 * of the time) or read the whole board.
 */
function statement(rows: string, total: string, reach: number, paged: boolean): string {
  return throughViews(`
WITH b AS MATERIALIZED (SELECT b.*, ${total} AS total FROM (${BOARD}) b)
SELECT ${revisionOf(['leaderboards', 'documents'])} AS revision, b.total, ${rowColumns(paged)}
FROM (SELECT) one LEFT JOIN b ON true
LEFT JOIN LATERAL (
  SELECT * FROM (${rows} ORDER BY rank, reached, key LIMIT ${reach}) t ORDER BY rank, reached, key LIMIT $5::int OFFSET $6::int) p ON true
${ITS_DOCUMENT}
ORDER BY p.rank, p.reached, p.key`);
}

const both = (reach: number) => `
SELECT u.* FROM ((${OWN} ORDER BY rank, reached, key LIMIT ${reach}) UNION ALL (${UNHIDDEN} ORDER BY rank, reached, key LIMIT ${reach})) u`;

/** A definition's limit is 1000 at most. The last value means all rows. */
const REACHES = [10, 100, 1_000, 10_000, 100_000_000];

const NEXT_COUNT = `${OWN_COUNT} + ${LIVE_COUNT} - ${HIDDEN_COUNT}`;

const STATEMENTS = REACHES.map((reach) => ({
  reach,
  live: statements(`leaderboard-live-${reach}`, (paged) => statement(OWN, OWN_COUNT, reach, paged)),
  next: statements(`leaderboard-next-${reach}`, (paged) => statement(both(reach), NEXT_COUNT, reach, paged)),
}));

/** Statements for the same rows, in one answer and in pages. */
export interface Statements {
  readonly whole: { readonly name: string; readonly text: string };
  readonly paged: string;
}

export function statements(name: string, text: (paged: boolean) => string): Statements {
  return { whole: { name, text: text(false) }, paged: text(true) };
}

/** A row of the board. If the board is empty or does not exist, one row holds revision and total alone. */
export interface FoundRow {
  readonly revision: string;
  readonly total: string | null;
  readonly key: string | null;
  readonly value: number | null;
  readonly text: string | null;
  readonly size: string | null;
}

export function foundRows(rows: readonly FoundRow[]): readonly LeaderboardRow[] {
  return rows.flatMap(({ key, value, text }) => (key === null || value === null || text === null ? [] : [{ key, value, document: text }]));
}

/** Whether documents were left out of the answer. */
export function isCut(rows: readonly FoundRow[]): boolean {
  return Number(rows.at(-1)?.size ?? 0) > AT_ONCE;
}

/** Characters of the row's document. */
export function sizeOf({ text }: FoundRow): number {
  return text?.length ?? 0;
}

/**
 * Passes the rows of a paged statement to `take`, all from one snapshot. Returns the first row, which also holds revision and total; there
 * is always one.
 */
export async function inPages<Row extends object>(
  pool: Pool,
  text: string,
  values: readonly unknown[],
  take: (rows: readonly Row[], before: number) => Promise<void>,
  sizeOf: (row: Row) => number,
): Promise<Row | undefined> {
  return readSnapshot(pool, async (client) => {
    let first: Row | undefined;
    let before = 0;
    for await (const page of pagesByBytes<Row>(client, text, values, sizeOf)) {
      first ??= page[0];
      await take(page, before);
      before += page.length;
    }
    return first;
  });
}

/** Revision, total and progress of an answer. If there is no complete board, its progress is looked up. */
export async function about(
  pool: Pool,
  projectId: string,
  query: BoardQuery,
  first: Pick<FoundRow, 'revision' | 'total'> | undefined,
): Promise<Pick<LeaderboardPage, 'revision' | 'total' | 'building'>> {
  const { revision = -1, total = null } = first ?? {};
  if (total !== null) return { revision: Number(revision), total: Number(total), building: null };
  return { revision: Number(revision), total, building: await readBuilding(pool, projectId, query) };
}

/** The rows in the order of the definition. Empty for a query that no projected publish contains, or that no board can answer. */
export async function readLeaderboard(
  pool: Pool,
  projectId: string,
  space: Space,
  query: BoardQuery,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  take?: TakeRows,
): Promise<LeaderboardPage> {
  const values = [projectId, space, query.id, query.hash, limit, offset];
  const found = STATEMENTS.find(({ reach }) => limit + offset <= reach);
  if (found === undefined) throw new RangeError(`a leaderboard has no row ${offset + limit}`);
  const { whole, paged } = space === 'live' ? found.live : found.next;
  if (take !== undefined) {
    const first = await inPages<FoundRow>(pool, paged, values, (rows, before) => take(foundRows(rows), offset + before + 1), sizeOf);
    return { ...(await about(pool, projectId, query, first)), rows: [], isPartial: false };
  }
  const { rows } = await pool.query<FoundRow>({ ...QUERY_TIMEOUT, ...whole, values });
  const [first] = rows;
  return { ...(await about(pool, projectId, query, first)), rows: foundRows(rows), isPartial: isCut(rows) };
}
