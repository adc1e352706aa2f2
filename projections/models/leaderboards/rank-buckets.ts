import type { Transaction } from '../../tables.ts';

/**
 * Ranks on boards of any size. A row whose key hashes to a multiple of {@link ROWS_PER_BUCKET} starts a *rank bucket* (table
 * `leaderboard_buckets`), which counts the rows up to the next one. A row's rank is the sum of the buckets before its own, about one for
 * every 512 rows, plus a count within its bucket. The keys alone decide which rows start buckets, and not their order of arrival, so a
 * fresh fold makes the same table. The distribution of values does not matter: a million players with the same score are spread over
 * buckets, too.
 */

/** A row that was added (1) or removed (-1). */
export interface RowChange {
  readonly board: string;
  readonly space: string;
  readonly rank: number;
  readonly reached: number;
  readonly key: string;
  readonly change: number;
}

const ROWS_PER_BUCKET = 512;

/** Sorts before every row of its board. */
const FIRST = `('-Infinity'::double precision, 0, '')`;

const DROP = `
DELETE FROM {leaderboard_buckets} m USING unnest($2::text[], $3::text[], $4::double precision[], $5::bigint[], $6::text[]) AS w (board, space, rank, reached, key)
WHERE m.project = $1 AND m.board = w.board AND m.space = w.space AND m.rank = w.rank AND m.reached = w.reached AND m.key = w.key`;

const PUT = `
INSERT INTO {leaderboard_buckets} (project, board, space, rank, reached, key, count)
SELECT $1, board, space, rank, reached, key, 0
FROM unnest($2::text[], $3::text[], $4::double precision[], $5::bigint[], $6::text[]) AS w (board, space, rank, reached, key)
ON CONFLICT DO NOTHING`;

const PUT_FIRST = `
INSERT INTO {leaderboard_buckets} (project, board, space, rank, reached, key, count)
SELECT DISTINCT $1, board, space, '-Infinity'::double precision, 0, '', 0 FROM unnest($2::text[], $3::text[]) AS w (board, space)
ON CONFLICT DO NOTHING`;

/** The start of the bucket that a row lies in. */
const BUCKET_START_OF = `
SELECT m.rank, m.reached, m.key FROM {leaderboard_buckets} m
WHERE m.project = $1 AND m.board = w.board AND m.space = w.space AND (m.rank, m.reached, m.key) <= (w.rank, w.reached, w.key)
ORDER BY m.rank DESC, m.reached DESC, m.key DESC LIMIT 1`;

/**
 * Counts the buckets again whose start or end has changed. They are counted in order, so that Postgres uses the index by rank. The given
 * rows are the starts that were added or removed.
 */
const RECOUNT = `
WITH w AS (SELECT * FROM unnest($2::text[], $3::text[], $4::double precision[], $5::bigint[], $6::text[]) AS w (board, space, rank, reached, key)),
border AS (
  SELECT w.board, w.space, m.rank, m.reached, m.key FROM w, LATERAL (${BUCKET_START_OF}) m
  UNION
  SELECT w.board, w.space, m.rank, m.reached, m.key FROM w, LATERAL (
    SELECT m.rank, m.reached, m.key FROM {leaderboard_buckets} m
    WHERE m.project = $1 AND m.board = w.board AND m.space = w.space AND (m.rank, m.reached, m.key) < (w.rank, w.reached, w.key)
    ORDER BY m.rank DESC, m.reached DESC, m.key DESC LIMIT 1) m),
block AS (
  SELECT b.*, n.rank AS next_rank, n.reached AS next_reached, n.key AS next_key FROM border b LEFT JOIN LATERAL (
    SELECT n.rank, n.reached, n.key FROM {leaderboard_buckets} n
    WHERE n.project = $1 AND n.board = b.board AND n.space = b.space AND (n.rank, n.reached, n.key) > (b.rank, b.reached, b.key)
    ORDER BY n.rank, n.reached, n.key LIMIT 1) n ON true),
counted AS (
  SELECT b.board, b.space, b.rank, b.reached, b.key, (
    SELECT count(*) FROM (SELECT FROM {leaderboards} l
      WHERE l.project = $1 AND l.board = b.board AND l.space = b.space AND (l.rank, l.reached, l.key) >= (b.rank, b.reached, b.key)
        AND (l.rank, l.reached, l.key) < (coalesce(b.next_rank, 'Infinity'::double precision), coalesce(b.next_reached, 0), coalesce(b.next_key, ''))
      ORDER BY l.rank, l.reached, l.key OFFSET 0) in_order) AS count
  FROM block b)
UPDATE {leaderboard_buckets} m SET count = c.count FROM counted c
WHERE m.project = $1 AND m.board = c.board AND m.space = c.space AND m.rank = c.rank AND m.reached = c.reached AND m.key = c.key
RETURNING m.board, m.space, m.rank, m.reached::float8 AS reached, m.key`;

/** Of all other buckets: adds the rows that came and subtracts those that went. $8 to $12: buckets that were counted again. */
const ADD = `
WITH change AS (
  SELECT w.board, w.space, m.rank, m.reached, m.key, sum(w.change) AS change
  FROM unnest($2::text[], $3::text[], $4::double precision[], $5::bigint[], $6::text[], $7::bigint[])
      AS w (board, space, rank, reached, key, change),
    LATERAL (${BUCKET_START_OF}) m
  GROUP BY w.board, w.space, m.rank, m.reached, m.key)
UPDATE {leaderboard_buckets} m SET count = m.count + c.change FROM change c
WHERE c.change <> 0 AND m.project = $1 AND m.board = c.board AND m.space = c.space AND m.rank = c.rank AND m.reached = c.reached AND m.key = c.key
  AND NOT EXISTS (
    SELECT FROM unnest($8::text[], $9::text[], $10::double precision[], $11::bigint[], $12::text[]) AS r (board, space, rank, reached, key)
    WHERE r.board = c.board AND r.space = c.space AND r.rank = c.rank AND r.reached = c.reached AND r.key = c.key)`;

/** Deletes the buckets of a board without rows. */
const DROP_EMPTY = `
DELETE FROM {leaderboard_buckets} m WHERE m.project = $1 AND (m.rank, m.reached, m.key) = ${FIRST} AND m.count = 0
  AND (m.board, m.space) IN (SELECT board, space FROM unnest($2::text[], $3::text[]) AS w (board, space)) AND NOT EXISTS (
  SELECT FROM {leaderboards} l WHERE l.project = $1 AND l.board = m.board AND l.space = m.space)`;

type BucketKey = Omit<RowChange, 'change'>;

/** The start of a bucket of one board. */
export type BucketStart = Omit<BucketKey, 'board'>;

/** Sorts before every bucket. */
export const BEFORE_ALL: BucketStart = { space: '', rank: Number.NEGATIVE_INFINITY, reached: 0, key: '' };

const PUT_FIRST_OF = `
INSERT INTO {leaderboard_buckets} (project, board, space, rank, reached, key, count)
VALUES ($1, $2, $3, '-Infinity'::double precision, 0, '', 0) ON CONFLICT DO NOTHING`;

/** Makes the first bucket of a space, before all of its rows. It is counted later; {@link dropEmpty} removes it if there are no rows. */
export async function putFirstBucket(tx: Transaction, board: string, space: string): Promise<void> {
  await tx.run('buckets-first-of', PUT_FIRST_OF, [board, space]);
}

/** Creates buckets that are counted later. */
export async function putBuckets(tx: Transaction, buckets: readonly BucketKey[]): Promise<void> {
  if (buckets.length > 0) await tx.run('buckets-put', PUT, columns(buckets));
}

/** The number of buckets that one statement counts. */
const BUCKETS_PER_STATEMENT = 64;

const COUNT_NEXT = `
WITH m AS MATERIALIZED (
  SELECT space, rank, reached, key FROM {leaderboard_buckets}
  WHERE project = $1 AND board = $2 AND (space, rank, reached, key) > ($3, $4::double precision, $5::bigint, $6)
  ORDER BY space, rank, reached, key LIMIT ${BUCKETS_PER_STATEMENT + 1}),
bordered AS (
  SELECT space, rank, reached, key, lead(rank) OVER w AS next_rank, lead(reached) OVER w AS next_reached, lead(key) OVER w AS next_key,
    row_number() OVER (ORDER BY space, rank, reached, key) AS n
  FROM m WINDOW w AS (PARTITION BY space ORDER BY rank, reached, key)),
counted AS (
  SELECT b.space, b.rank, b.reached, b.key, (
    SELECT count(*) FROM (SELECT FROM {leaderboards} l
      WHERE l.project = $1 AND l.board = $2 AND l.space = b.space AND (l.rank, l.reached, l.key) >= (b.rank, b.reached, b.key)
        AND (l.rank, l.reached, l.key) < (coalesce(b.next_rank, 'Infinity'::double precision), coalesce(b.next_reached, 0), coalesce(b.next_key, ''))
      ORDER BY l.rank, l.reached, l.key OFFSET 0) in_order) AS count
  FROM bordered b WHERE b.n <= ${BUCKETS_PER_STATEMENT}),
written AS (
  UPDATE {leaderboard_buckets} m SET count = c.count FROM counted c
  WHERE m.project = $1 AND m.board = $2 AND m.space = c.space AND m.rank = c.rank AND m.reached = c.reached AND m.key = c.key
    AND m.count <> c.count)
SELECT space, rank, reached::float8 AS reached, key FROM counted ORDER BY space DESC, rank DESC, counted.reached DESC, key DESC LIMIT 1`;

/** Counts the next buckets. Returns the start of the last one; `null` when there is none. */
export async function countBuckets(
  tx: Transaction,
  board: string,
  { space, rank, reached, key }: BucketStart,
): Promise<BucketStart | null> {
  const [last] = await tx.run<BucketKey>('buckets-count', COUNT_NEXT, [board, space, String(rank), reached, key]);
  return last ?? null;
}

const EMPTY_SPACES = `SELECT DISTINCT space FROM {leaderboard_buckets} WHERE project = $1 AND board = $2`;

/** Removes the buckets of spaces in which the board has no rows. All buckets must have been counted. */
export async function dropEmpty(tx: Transaction, board: string): Promise<void> {
  const spaces = (await tx.run<{ space: string }>('buckets-spaces', EMPTY_SPACES, [board])).map(({ space }) => space);
  if (spaces.length > 0) await tx.run('buckets-empty', DROP_EMPTY, [spaces.map(() => board), spaces]);
}

/** Brings the buckets up to date after rows have moved. */
export async function updateBuckets(tx: Transaction, moved: readonly RowChange[]): Promise<void> {
  if (moved.length === 0) return;
  const starts = await moveBuckets(tx, moved);
  await tx.run('buckets-first', PUT_FIRST, columns(moved).slice(0, 2));
  const counted = starts.length === 0 ? [] : await tx.run<BucketKey>('buckets-recount', RECOUNT, columns(starts));
  await tx.run('buckets-add', ADD, [...columns(moved), moved.map(({ change }) => change), ...columns(counted)]);
  if (moved.some(({ change }) => change < 0)) await tx.run('buckets-empty', DROP_EMPTY, columns(moved).slice(0, 2));
}

/** Creates and removes buckets after rows have moved, without counting them. Returns the rows that start buckets. */
export async function moveBuckets(tx: Transaction, moved: readonly RowChange[]): Promise<readonly RowChange[]> {
  const starts = moved.filter(({ key }) => startsBucket(key));
  const removed = starts.filter(({ change }) => change < 0);
  const added = starts.filter(({ change }) => change > 0);
  if (removed.length > 0) await tx.run('buckets-drop', DROP, columns(removed));
  await putBuckets(tx, added);
  return starts;
}

/** FNV-1a over the key. Any hash function would do, as long as it never changes. */
export function startsBucket(key: string): boolean {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  // Mixes in higher bits, because the lowest bits of FNV-1a are poorly distributed.
  return ((hash ^ (hash >>> 15)) >>> 0) % ROWS_PER_BUCKET === 0;
}

function columns(starts: readonly BucketKey[]): unknown[][] {
  return [
    starts.map(({ board }) => board),
    starts.map(({ space }) => space),
    starts.map(({ rank }) => rank),
    starts.map(({ reached }) => reached),
    starts.map(({ key }) => key),
  ];
}
