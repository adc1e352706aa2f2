import { listedAt } from '../../../src/domain/record/listed-at.ts';
import type { Filling, FillState } from '../../batch.ts';
import { type Cursor, countDocuments, countOf, hasMoreThan, hasPassed, MAX_PAGE, pageSize, spaceAfter, spacesOf } from '../../fills.ts';
import type { Transaction } from '../../tables.ts';
import { remove, upsert } from './rows.ts';

/**
 * Fills the list of a collection that becomes global in pages, and removes the list of one that stops being global in the same way; see
 * fills.ts.
 */

/** The phase of a list. After `drop` the list is gone. */
type Phase = 'rows' | 'complete' | 'drop';

interface List {
  readonly collection: string;
  readonly phase: Phase;
  /** The cursor. */
  readonly space: string;
  readonly key: string;
}

const LOCK = `
SELECT collection, phase, space, key FROM {record_lists} WHERE project = $1 AND phase <> 'complete' ORDER BY collection FOR UPDATE`;

const LISTED = `SELECT collection FROM {record_lists} WHERE project = $1 AND phase <> 'drop'`;

const PUT = `
INSERT INTO {record_lists} (project, collection, phase) VALUES ($1, $2, $3)
ON CONFLICT (project, collection) DO UPDATE SET phase = excluded.phase, space = '', key = '', done = 0, total = NULL`;

const FORGET = 'DELETE FROM {record_lists} WHERE project = $1 AND collection = $2';

const SOME_ROWS = `
SELECT count(*)::int AS count FROM (
  SELECT FROM {records} WHERE project = $1 AND space = ANY ($2::text[]) AND collection = $3 LIMIT $4) r`;

/** The lists that are not complete, locked until the transaction ends. */
export async function lockLists(tx: Transaction): Promise<ReadonlyMap<string, List>> {
  const rows = await tx.run<List>('lists-hold', LOCK, []);
  return new Map(rows.map((row) => [row.collection, row]));
}

/** Collections that have a list, complete or not. */
export async function listedCollections(tx: Transaction): Promise<ReadonlySet<string>> {
  const rows = await tx.run<Pick<List, 'collection'>>('lists-listed', LISTED, []);
  return new Set(rows.map(({ collection }) => collection));
}

/** Whether the batch must write a change of a document into its list. If not, a later page does. */
export function follows(list: List | undefined, document: Cursor): boolean {
  return list === undefined || (list.phase === 'rows' && hasPassed(list, document));
}

/**
 * Starts the list of a collection that had none. Builds one over up to `atOnce` documents now, and leaves a larger one to pages. Rows of an
 * earlier list do no harm: a deleted document keeps a row, and the page that reaches it corrects its row in the list.
 */
export async function begin(tx: Transaction, collection: string, atOnce: number): Promise<void> {
  const isMuch = await hasMoreThan(tx, collection, atOnce);
  await tx.run('lists-put', PUT, [collection, 'rows']);
  if (!isMuch) await finish(tx, collection);
}

/** Removes the list of a collection that is no longer listed. Removes one of up to `atOnce` rows now, and leaves a larger one to pages. */
export async function putAway(tx: Transaction, collection: string, atOnce: number): Promise<void> {
  const some = [await spacesOf(tx), collection, Math.min(atOnce + 1, 2 ** 31)];
  const rows = await countOf(tx, 'lists-some', SOME_ROWS, some);
  await tx.run('lists-put', PUT, [collection, 'drop']);
  if (rows <= atOnce) await finish(tx, collection);
}

async function finish(tx: Transaction, collection: string): Promise<void> {
  while ((await step(tx, {}, MAX_PAGE, collection)) !== null);
}

interface ListRow extends List {
  readonly done: string;
  readonly total: string | null;
}

/** Lists to fill come before lists to remove, one after the other. */
const NEXT = `
SELECT collection, phase, space, key, done, total FROM {record_lists}
WHERE project = $1 AND phase <> 'complete' AND ($2 = '' OR collection = $2) ORDER BY phase = 'drop', collection LIMIT 1`;

const LOCK_ONE = `
SELECT collection, phase, space, key, done, total FROM {record_lists} WHERE project = $1 AND collection = $2 AND phase = $3 FOR UPDATE`;

const SET_TOTAL = 'UPDATE {record_lists} SET total = $3 WHERE project = $1 AND collection = $2';

const MOVE = 'UPDATE {record_lists} SET space = $3, key = $4, done = done + $5 WHERE project = $1 AND collection = $2';

const BUILDING = `SELECT count(*)::int AS count FROM {record_lists} WHERE project = $1 AND phase = 'rows'`;

export const filling: Filling = { step, building: (tx) => countOf(tx, 'lists-building', BUILDING, []) };

async function step(tx: Transaction, _: object, size: number, only = ''): Promise<FillState | null> {
  const [next] = await tx.run<ListRow>('lists-next', NEXT, [only]);
  if (next === undefined) return null;
  const { collection, phase } = next;
  // Counts the documents before the list is locked, because counting takes a while.
  if (phase === 'rows' && next.total === null) {
    const total = await countDocuments(tx, collection);
    await tx.run('lists-total', SET_TOTAL, [collection, total]);
    return { of: collection, phase, done: 0, total, heldAt: null };
  }
  const [list] = await tx.run<ListRow>('lists-hold-one', LOCK_ONE, [collection, phase]);
  // Another page or a batch has changed the list meanwhile.
  if (list === undefined) return { of: collection, phase, done: 0, total: null, heldAt: null };
  const heldAt = performance.now();
  const done = await walk(tx, list, pageSize(size));
  return { of: collection, phase, done: Number(list.done) + done, total: list.total === null ? null : Number(list.total), heldAt };
}

/** Walks the next keys in order: those of the cursor's space, then those of the next space. */
async function walk(tx: Transaction, list: List, limit: number): Promise<number> {
  const { collection, phase, space } = list;
  const move = (to: Cursor, count: number) => tx.run('lists-move', MOVE, [collection, to.space, to.key, count]);
  const keys = space === '' ? [] : await (phase === 'drop' ? dropPage(tx, list, limit) : makePage(tx, list, limit));
  const last = keys.at(-1);
  if (last !== undefined) await move({ space, key: last }, keys.length);
  if (keys.length === limit) return keys.length;
  const next = await spaceAfter(tx, space);
  if (next !== null) await move({ space: next, key: '' }, 0);
  else if (phase === 'drop') await tx.run('lists-forget', FORGET, [collection]);
  else await tx.run('lists-put', PUT, [collection, 'complete']);
  return keys.length;
}

const PAGE = (limit: number) => `
SELECT key, created_revision, document IS NULL AS gone, document->>'_timestamp' AS stamp, json_typeof(document->'_timestamp') AS kind
FROM {documents} WHERE project = $1 AND space = $2 AND collection = $3 AND key > $4 ORDER BY key LIMIT ${limit}`;

interface Scanned {
  readonly key: string;
  readonly created_revision: string;
  readonly gone: boolean;
  readonly stamp: string | null;
  readonly kind: string | null;
}

async function makePage(tx: Transaction, { collection, space, key }: List, limit: number): Promise<readonly string[]> {
  const rows = await tx.run<Scanned>(`lists-page-${limit}`, PAGE(limit), [space, collection, key]);
  await remove(
    tx,
    rows.filter(({ gone }) => gone).map((row) => ({ space, collection, key: row.key })),
  );
  await upsert(
    tx,
    rows
      .filter(({ gone }) => !gone)
      .map((row) => ({
        space,
        collection,
        key: row.key,
        listedAt: listedAt(row.kind === 'number' ? Number(row.stamp) : row.kind === 'string' ? (row.stamp ?? '') : undefined),
        sequence: Number(row.created_revision),
      })),
  );
  return rows.map((row) => row.key);
}

/** Deletes rows by their physical position (ctid). A join on the key would be planned by statistics, which a new table does not have. */
const DROP_PAGE = (limit: number) => `
WITH w AS MATERIALIZED (
  SELECT record_id, ctid AS place FROM {records}
  WHERE project = $1 AND space = $2 AND collection = $3 AND record_id > $4 ORDER BY record_id LIMIT ${limit}),
gone AS (DELETE FROM {records} WHERE ctid = ANY (ARRAY(SELECT place FROM w)))
SELECT record_id AS key FROM w ORDER BY record_id`;

async function dropPage(tx: Transaction, { collection, space, key }: List, limit: number): Promise<readonly string[]> {
  const rows = await tx.run<{ key: string }>(`lists-drop-${limit}`, DROP_PAGE(limit), [space, collection, key]);
  return rows.map((row) => row.key);
}
