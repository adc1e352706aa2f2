import { metricOf } from '../../../src/domain/document/reached.ts';
import { boardMetric } from '../../../src/domain/query/board-metric.ts';
import { parseStored } from '../../../src/kernel/json.ts';
import { splitPath } from '../../../src/kernel/path.ts';
import type { Filling, FillState } from '../../batch.ts';
import type { Board, Catalog } from '../../catalog.ts';
import { type Cursor, countDocuments, countOf, hasMoreThan, hasPassed, MAX_PAGE, pageSize, spaceAfter } from '../../fills.ts';
import type { Transaction } from '../../tables.ts';
import { dropZeros, rankOn } from './changes.ts';
import { BEFORE_ALL, type BucketStart, countBuckets, dropEmpty, putBuckets, putFirstBucket, startsBucket } from './rank-buckets.ts';

/**
 * Fills boards in pages; see fills.ts. Rank buckets are created together with the rows, and counted when all rows are written. Until then
 * their counts have no meaning.
 */

/** The phase of a fill. After `drop` the board is gone. */
type Phase = 'rows' | 'buckets' | 'drop';

export interface Fill {
  readonly board: string;
  readonly phase: Phase;
  /** The cursor; in the phase `buckets`, the cursor over the rank buckets. */
  readonly space: string;
  readonly key: string;
}

const LOCK = 'SELECT board, phase, space, key FROM {leaderboard_fills} WHERE project = $1 ORDER BY board FOR UPDATE';

const PUT = `
INSERT INTO {leaderboard_fills} (project, board, phase) VALUES ($1, $2, $3)
ON CONFLICT (project, board) DO UPDATE SET phase = excluded.phase, space = '', key = '', rank = '-Infinity', reached = 0, done = 0, total = NULL`;

const FORGET = 'DELETE FROM {leaderboard_fills} WHERE project = $1 AND board = $2';

const COUNT_ROWS = 'SELECT coalesce(sum(count), 0)::int AS count FROM {leaderboard_counts} WHERE project = $1 AND board = $2';

/** The fills of the project by board, locked until the transaction ends. */
export async function lockFills(tx: Transaction): Promise<ReadonlyMap<string, Fill>> {
  const rows = await tx.run<Fill>('fills-hold', LOCK, []);
  return new Map(rows.map((row) => [row.board, row]));
}

/** Whether the batch must write a change of a document into its board. If not, a later page does. */
export function follows(fill: Fill | undefined, document: Cursor): boolean {
  if (fill === undefined || fill.phase === 'buckets') return true;
  return fill.phase === 'rows' && hasPassed(fill, document);
}

/** Whether the board's rank buckets are already counted, so that every change must update them. */
export function areCounted(fill: Fill | undefined): boolean {
  return fill?.phase !== 'rows';
}

/** Starts a new board. Builds one over up to `atOnce` documents now, and leaves a larger one to pages. */
export async function begin(tx: Transaction, board: Board, fill: Fill | undefined, atOnce: number): Promise<void> {
  // A board that is still being removed is built again afterwards.
  if (fill !== undefined) return;
  const isMuch = await hasMoreThan(tx, board.collection, atOnce);
  await tx.run('fills-put', PUT, [board.id, 'rows']);
  if (isMuch) return;
  const catalog = { boards: new Map([[board.id, board]]) };
  while ((await fillStep(tx, catalog, MAX_PAGE, board.id)) !== null);
}

/** Removes a board that no query asks for. Removes one of up to `atOnce` rows now, and leaves a larger one to pages. */
export async function putAway(tx: Transaction, board: string, fill: Fill | undefined, atOnce: number): Promise<void> {
  const rows = fill === undefined ? await countOf(tx, 'boards-rows', COUNT_ROWS, [board]) : Number.POSITIVE_INFINITY;
  await tx.run('fills-put', PUT, [board, 'drop']);
  if (rows > atOnce) return;
  while ((await fillStep(tx, { boards: new Map() }, MAX_PAGE, board)) !== null);
}

interface FillRow extends Fill {
  readonly rank: number;
  readonly reached: number;
  readonly done: string;
  readonly total: string | null;
}

/** Boards to fill come before boards to remove, one after the other. */
const NEXT = `
SELECT board, phase, space, key, rank, reached::float8 AS reached, done, total FROM {leaderboard_fills}
WHERE project = $1 AND (phase = 'drop' OR board = ANY ($2::text[])) AND ($3 = '' OR board = $3) ORDER BY phase = 'drop', board LIMIT 1`;

const LOCK_ONE = `
SELECT board, phase, space, key, rank, reached::float8 AS reached, done, total FROM {leaderboard_fills} WHERE project = $1 AND board = $2 AND phase = $3 FOR UPDATE`;

const SET_TOTAL = 'UPDATE {leaderboard_fills} SET total = $3 WHERE project = $1 AND board = $2';

const MOVE = `
UPDATE {leaderboard_fills} SET phase = $3, space = $4, key = $5, rank = $6::double precision, reached = $7, done = done + $8
WHERE project = $1 AND board = $2`;

const BUILDING = `SELECT count(*)::int AS count FROM {leaderboard_fills} WHERE project = $1 AND phase <> 'drop'`;

export const filling: Filling = { step: fillStep, building: (tx) => countOf(tx, 'fills-building', BUILDING, []) };

async function fillStep(tx: Transaction, { boards }: Pick<Catalog, 'boards'>, size: number, only = ''): Promise<FillState | null> {
  const [next] = await tx.run<FillRow>('fills-next', NEXT, [[...boards.keys()], only]);
  if (next === undefined) return null;
  const { board: id, phase } = next;
  const board = boards.get(id);
  // Counts the documents before the board is locked, because counting takes a while.
  if (phase === 'rows' && next.total === null && board !== undefined) {
    return { of: id, phase, done: 0, total: await countTotal(tx, board), heldAt: null };
  }
  const [fill] = await tx.run<FillRow>('fills-hold-one', LOCK_ONE, [id, phase]);
  // Another page or a batch has changed the fill meanwhile.
  if (fill === undefined) return { of: id, phase, done: 0, total: null, heldAt: null };
  const heldAt = performance.now();
  const done = phase === 'drop' ? await dropRows(tx, id, size) : board === undefined ? 0 : await fillOn(tx, board, fill, size);
  return { of: id, phase, done: Number(fill.done) + done, total: fill.total === null ? null : Number(fill.total), heldAt };
}

async function countTotal(tx: Transaction, board: Board): Promise<number> {
  const total = await countDocuments(tx, board.collection);
  await tx.run('fills-total', SET_TOTAL, [board.id, total]);
  return total;
}

function fillOn(tx: Transaction, board: Board, fill: FillRow, size: number): Promise<number> {
  return fill.phase === 'rows' ? fillRows(tx, board, fill, size) : fillMarks(tx, board, fill);
}

const pageOf = (value: string, limit: number) => `
SELECT key, ${value} AS text, coalesce((reached ->> $6)::bigint, created_revision)::float8 AS reached FROM {documents}
WHERE project = $1 AND space = $2 AND collection = $3 AND key > $4 AND $5::text[] IS NOT NULL ORDER BY key LIMIT ${limit}`;

const MEMBER = `(SELECT CASE WHEN json_typeof(m.value) = 'number' THEN m.value #>> '{}' END FROM (SELECT document #> $5::text[] AS value OFFSET 0) m)`;

/**
 * Inserts without looking for existing rows: no batch writes beyond the cursor, so there are none. A look-up would take a third of the
 * time.
 */
const INSERT = `
WITH written AS (
  INSERT INTO {leaderboards} (project, board, space, key, value, rank, reached)
  SELECT $1, $2, $3, key, value, rank, reached
  FROM unnest($4::text[], $5::double precision[], $6::double precision[], $7::bigint[]) AS w (key, value, rank, reached))
INSERT INTO {leaderboard_counts} AS c (project, board, space, count) VALUES ($1, $2, $3, $8::bigint)
ON CONFLICT (project, board, space) DO UPDATE SET count = c.count + excluded.count`;

/** Adds the next documents in order: those of the cursor's space, then those of the next space. */
async function fillRows(tx: Transaction, board: Board, { space, key }: FillRow, size: number): Promise<number> {
  const move = (phase: Phase, to: BucketStart, done: number) =>
    tx.run('fills-move', MOVE, [board.id, phase, to.space, to.key, String(to.rank), to.reached, done]);
  const limit = pageSize(size);
  const page = space === '' ? [] : await readPage(tx, board, { space, key }, limit);
  const last = page.at(-1);
  if (last !== undefined) {
    await insert(tx, board, space, page);
    await move('rows', { ...BEFORE_ALL, space, key: last.key }, page.length);
  }
  if (page.length === limit) return page.length;
  const next = await spaceAfter(tx, space);
  if (next === null) {
    await move('buckets', BEFORE_ALL, 0);
  } else {
    await putFirstBucket(tx, board.id, next);
    await move('rows', { ...BEFORE_ALL, space: next }, 0);
  }
  return page.length;
}

interface Scanned {
  readonly key: string;
  readonly value: number | null;
  readonly reached: number;
}

async function readPage(tx: Transaction, board: Board, at: Cursor, limit: number): Promise<readonly Scanned[]> {
  const path = splitPath(board.path);
  // Postgres reads a number in the path as an index into an array, but a member path never enters arrays.
  const whole = board.schema !== null || path.some((name) => /^\s*[+-]?\d+\s*$/.test(name));
  const statement = pageOf(whole ? 'document::text' : MEMBER, limit);
  const values = [at.space, board.collection, at.key, path, board.path];
  const rows = await tx.run<{ key: string; text: string | null; reached: number }>(
    `fills-page-${whole ? 'whole' : 'member'}-${limit}`,
    statement,
    values,
  );
  return rows.map(({ key, text, reached }) => {
    if (text === null) return { key, value: null, reached };
    return { key, reached, value: whole ? boardMetric(parseStored(text), board.path, board.schema) : metricOf(Number(text)) };
  });
}

async function insert(tx: Transaction, board: Board, space: string, page: readonly Scanned[]): Promise<void> {
  const rows = page.flatMap(({ key, value, reached }) => (value === null ? [] : [{ key, value, reached, rank: rankOn(board, value) }]));
  if (rows.length === 0) return;
  await tx.run('fills-insert', INSERT, [
    board.id,
    space,
    rows.map(({ key }) => key),
    rows.map(({ value }) => value),
    rows.map(({ rank }) => rank),
    rows.map(({ reached }) => reached),
    rows.length,
  ]);
  const buckets = rows
    .filter(({ key }) => startsBucket(key))
    .map(({ key, rank, reached }) => ({ board: board.id, space, rank, reached, key }));
  await putBuckets(tx, buckets);
}

/** Counts the next rank buckets. After the last one the board is complete. */
async function fillMarks(tx: Transaction, board: Board, at: FillRow): Promise<number> {
  const last = await countBuckets(tx, board.id, at);
  if (last !== null) await tx.run('fills-move', MOVE, [board.id, 'buckets', last.space, last.key, String(last.rank), last.reached, 0]);
  else await complete(tx, board.id);
  return 0;
}

async function complete(tx: Transaction, board: string): Promise<void> {
  await dropEmpty(tx, board);
  await dropZeros(tx);
  await tx.run('fills-forget', FORGET, [board]);
}

/** Deletes rows by their physical position (ctid). A join on the key would be planned by statistics, which a new table does not have. */
const DROP_PAGE = (limit: number) => `
DELETE FROM {leaderboards} WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {leaderboards} WHERE project = $1 AND board = $2 ORDER BY space, key LIMIT ${limit})) RETURNING 1`;

const DROP_REST = `
WITH counts AS (DELETE FROM {leaderboard_counts} WHERE project = $1 AND board = $2)
DELETE FROM {leaderboard_buckets} WHERE project = $1 AND board = $2`;

const QUERIED = 'SELECT FROM {leaderboard_queries} WHERE project = $1 AND board = $2 LIMIT 1';

async function dropRows(tx: Transaction, board: string, size: number): Promise<number> {
  const limit = pageSize(size);
  const gone = await tx.run(`fills-drop-${limit}`, DROP_PAGE(limit), [board]);
  if (gone.length === limit) return gone.length;
  await tx.run('fills-drop-rest', DROP_REST, [board]);
  // A publish may have asked for the board again meanwhile.
  const queried = await tx.run('fills-asked', QUERIED, [board]);
  if (queried.length > 0) await tx.run('fills-put', PUT, [board, 'rows']);
  else await tx.run('fills-forget', FORGET, [board]);
  return gone.length;
}
