import { boardMetric } from '../../../src/domain/query/board-metric.ts';
import type { Batch, DocumentChange, Projection } from '../../batch.ts';
import type { Board, Catalog } from '../../catalog.ts';
import type { Transaction } from '../../tables.ts';
import { type Row, remove, upsert } from './changes.ts';
import { areCounted, begin, type Fill, filling, follows, lockFills, putAway } from './fill.ts';

const KNOWN_BOARDS = 'SELECT DISTINCT board FROM {leaderboard_queries} WHERE project = $1';

const CLEAR_QUERIES = 'DELETE FROM {leaderboard_queries} WHERE project = $1';

const PUT_QUERIES = `
INSERT INTO {leaderboard_queries} (project, query, hash, board, collection, descending)
SELECT $1, query, hash, board, collection, descending
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[]) AS w (query, hash, board, collection, descending)`;

/**
 * Boards change with the documents. A board that a publish asks for is built from the documents of that moment, at once or in pages; see
 * fills.ts.
 */
export const leaderboards: Projection = {
  name: 'leaderboards',
  kind: 'view',
  derived: true,
  filling,
  async project(batch, tx) {
    const { before, after } = batch.catalog;
    const isSame = before === after && !batch.wiped;
    if (isSame && after.boards.size === 0) return;
    const fills = await lockFills(tx);
    // The boards that the tables hold. A view that catches up by itself does not know the definitions before the batch, so it reads them.
    const known = isSame ? new Set(after.boards.keys()) : await knownBoards(tx);
    if (!isSame) await changeQueries(tx, after);
    await follow(tx, batch, known, fills);
    if (isSame) return;
    for (const id of known) if (!after.boards.has(id)) await putAway(tx, id, fills.get(id), batch.atOnce);
    for (const board of after.boards.values()) {
      if (!known.has(board.id)) await begin(tx, board, fills.get(board.id), batch.atOnce);
    }
  },
};

async function knownBoards(tx: Transaction): Promise<ReadonlySet<string>> {
  const rows = await tx.run<{ board: string }>('boards-known', KNOWN_BOARDS, []);
  return new Set(rows.map(({ board }) => board));
}

async function changeQueries(tx: Transaction, { queries }: Catalog): Promise<void> {
  await tx.run('queries-clear', CLEAR_QUERIES, []);
  const rows = [...queries.values()];
  if (rows.length === 0) return;
  await tx.run('queries-put', PUT_QUERIES, [
    rows.map((row) => row.query),
    rows.map((row) => row.hash),
    rows.map((row) => row.board.id),
    rows.map((row) => row.board.collection),
    rows.map((row) => row.board.descending),
  ]);
}

/** Writes the batch's documents into the boards that existed before the batch and still exist, each as far as it is filled. */
async function follow(tx: Transaction, batch: Batch, known: ReadonlySet<string>, fills: ReadonlyMap<string, Fill>): Promise<void> {
  const rows: Row[] = [];
  const gone: Omit<Row, 'value' | 'reached'>[] = [];
  for (const document of batch.documents) {
    for (const board of batch.catalog.after.byCollection.get(document.collection) ?? []) {
      if (!known.has(board.id) || !follows(fills.get(board.id), document)) continue;
      const value = metricIn(document, board);
      if (value === null) gone.push({ board, space: document.space, key: document.key });
      else rows.push({ board, space: document.space, key: document.key, value, reached: reachedIn(document, board) });
    }
  }
  for (const counted of [true, false]) {
    const isSo = ({ board }: { readonly board: Board }) => areCounted(fills.get(board.id)) === counted;
    await upsert(tx, rows.filter(isSo), counted);
    await remove(tx, gone.filter(isSo), counted);
  }
}

/** `null`: the batch has not changed the number, so what the tables say of it counts. */
function reachedIn({ reached, begun, createdRevision }: DocumentChange, { path }: Board): number | null {
  return reached[path] ?? (begun === 'here' ? createdRevision : null);
}

function metricIn({ state: { document } }: DocumentChange, board: Board): number | null {
  return document === null ? null : boardMetric(document, board.path, board.schema);
}
