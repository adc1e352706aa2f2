import type { Pool } from 'pg';
import type { BoardQuery, LeaderboardNeighbours, TakeRows } from '../../../src/app/ports/boards.ts';
import type { Space } from '../../../src/domain/events.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import {
  about,
  BOARD,
  type FoundRow,
  foundRows,
  HIDDEN_COUNT,
  ITS_DOCUMENT,
  inPages,
  isCut,
  LIVE_COUNT,
  OWN,
  OWN_COUNT,
  rowColumns,
  sizeOf,
  statements,
  UNHIDDEN,
} from './read.ts';

/** The rank of one key on a board: $1 project, $2 space, $3 query, $4 its hash, $5 key. `rank-buckets.ts` explains how a rank is found. */

/** Counts the rows of a space before `me`: the rank buckets before its own, and the rows before it in its own bucket. */
function before(space: string): string {
  const bucket = `m.project = $1 AND m.board = b.board AND m.space = ${space}`;
  return `coalesce((SELECT
    (SELECT coalesce(sum(m.count), 0) FROM {leaderboard_buckets} m WHERE ${bucket} AND (m.rank, m.reached, m.key) < (k.rank, k.reached, k.key))
    + (SELECT count(*) FROM (SELECT FROM {leaderboards} l WHERE l.project = $1 AND l.board = b.board AND l.space = ${space}
       AND (l.rank, l.reached, l.key) >= (k.rank, k.reached, k.key) AND (l.rank, l.reached, l.key) < (me.rank, me.reached, me.key) ORDER BY l.rank, l.reached, l.key OFFSET 0) in_order)
    FROM (SELECT m.rank, m.reached, m.key FROM {leaderboard_buckets} m WHERE ${bucket} AND (m.rank, m.reached, m.key) <= (me.rank, me.reached, me.key)
      ORDER BY m.rank DESC, m.reached DESC, m.key DESC LIMIT 1) k), 0)`;
}

/** Live rows before `me` that documents of a `next` space hide. They are few, because few documents are staged. */
const HIDDEN_BEFORE = HIDDEN_COUNT.replace('l.key = n.key', 'l.key = n.key AND (l.rank, l.reached, l.key) < (me.rank, me.reached, me.key)');

const PRECEDING = 'AND (l.rank, l.reached, l.key) < (me.rank, me.reached, me.key) ORDER BY l.rank DESC, l.reached DESC, l.key DESC';
const FOLLOWING = 'AND (l.rank, l.reached, l.key) >= (me.rank, me.reached, me.key) ORDER BY l.rank, l.reached, l.key';

function statement(rows: readonly string[], total: string, ahead: string, reach: number, paged: boolean): string {
  const own = rows.map((one) => `(${one} AND l.key = $5)`).join(' UNION ALL ');
  const preceding = rows.map((one) => `(${one} ${PRECEDING} LIMIT ${reach})`).join(' UNION ALL ');
  const following = rows.map((one) => `(${one} ${FOLLOWING} LIMIT ${reach + 1})`).join(' UNION ALL ');
  return throughViews(`
WITH b AS MATERIALIZED (SELECT b.*, ${total} AS total FROM (${BOARD}) b),
me AS MATERIALIZED (SELECT o.rank, o.reached, o.key FROM b, LATERAL (${own}) o)
SELECT ${revisionOf(['leaderboards', 'documents'])} AS revision, b.total, a.ahead, ${rowColumns(paged)}
FROM (SELECT) one LEFT JOIN b ON true LEFT JOIN me ON true
LEFT JOIN LATERAL (SELECT ${ahead} AS ahead) a ON me.key IS NOT NULL
LEFT JOIN LATERAL (
  (SELECT * FROM (${preceding}) x ORDER BY rank DESC, reached DESC, key DESC LIMIT ${reach})
  UNION ALL
  (SELECT * FROM (${following}) y ORDER BY rank, reached, key LIMIT ${reach + 1})) p ON me.key IS NOT NULL
${ITS_DOCUMENT}
ORDER BY p.rank, p.reached, p.key`);
}

/** The limits are literals, because Postgres cannot estimate a parameter. A definition's limit is 1000 at most. */
const STATEMENTS = [0, 10, 100, 500].map((reach) => ({
  reach,
  live: statements(`standing-live-${reach}`, (paged) => statement([OWN], OWN_COUNT, before('$2'), reach, paged)),
  next: statements(`standing-next-${reach}`, (paged) =>
    statement(
      [OWN, UNHIDDEN],
      `${OWN_COUNT} + ${LIVE_COUNT} - ${HIDDEN_COUNT}`,
      `${before('$2')} + ${before(`'live'`)} - ${HIDDEN_BEFORE}`,
      reach,
      paged,
    ),
  ),
}));

interface Row extends FoundRow {
  readonly ahead: string | null;
}

/**
 * The rank of a key on a query's board, and `around` rows on each side of it. With `take`, the rows are passed to it in pages, and the
 * result has none. Throws for an `around` beyond a definition's limit.
 */
export async function readNeighbours(
  pool: Pool,
  projectId: string,
  space: Space,
  query: BoardQuery,
  { key, around }: { readonly key: string; readonly around: number },
  take?: TakeRows,
): Promise<LeaderboardNeighbours> {
  const found = STATEMENTS.find(({ reach }) => around <= reach);
  if (found === undefined) throw new RangeError(`nobody is shown ${around} rows around one`);
  const { whole, paged } = space === 'live' ? found.live : found.next;
  const values = [projectId, space, query.id, query.hash, key];
  if (take !== undefined) {
    const first = await rankedInPages(pool, paged, values, { around, reach: found.reach }, take);
    return { ...(await about(pool, projectId, query, first)), rank: rankIn(first), rows: [], isPartial: false };
  }
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, ...whole, values });
  const [first] = rows;
  const shown = foundRows(rows);
  const at = shown.findIndex((row) => row.key === key);
  const page = at < 0 ? [] : shown.slice(Math.max(at - around, 0), at + around + 1);
  return { ...(await about(pool, projectId, query, first)), rank: rankIn(first), rows: page, isPartial: isCut(rows) };
}

/** The statement gives up to `reach` rows before the requested row. */
async function rankedInPages(
  pool: Pool,
  paged: string,
  values: readonly unknown[],
  { around, reach }: { readonly around: number; readonly reach: number },
  take: TakeRows,
): Promise<Row | undefined> {
  return inPages<Row>(
    pool,
    paged,
    values,
    async (rows, before) => {
      const ahead = Number(rows[0]?.ahead ?? 0);
      const at = Math.min(ahead, reach);
      const from = Math.max(at - around - before, 0);
      const shown = foundRows(rows.slice(from, Math.max(at + around + 1 - before, 0)));
      if (shown.length > 0) await take(shown, ahead - at + before + from + 1);
    },
    sizeOf,
  );
}

function rankIn(first: Row | undefined): number | null {
  return first === undefined || first.ahead === null ? null : Number(first.ahead) + 1;
}
