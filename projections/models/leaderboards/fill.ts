import { boardMetric, metricOf } from '../../../src/domain/query/board-metric.ts';
import { parseStored } from '../../../src/kernel/json.ts';
import { splitPath } from '../../../src/kernel/path.ts';
import type { DocumentChange } from '../../batch.ts';
import type { Board, Catalog } from '../../catalog.ts';
import type { Session } from '../../tables.ts';
import { dropZeros, rankOn } from './changes.ts';
import { countBlocks, dropEmpty, isMark, NO_PLACE, type Place, putMarks } from './marks.ts';

/**
 * Boards over many documents are filled beside the lane, in committed pages, and taken away so. A row of `leaderboard_fills` says how
 * far a board is: the documents up to its *cursor*, by space and key, are on it, and the batches keep those current; later ones are met
 * by the pages. Both hold that row while they work, and a page reads the documents after it has it, so none falls between them: what a
 * batch has not committed when the cursor passes it, that batch finds behind the cursor. Marks are set with the rows, and counted once
 * all rows are there; until then their counts mean nothing.
 */

/** Which part of its way a board is on: `drop` ends without it. */
export type Phase = 'rows' | 'marks' | 'drop';

export interface Fill {
  readonly board: string;
  readonly phase: Phase;
  /** The cursor; of the marks in the phase `marks`. */
  readonly space: string;
  readonly key: string;
}

/** With more documents a board is not made, and with more rows not taken away, inside a batch. */
export const AT_ONCE = 1_000;

const HOLD = 'SELECT board, phase, space, key FROM {leaderboard_fills} WHERE project = $1 ORDER BY board FOR UPDATE';

const PUT = `
INSERT INTO {leaderboard_fills} (project, board, phase) VALUES ($1, $2, $3)
ON CONFLICT (project, board) DO UPDATE SET phase = excluded.phase, space = '', key = '', rank = '-Infinity', done = 0, total = NULL`;

const FORGET = 'DELETE FROM {leaderboard_fills} WHERE project = $1 AND board = $2';

/** Step by step over the index: a condition on the collection alone would read the keys of all others. */
const SPACES = `
WITH RECURSIVE s (space) AS (
  (SELECT space FROM {documents} WHERE project = $1 ORDER BY space LIMIT 1)
  UNION ALL
  SELECT (SELECT d.space FROM {documents} d WHERE d.project = $1 AND d.space > s.space ORDER BY d.space LIMIT 1) FROM s WHERE s.space IS NOT NULL)
SELECT space FROM s WHERE space IS NOT NULL`;

const COUNT_SOME = `
SELECT count(*)::int AS count FROM (
  SELECT FROM {documents} WHERE project = $1 AND space = ANY ($2::text[]) AND collection = $3 LIMIT $4) d`;

const COUNT_DOCUMENTS =
  'SELECT count(*)::int AS count FROM {documents} WHERE project = $1 AND space = ANY ($2::text[]) AND collection = $3';

const COUNT_ROWS = 'SELECT coalesce(sum(count), 0)::int AS count FROM {leaderboard_counts} WHERE project = $1 AND board = $2';

/** The fills of the project, held until the transaction ends, by board. */
export async function holdFills(session: Session): Promise<ReadonlyMap<string, Fill>> {
  const rows = await session.run<Fill>('fills-hold', HOLD, []);
  return new Map(rows.map((row) => [row.board, row]));
}

/** Whether a change of a document is for the batch to carry into its board. Keys and spaces are of letters that sort as their codes do. */
export function follows(fill: Fill | undefined, { space, key }: Pick<DocumentChange, 'space' | 'key'>): boolean {
  if (fill === undefined || fill.phase === 'marks') return true;
  return fill.phase === 'rows' && (space < fill.space || (space === fill.space && key <= fill.key));
}

/** A board that was not there: of up to `atOnce` documents it is made now, else it is left to the pages. */
export async function begin(session: Session, board: Board, fill: Fill | undefined, atOnce: number): Promise<void> {
  // One that is still being taken away begins again after that.
  if (fill !== undefined) return;
  const some = [await spacesOf(session), board.collection, Math.min(atOnce + 1, 2 ** 31)];
  const count = atOnce === Number.POSITIVE_INFINITY ? 0 : await countOf(session, 'fills-some', COUNT_SOME, some);
  await session.run('fills-put', PUT, [board.id, 'rows']);
  if (count > atOnce) return;
  const catalog = { boards: new Map([[board.id, board]]) };
  while ((await fillStep(session, catalog, LARGEST_PAGE, board.id)) !== null);
}

/** A board that no query asks for any more: of up to `atOnce` rows it goes now. A fresh fold leaves nothing to the pages, which nobody does there. */
export async function putAway(session: Session, board: string, fill: Fill | undefined, atOnce: number): Promise<void> {
  const rows = fill === undefined ? await countOf(session, 'boards-rows', COUNT_ROWS, [board]) : Number.POSITIVE_INFINITY;
  await session.run('fills-put', PUT, [board, 'drop']);
  if (rows > atOnce) return;
  while ((await fillStep(session, { boards: new Map() }, LARGEST_PAGE, board)) !== null);
}

async function spacesOf(session: Session): Promise<readonly string[]> {
  return (await session.run<{ space: string }>('fills-spaces', SPACES, [])).map(({ space }) => space);
}

async function countOf(session: Session, name: string, statement: string, values: readonly unknown[]): Promise<number> {
  return (await session.run<{ count: number }>(name, statement, values))[0]?.count ?? 0;
}

/** How far the boards of a project are that are not complete. */
export interface FillState {
  readonly board: string;
  readonly phase: Phase;
  readonly done: number;
  /** `null` until they were counted. */
  readonly total: number | null;
  /** Boards of the project that are being built, this one included. */
  readonly building: number;
}

interface FillRow extends Fill {
  readonly building: number;
  readonly rank: number;
  readonly done: string;
  readonly total: string | null;
}

/** What is being built before what is being taken away, one board after the other. */
const NEXT = `
SELECT board, phase, space, key, rank, done, total,
  (SELECT count(*)::int FROM {leaderboard_fills} WHERE project = $1 AND phase <> 'drop') AS building
FROM {leaderboard_fills} WHERE project = $1 AND (phase = 'drop' OR board = ANY ($2::text[])) AND ($3 = '' OR board = $3) ORDER BY phase = 'drop', board LIMIT 1`;

const HOLD_ONE = `
SELECT board, phase, space, key, rank, done, total FROM {leaderboard_fills} WHERE project = $1 AND board = $2 AND phase = $3 FOR UPDATE`;

const SET_TOTAL = 'UPDATE {leaderboard_fills} SET total = $3 WHERE project = $1 AND board = $2';

const MOVE = `
UPDATE {leaderboard_fills} SET phase = $3, space = $4, key = $5, rank = $6::double precision, done = done + $7 WHERE project = $1 AND board = $2`;

/**
 * One page of the work that is to do: `size` documents at most. Answers how it now stands, `null` when there is nothing to do. The
 * transaction should end soon after: it holds up the batches of the project's boards. `only`: of this board.
 */
export async function fillStep(session: Session, { boards }: Pick<Catalog, 'boards'>, size: number, only = ''): Promise<FillState | null> {
  const [next] = await session.run<FillRow>('fills-next', NEXT, [[...boards.keys()], only]);
  if (next === undefined) return null;
  const { board: id, phase, building } = next;
  const board = boards.get(id);
  // Counted before it is held: that takes a while.
  if (phase === 'rows' && next.total === null && board !== undefined) {
    return { board: id, phase, done: 0, total: await countTotal(session, board), building };
  }
  const [fill] = await session.run<FillRow>('fills-hold-one', HOLD_ONE, [id, phase]);
  // Another step, or a batch, has taken it further meanwhile.
  if (fill === undefined) return { board: id, phase, done: 0, total: null, building };
  const done = phase === 'drop' ? await dropRows(session, id, size) : board === undefined ? 0 : await fillOn(session, board, fill, size);
  return { board: id, phase, done: Number(fill.done) + done, total: fill.total === null ? null : Number(fill.total), building };
}

async function countTotal(session: Session, board: Board): Promise<number> {
  const total = await countOf(session, 'fills-count', COUNT_DOCUMENTS, [await spacesOf(session), board.collection]);
  await session.run('fills-total', SET_TOTAL, [board.id, total]);
  return total;
}

function fillOn(session: Session, board: Board, fill: FillRow, size: number): Promise<number> {
  return fill.phase === 'rows' ? fillRows(session, board, fill, size) : fillMarks(session, board, fill);
}

const NEXT_SPACE = 'SELECT space FROM {documents} WHERE project = $1 AND space > $2 ORDER BY space LIMIT 1';

/** Limits are literals, of few sizes: Postgres cannot guess what a parameter will be, and would sort the whole collection for a page. */
const PAGE_SIZES = [1, 4, 16, 64, 250, 1_000, 4_000];
/** The largest page. */
export const LARGEST_PAGE = 4_000;
/** No page is smaller, however slow the machine: a page costs as much as so many of its rows. */
export const LEAST_PAGE = 64;

const pageOf = (value: string, limit: number) => `
SELECT key, ${value} AS text FROM {documents}
WHERE project = $1 AND space = $2 AND collection = $3 AND key > $4 AND $5::text[] IS NOT NULL ORDER BY key LIMIT ${limit}`;

const MEMBER = `(SELECT CASE WHEN json_typeof(m.value) = 'number' THEN m.value #>> '{}' END FROM (SELECT document #> $5::text[] AS value OFFSET 0) m)`;

/** The rows come in order of their keys, and none of them is there yet. */
const INSERT = `
WITH written AS (
  INSERT INTO {leaderboards} AS l (project, board, space, key, value, rank)
  SELECT $1, $2, $3, key, value, rank FROM unnest($4::text[], $5::double precision[], $6::double precision[]) AS w (key, value, rank)
  ON CONFLICT (project, board, space, key) DO UPDATE SET value = excluded.value, rank = excluded.rank
  RETURNING xmax = 0 AS added)
INSERT INTO {leaderboard_counts} AS c (project, board, space, count)
SELECT $1, $2, $3, count(*) FROM written WHERE added HAVING count(*) > 0
ON CONFLICT (project, board, space) DO UPDATE SET count = c.count + excluded.count`;

/** The next documents in order: of the space that the cursor is in, and of the next one when that has no more. */
async function fillRows(session: Session, board: Board, { space, key }: FillRow, size: number): Promise<number> {
  const move = (phase: Phase, to: Place, done: number) =>
    session.run('fills-move', MOVE, [board.id, phase, to.space, to.key, String(to.rank), done]);
  const limit = PAGE_SIZES.findLast((one) => one <= size) ?? 1;
  const page = space === '' ? [] : await readPage(session, board, { space, key }, limit);
  const last = page.at(-1);
  if (last !== undefined) {
    await insert(session, board, space, page);
    await move('rows', { ...NO_PLACE, space, key: last.key }, page.length);
  }
  if (page.length === limit) return page.length;
  const [next] = await session.run<{ space: string }>('fills-space', NEXT_SPACE, [space]);
  if (next === undefined) await move('marks', NO_PLACE, 0);
  else await move('rows', { ...NO_PLACE, space: next.space }, 0);
  return page.length;
}

interface Scanned {
  readonly key: string;
  readonly value: number | null;
}

async function readPage(session: Session, board: Board, at: Omit<Place, 'rank'>, limit: number): Promise<readonly Scanned[]> {
  const path = splitPath(board.path);
  // Postgres would read a number in the path as an index into an array; a member path never enters arrays.
  const whole = board.schema !== null || path.some((name) => /^\s*[+-]?\d+\s*$/.test(name));
  const statement = pageOf(whole ? 'document::text' : MEMBER, limit);
  const values = [at.space, board.collection, at.key, path];
  const rows = await session.run<{ key: string; text: string | null }>(
    `fills-page-${whole ? 'whole' : 'member'}-${limit}`,
    statement,
    values,
  );
  return rows.map(({ key, text }) => {
    if (text === null) return { key, value: null };
    return { key, value: whole ? boardMetric(parseStored(text), board.path, board.schema) : metricOf(Number(text)) };
  });
}

async function insert(session: Session, board: Board, space: string, page: readonly Scanned[]): Promise<void> {
  const rows = page.flatMap(({ key, value }) => (value === null ? [] : [{ key, value, rank: rankOn(board, value) }]));
  if (rows.length === 0) return;
  await session.run('fills-insert', INSERT, [
    board.id,
    space,
    rows.map(({ key }) => key),
    rows.map(({ value }) => value),
    rows.map(({ rank }) => rank),
  ]);
  const marks = rows.filter(({ key }) => isMark(key)).map(({ key, rank }) => ({ board: board.id, space, rank, key }));
  await putMarks(session, { board: board.id, space }, marks);
}

/** Counts the next marks. Behind the last one the board is complete. */
async function fillMarks(session: Session, board: Board, { space, rank, key }: FillRow): Promise<number> {
  const last = await countBlocks(session, board.id, { space, rank, key });
  if (last !== null) await session.run('fills-move', MOVE, [board.id, 'marks', last.space, last.key, String(last.rank), 0]);
  else await complete(session, board.id);
  return 0;
}

async function complete(session: Session, board: string): Promise<void> {
  await dropEmpty(session, board);
  await dropZeros(session);
  await session.run('fills-forget', FORGET, [board]);
}

const DROP_PAGE = (limit: number) => `
DELETE FROM {leaderboards} l USING (
  SELECT space, key FROM {leaderboards} WHERE project = $1 AND board = $2 ORDER BY space, key LIMIT ${limit}) w
WHERE l.project = $1 AND l.board = $2 AND l.space = w.space AND l.key = w.key RETURNING 1`;

const DROP_REST = `
WITH counts AS (DELETE FROM {leaderboard_counts} WHERE project = $1 AND board = $2)
DELETE FROM {leaderboard_marks} WHERE project = $1 AND board = $2`;

const ASKED = 'SELECT FROM {leaderboard_queries} WHERE project = $1 AND board = $2 LIMIT 1';

async function dropRows(session: Session, board: string, size: number): Promise<number> {
  const limit = PAGE_SIZES.findLast((one) => one <= size) ?? 1;
  const gone = await session.run(`fills-drop-${limit}`, DROP_PAGE(limit), [board]);
  if (gone.length === limit) return gone.length;
  await session.run('fills-drop-rest', DROP_REST, [board]);
  // A publish may have brought it back meanwhile.
  const asked = await session.run('fills-asked', ASKED, [board]);
  if (asked.length > 0) await session.run('fills-put', PUT, [board, 'rows']);
  else await session.run('fills-forget', FORGET, [board]);
  return gone.length;
}
