import type { Pool } from 'pg';
import type { LeaderboardPage, LeaderboardRow } from '../../../src/app/ports/readers.ts';
import type { Space } from '../../../src/domain/events.ts';
import { IN_TIME } from '../../patience.ts';
import { revisionOf, throughViews } from '../../through-views.ts';

/**
 * $1 project, $2 space, $3 query, $4 its hash, $5 limit, $6 offset. The board is looked up first; its rows then come out of the index
 * in order, and only the page's documents are fetched. `rank` and key are the whole order: ties go by key.
 */
export const BOARD = `SELECT q.board, q.collection, q.descending FROM {leaderboard_queries} q WHERE q.project = $1 AND q.query = $3 AND q.hash = $4`;

export const OWN = `
SELECT l.space, l.key, l.value, l.rank FROM {leaderboards} l
WHERE l.project = $1 AND l.board = b.board AND l.space = $2`;

/** Live rows shine through where the `next` space has no document of that key, not even a deleted one. */
export const UNHIDDEN = `
SELECT l.space, l.key, l.value, l.rank FROM {leaderboards} l
WHERE l.project = $1 AND l.board = b.board AND l.space = 'live' AND NOT EXISTS (
  SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = b.collection AND n.key = l.key)`;

export const OWN_COUNT = `coalesce((SELECT c.count FROM {leaderboard_counts} c WHERE c.project = $1 AND c.board = b.board AND c.space = $2), 0)`;
export const LIVE_COUNT = `coalesce((SELECT c.count FROM {leaderboard_counts} c WHERE c.project = $1 AND c.board = b.board AND c.space = 'live'), 0)`;
/** Staged documents are few: each is looked for on the live board by its key. A join would be planned as if there were many. */
export const HIDDEN_COUNT = `(SELECT count(*) FROM {documents} n, LATERAL (SELECT FROM {leaderboards} l
    WHERE l.project = $1 AND l.board = b.board AND l.space = 'live' AND l.key = n.key LIMIT 1) hidden
  WHERE n.project = $1 AND n.space = $2 AND n.collection = b.collection)`;

/**
 * The first `reach` rows by a literal limit: Postgres cannot guess what a parameter will be, and would plan anew for every call (measured:
 * four fifths of the time) or read the whole board.
 */
function statement(rows: string, total: string, reach: number): string {
  return throughViews(`
WITH b AS MATERIALIZED (SELECT b.*, ${total} AS total FROM (${BOARD}) b)
SELECT ${revisionOf(['leaderboards', 'documents'])} AS revision, b.total, p.key, p.value, d.document::text AS text
FROM (SELECT) one LEFT JOIN b ON true
LEFT JOIN LATERAL (
  SELECT * FROM (${rows} ORDER BY rank, key LIMIT ${reach}) t ORDER BY rank, key LIMIT $5::int OFFSET $6::int) p ON true
LEFT JOIN {documents} d ON d.project = $1 AND d.space = p.space AND d.collection = b.collection AND d.key = p.key
ORDER BY p.rank, p.key`);
}

const both = (reach: number) => `
SELECT u.* FROM ((${OWN} ORDER BY rank, key LIMIT ${reach}) UNION ALL (${UNHIDDEN} ORDER BY rank, key LIMIT ${reach})) u`;

/** A definition's limit is 1000 at most; the last is for everything. */
const REACHES = [10, 100, 1_000, 10_000, 100_000_000];

const STATEMENTS = REACHES.map((reach) => ({
  reach,
  live: { name: `leaderboard-live-${reach}`, text: statement(OWN, OWN_COUNT, reach) },
  next: { name: `leaderboard-next-${reach}`, text: statement(both(reach), `${OWN_COUNT} + ${LIVE_COUNT} - ${HIDDEN_COUNT}`, reach) },
}));

/** A row of the board, or nothing beside the revision and the total where the board has none. */
export interface FoundRow {
  readonly key: string | null;
  readonly value: number | null;
  readonly text: string | null;
}

export function foundRows(rows: readonly FoundRow[]): readonly LeaderboardRow[] {
  return rows.flatMap(({ key, value, text }) => (key === null || value === null || text === null ? [] : [{ key, value, document: text }]));
}

interface Row extends FoundRow {
  readonly revision: string;
  readonly total: string;
}

/** Ordered as the definition says. Empty for a query that no projected publish holds, or that no board can answer. */
export async function readLeaderboard(
  pool: Pool,
  projectId: string,
  space: Space,
  query: { readonly id: string; readonly hash: string },
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<LeaderboardPage> {
  const values = [projectId, space, query.id, query.hash, limit, offset];
  const statements = STATEMENTS.find(({ reach }) => limit + offset <= reach);
  if (statements === undefined) throw new RangeError(`a leaderboard has no row ${offset + limit}`);
  const { rows } = await pool.query<Row>({ ...IN_TIME, ...(space === 'live' ? statements.live : statements.next), values });
  const [first] = rows;
  return {
    revision: Number(first?.revision ?? -1),
    rows: foundRows(rows),
    total: Number(first?.total ?? 0),
  };
}
