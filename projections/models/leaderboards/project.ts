import { boardMetric, metricOf } from '../../../src/domain/query/board-metric.ts';
import { type JsonObject, parseStored } from '../../../src/kernel/json.ts';
import { splitPath } from '../../../src/kernel/path.ts';
import type { Batch, DocumentChange, Projection } from '../../batch.ts';
import type { Board, Catalog } from '../../catalog.ts';
import { rowsInPages } from '../../rows-in-pages.ts';
import type { Session } from '../../tables.ts';
import { type Moved, moveMarks } from './marks.ts';

/**
 * Answers the rows that came and went: a row whose value stays is left alone, index entries and all. The old values are those of the
 * statement's own snapshot. They are looked up by an order, not by equality: without statistics, as on a young board, Postgres takes the
 * index by rank for as good as the one by key, and reads the whole board for every row (measured: minutes for 100 000).
 * And they are looked up first, or every look would pass the rows that this statement has just written.
 */
const UPSERT = `
WITH w AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::double precision[], $6::double precision[]) AS w (board, space, key, value, rank)),
old AS MATERIALIZED (
  SELECT w.board, w.space, w.key, l.rank FROM w, LATERAL (
    SELECT l.key, l.value, l.rank FROM {leaderboards} l
    WHERE l.project = $1 AND l.board = w.board AND l.space = w.space AND l.key >= w.key AND l.key <= w.key
    ORDER BY l.project, l.board, l.space, l.key LIMIT 1) l
  WHERE l.key = w.key AND l.value <> w.value),
written AS (
  INSERT INTO {leaderboards} AS l (project, board, space, key, value, rank)
  SELECT $1, board, space, key, value, rank FROM w WHERE (SELECT count(*) FROM old) >= 0
  ON CONFLICT (project, board, space, key) DO UPDATE SET value = excluded.value, rank = excluded.rank WHERE l.value <> excluded.value
  RETURNING board, space, key, rank, xmax = 0 AS added),
counted AS (
  INSERT INTO {leaderboard_counts} AS c (project, board, space, count)
  SELECT $1, board, space, count(*) FROM written WHERE added GROUP BY board, space
  ON CONFLICT (project, board, space) DO UPDATE SET count = c.count + excluded.count)
SELECT board, space, rank, key, 1 AS change FROM written UNION ALL SELECT board, space, rank, key, -1 FROM old`;

const DELETE = `
WITH gone AS (
  DELETE FROM {leaderboards} l USING unnest($2::text[], $3::text[], $4::text[]) AS w (board, space, key)
  WHERE l.project = $1 AND l.board = w.board AND l.space = w.space AND l.key = w.key
  RETURNING l.board, l.space, l.rank, l.key),
counted AS (
  UPDATE {leaderboard_counts} c SET count = c.count - g.count
  FROM (SELECT board, space, count(*) AS count FROM gone GROUP BY board, space) g
  WHERE c.project = $1 AND c.board = g.board AND c.space = g.space)
SELECT board, space, rank, key, -1 AS change FROM gone`;

const DELETE_ZEROS = 'DELETE FROM {leaderboard_counts} WHERE project = $1 AND count = 0';

const DROP_BOARDS = `
WITH counts AS (DELETE FROM {leaderboard_counts} WHERE project = $1 AND board = ANY ($2)),
marks AS (DELETE FROM {leaderboard_marks} WHERE project = $1 AND board = ANY ($2))
DELETE FROM {leaderboards} WHERE project = $1 AND board = ANY ($2)`;

const CLEAR_QUERIES = 'DELETE FROM {leaderboard_queries} WHERE project = $1';

const PUT_QUERIES = `
INSERT INTO {leaderboard_queries} (project, query, hash, board, collection, descending)
SELECT $1, query, hash, board, collection, descending
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[]) AS w (query, hash, board, collection, descending)`;

/** `OFFSET 0` keeps the member from being looked for twice in every document. */
const SCAN = `
SELECT space, key, m.value #>> '{}' AS text
FROM {documents}, LATERAL (SELECT document #> $3::text[] AS value OFFSET 0) m
WHERE project = $1 AND collection = $2 AND json_typeof(m.value) = 'number'`;

const SCAN_WHOLE = `
SELECT space, key, document::text AS text FROM {documents}
WHERE project = $1 AND collection = $2 AND document IS NOT NULL AND $3::text[] IS NOT NULL`;

interface Row {
  readonly board: Board;
  readonly space: string;
  readonly key: string;
  readonly value: number;
}

interface Scanned {
  readonly space: string;
  readonly key: string;
  readonly text: string;
}

/** Moves with the documents; a board that a publish brings is made out of the documents as they then are. */
export const leaderboards: Projection = {
  name: 'leaderboards',
  kind: 'view',
  derived: true,
  async project(batch, session) {
    const { before, after } = batch.catalog;
    const known = batch.wiped ? new Map<string, Board>() : before.boards;
    if (batch.wiped || before !== after) await changeBoards(session, known, after);
    await follow(session, batch, known);
    for (const board of after.boards.values()) if (!known.has(board.id)) await fill(session, board);
  },
  async reindex(session, catalog) {
    await session.wipe('leaderboards');
    await putQueries(session, catalog);
    for (const board of catalog.boards.values()) await fill(session, board);
  },
};

async function changeBoards(session: Session, known: ReadonlyMap<string, Board>, after: Catalog): Promise<void> {
  const dropped = [...known.keys()].filter((id) => !after.boards.has(id));
  if (dropped.length > 0) await session.run('boards-drop', DROP_BOARDS, [dropped]);
  await session.run('queries-clear', CLEAR_QUERIES, []);
  await putQueries(session, after);
}

async function putQueries(session: Session, { queries }: Catalog): Promise<void> {
  const rows = [...queries.values()];
  if (rows.length === 0) return;
  await session.run('queries-put', PUT_QUERIES, [
    rows.map((row) => row.query),
    rows.map((row) => row.hash),
    rows.map((row) => row.board.id),
    rows.map((row) => row.board.collection),
    rows.map((row) => row.board.descending),
  ]);
}

/** Carries the batch's documents into the boards that were there before it and still are. */
async function follow(session: Session, batch: Batch, known: ReadonlyMap<string, Board>): Promise<void> {
  const rows: Row[] = [];
  const gone: Omit<Row, 'value'>[] = [];
  for (const document of batch.documents) {
    for (const board of batch.catalog.after.byCollection.get(document.collection) ?? []) {
      if (!known.has(board.id)) continue;
      const value = metricIn(document, board);
      if (value === null) gone.push({ board, space: document.space, key: document.key });
      else rows.push({ board, space: document.space, key: document.key, value });
    }
  }
  await upsert(session, rows);
  await remove(session, gone);
}

function metricIn({ state: { document } }: DocumentChange, board: Board): number | null {
  return document === null ? null : metricOfDocument(document, board);
}

async function upsert(session: Session, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const moved = await session.run<Moved>('boards-upsert', UPSERT, [
    rows.map((row) => row.board.id),
    rows.map((row) => row.space),
    rows.map((row) => row.key),
    rows.map((row) => row.value),
    rows.map((row) => rankOf(row)),
  ]);
  await moveMarks(session, moved);
}

/** Zero has one sign: -0 would be another row than 0 to the marks, and the same to the index. */
function rankOf({ board, value }: Row): number {
  return (board.descending ? -value : value) + 0;
}

async function remove(session: Session, gone: readonly Omit<Row, 'value'>[]): Promise<void> {
  if (gone.length === 0) return;
  const values = [gone.map((row) => row.board.id), gone.map((row) => row.space), gone.map((row) => row.key)];
  await moveMarks(session, await session.run<Moved>('boards-delete', DELETE, values));
  await session.run('boards-zeros', DELETE_ZEROS, []);
}

function metricOfDocument(document: JsonObject, { schema, path }: Board): number | null {
  return boardMetric(document, path, schema);
}

/** Makes a board's rows out of all documents of its collection, in every space. */
async function fill(session: Session, board: Board): Promise<void> {
  // Postgres would read a number in the path as an index into an array; a member path never enters arrays.
  const whole = board.schema !== null || splitPath(board.path).some((name) => /^\s*[+-]?\d+\s*$/.test(name));
  const scan = rowsInPages<Scanned>(session, whole ? SCAN_WHOLE : SCAN, [board.collection, splitPath(board.path)]);
  for await (const page of scan) {
    const rows: Row[] = [];
    for (const { space, key, text } of page) {
      const value = whole ? metricOfDocument(parseStored(text), board) : metricOf(Number(text));
      if (value !== null) rows.push({ board, space, key, value });
    }
    await upsert(session, rows);
  }
}
