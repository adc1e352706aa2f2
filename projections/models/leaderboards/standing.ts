import type { Pool } from 'pg';
import type { LeaderboardStanding } from '../../../src/app/ports/readers.ts';
import type { Space } from '../../../src/domain/events.ts';
import { IN_TIME } from '../../patience.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { BOARD, type FoundRow, foundRows, HIDDEN_COUNT, LIVE_COUNT, OWN, OWN_COUNT, UNHIDDEN } from './read.ts';

/** Where one key stands on a board: $1 project, $2 space, $3 query, $4 its hash, $5 key. See `marks.ts` for how a rank is found. */

/** Rows of a space before `me`: the marks before its own, and the part of its block. */
function before(space: string): string {
  const mark = `m.project = $1 AND m.board = b.board AND m.space = ${space}`;
  return `coalesce((SELECT
    (SELECT coalesce(sum(m.count), 0) FROM {leaderboard_marks} m WHERE ${mark} AND (m.rank, m.key) < (k.rank, k.key))
    + (SELECT count(*) FROM (SELECT FROM {leaderboards} l WHERE l.project = $1 AND l.board = b.board AND l.space = ${space}
       AND (l.rank, l.key) >= (k.rank, k.key) AND (l.rank, l.key) < (me.rank, me.key) ORDER BY l.rank, l.key OFFSET 0) in_order)
    FROM (SELECT m.rank, m.key FROM {leaderboard_marks} m WHERE ${mark} AND (m.rank, m.key) <= (me.rank, me.key)
      ORDER BY m.rank DESC, m.key DESC LIMIT 1) k), 0)`;
}

/** Live rows before `me` that a `next` space has documents of its own for: few, as staged documents are. */
const HIDDEN_BEFORE = HIDDEN_COUNT.replace('l.key = n.key', 'l.key = n.key AND (l.rank, l.key) < (me.rank, me.key)');

const PRECEDING = 'AND (l.rank, l.key) < (me.rank, me.key) ORDER BY l.rank DESC, l.key DESC';
const FOLLOWING = 'AND (l.rank, l.key) >= (me.rank, me.key) ORDER BY l.rank, l.key';

function statement(rows: readonly string[], total: string, ahead: string, reach: number): string {
  const own = rows.map((one) => `(${one} AND l.key = $5)`).join(' UNION ALL ');
  const preceding = rows.map((one) => `(${one} ${PRECEDING} LIMIT ${reach})`).join(' UNION ALL ');
  const following = rows.map((one) => `(${one} ${FOLLOWING} LIMIT ${reach + 1})`).join(' UNION ALL ');
  return throughViews(`
WITH b AS MATERIALIZED (SELECT b.*, ${total} AS total FROM (${BOARD}) b),
me AS MATERIALIZED (SELECT o.rank, o.key FROM b, LATERAL (${own}) o)
SELECT ${revisionOf(['leaderboards', 'documents'])} AS revision, b.total, a.ahead, p.key, p.value, d.document::text AS text
FROM (SELECT) one LEFT JOIN b ON true LEFT JOIN me ON true
LEFT JOIN LATERAL (SELECT ${ahead} AS ahead) a ON me.key IS NOT NULL
LEFT JOIN LATERAL (
  (SELECT * FROM (${preceding}) x ORDER BY rank DESC, key DESC LIMIT ${reach})
  UNION ALL
  (SELECT * FROM (${following}) y ORDER BY rank, key LIMIT ${reach + 1})) p ON me.key IS NOT NULL
LEFT JOIN {documents} d ON d.project = $1 AND d.space = p.space AND d.collection = b.collection AND d.key = p.key
ORDER BY p.rank, p.key`);
}

/** Limits are literals: Postgres cannot guess what a parameter will be. A definition's limit is 1000 at most. */
const STATEMENTS = [0, 10, 100, 500].map((reach) => ({
  reach,
  live: { name: `standing-live-${reach}`, text: statement([OWN], OWN_COUNT, before('$2'), reach) },
  next: {
    name: `standing-next-${reach}`,
    text: statement(
      [OWN, UNHIDDEN],
      `${OWN_COUNT} + ${LIVE_COUNT} - ${HIDDEN_COUNT}`,
      `${before('$2')} + ${before(`'live'`)} - ${HIDDEN_BEFORE}`,
      reach,
    ),
  },
}));

interface Row extends FoundRow {
  readonly revision: string;
  readonly total: string | null;
  readonly ahead: string | null;
}

export async function readStanding(
  pool: Pool,
  projectId: string,
  space: Space,
  query: { readonly id: string; readonly hash: string },
  { key, around }: { readonly key: string; readonly around: number },
): Promise<LeaderboardStanding> {
  const statements = STATEMENTS.find(({ reach }) => around <= reach);
  if (statements === undefined) throw new RangeError(`nobody is shown ${around} rows around one`);
  const values = [projectId, space, query.id, query.hash, key];
  const { rows } = await pool.query<Row>({ ...IN_TIME, ...(space === 'live' ? statements.live : statements.next), values });
  const [first] = rows;
  const found = foundRows(rows);
  const at = found.findIndex((row) => row.key === key);
  return {
    revision: Number(first?.revision ?? -1),
    total: Number(first?.total ?? 0),
    rank: at < 0 ? null : Number(first?.ahead ?? 0) + 1,
    rows: at < 0 ? [] : found.slice(Math.max(at - around, 0), at + around + 1),
  };
}
