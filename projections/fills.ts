import type { FillState, Projection } from './batch.ts';
import type { Catalog } from './catalog.ts';
import type { Transaction } from './tables.ts';

/**
 * A publish may ask for a board or a list over many documents, such as a new leaderboard. It is *filled* beside the worker in committed
 * pages, and removed in the same way. A row keeps its progress: the list holds the documents up to its *cursor*, by space and key. Batches
 * keep those documents current; the pages add the later ones. Batch and page both lock that row while they work, and a page reads the
 * documents only after it has the lock. So no document is missed: a change that commits after the cursor has passed its document is written
 * by its own batch.
 */

/** A batch builds no list over more documents than this, and removes no list of more rows. */
export const AT_ONCE = 1_000;
/**
 * Used instead of {@link AT_ONCE} where pages follow at once. Each list is then built after all documents are stored, which is cheaper than
 * extending it with each batch.
 */
export const IN_PAGES = -1;

/** Does one page for the first of these views that has work to do. `null` when none has. */
export async function fillPage(
  tx: Transaction,
  projections: readonly Projection[],
  catalog: Catalog,
  size: number,
): Promise<FillState | null> {
  for (const { filling } of projections) {
    const state = filling === undefined ? null : await filling.step(tx, catalog, size);
    if (state !== null) return state;
  }
  return null;
}

/** The number of boards and lists that these views are filling. */
export async function countBuilding(tx: Transaction, projections: readonly Projection[]): Promise<number> {
  let building = 0;
  for (const { filling } of projections) building += filling === undefined ? 0 : await filling.building(tx);
  return building;
}

/**
 * Does all work that is left, page by page, each in a transaction of its own. It makes no pauses, because it is for tables that nobody
 * reads yet.
 */
export async function fillAll(
  projections: readonly Projection[],
  catalog: Catalog,
  run: (work: (tx: Transaction) => Promise<FillState | null>) => Promise<FillState | null>,
): Promise<void> {
  while ((await run((tx) => fillPage(tx, projections, catalog, MAX_PAGE))) !== null);
}

/** A position in the order of the work. */
export interface Cursor {
  readonly space: string;
  readonly key: string;
}

/** Whether the cursor has passed a document. Keys and spaces hold only characters that sort by their codes. */
export function hasPassed(cursor: Cursor, { space, key }: Cursor): boolean {
  return space < cursor.space || (space === cursor.space && key <= cursor.key);
}

/**
 * The sizes of pages. They are literals in the statements, because Postgres cannot estimate a parameter and would sort the whole collection
 * for one page.
 */
const PAGE_SIZES = [1, 4, 16, 64, 125, 250, 500, 1_000, 2_000, 4_000];
/** The largest page. */
export const MAX_PAGE = 4_000;
/** The smallest page, even on a slow machine. A page has a fixed cost of about this many rows. */
export const MIN_PAGE = 500;

/** The largest size of a page that is at most `size`. */
export function pageSize(size: number): number {
  return PAGE_SIZES.findLast((one) => one <= size) ?? 1;
}

/** Jumps over the index from one space to the next. A condition on the collection alone would read the keys of all others. */
const SPACES = `
WITH RECURSIVE s (space) AS (
  (SELECT space FROM {documents} WHERE project = $1 ORDER BY space LIMIT 1)
  UNION ALL
  SELECT (SELECT d.space FROM {documents} d WHERE d.project = $1 AND d.space > s.space ORDER BY d.space LIMIT 1) FROM s WHERE s.space IS NOT NULL)
SELECT space FROM s WHERE space IS NOT NULL`;

const NEXT_SPACE = 'SELECT space FROM {documents} WHERE project = $1 AND space > $2 ORDER BY space LIMIT 1';

const COUNT_SOME = `
SELECT count(*)::int AS count FROM (
  SELECT FROM {documents} WHERE project = $1 AND space = ANY ($2::text[]) AND collection = $3 LIMIT $4) d`;

const COUNT = 'SELECT count(*)::int AS count FROM {documents} WHERE project = $1 AND space = ANY ($2::text[]) AND collection = $3';

/** The spaces in which the project has documents. */
export async function spacesOf(tx: Transaction): Promise<readonly string[]> {
  return (await tx.run<{ space: string }>('fills-spaces', SPACES, [])).map(({ space }) => space);
}

/** The space after this one; `null` after the last. */
export async function spaceAfter(tx: Transaction, space: string): Promise<string | null> {
  const [next] = await tx.run<{ space: string }>('fills-space', NEXT_SPACE, [space]);
  return next?.space ?? null;
}

/** The `count` column of a statement that gives one row. */
export async function countOf(tx: Transaction, name: string, statement: string, values: readonly unknown[]): Promise<number> {
  return (await tx.run<{ count: number }>(name, statement, values))[0]?.count ?? 0;
}

/** Whether a collection has more documents than this, deleted ones included. */
export async function hasMoreThan(tx: Transaction, collection: string, most: number): Promise<boolean> {
  if (most === Number.POSITIVE_INFINITY) return false;
  const some = [await spacesOf(tx), collection, Math.min(most + 1, 2 ** 31)];
  return (await countOf(tx, 'fills-some', COUNT_SOME, some)) > most;
}

/** How many documents a collection has over all spaces, deleted ones included. */
export async function countDocuments(tx: Transaction, collection: string): Promise<number> {
  return countOf(tx, 'fills-count', COUNT, [await spacesOf(tx), collection]);
}
