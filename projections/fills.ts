import type { FillState, Projection } from './batch.ts';
import type { Catalog } from './catalog.ts';
import type { Session } from './tables.ts';

/**
 * A publish may ask for a board or a list over many documents, such as a new leaderboard. It is made beside the lane in committed pages,
 * and removed in the same way. A row says how far it is: it holds the documents up to its *cursor*, by space and key. Batches keep those
 * current; the pages come to the later ones. Batch and page both lock that row while they work, and a page reads the documents only once it
 * has the lock. So no document is missed: what a batch has not committed when the cursor passes it, that batch finds behind the cursor.
 */

/** A batch makes no list over more documents than this, and removes no list of more rows. */
export const AT_ONCE = 1_000;
/**
 * Used instead of {@link AT_ONCE} where pages follow at once. Each list is then made when all documents are there, which is cheaper than
 * adding them one batch after another.
 */
export const IN_PAGES = -1;

/** Does one page for the first of these views that has work to do. `null` when none has. */
export async function fillPage(
  session: Session,
  projections: readonly Projection[],
  catalog: Catalog,
  size: number,
): Promise<FillState | null> {
  for (const { filling } of projections) {
    const state = filling === undefined ? null : await filling.step(session, catalog, size);
    if (state !== null) return state;
  }
  return null;
}

/** How many boards and lists these views are making. */
export async function countBuilding(session: Session, projections: readonly Projection[]): Promise<number> {
  let building = 0;
  for (const { filling } of projections) building += filling === undefined ? 0 : await filling.building(session);
  return building;
}

/**
 * Does all work that is to be done, page by page, each in a transaction of its own. For tables that nobody reads yet, so it makes no
 * pauses.
 */
export async function fillAll(
  projections: readonly Projection[],
  catalog: Catalog,
  run: (work: (session: Session) => Promise<FillState | null>) => Promise<FillState | null>,
): Promise<void> {
  while ((await run((session) => fillPage(session, projections, catalog, LARGEST_PAGE))) !== null);
}

/** A document's place in the order of the work. */
export interface Cursor {
  readonly space: string;
  readonly key: string;
}

/** Whether the cursor has passed a document. Keys and spaces hold only characters that sort by their codes. */
export function hasPassed(cursor: Cursor, { space, key }: Cursor): boolean {
  return space < cursor.space || (space === cursor.space && key <= cursor.key);
}

/**
 * The sizes of pages. They are literals in the statements: Postgres cannot guess the value of a parameter, and would sort the whole
 * collection for one page.
 */
const PAGE_SIZES = [1, 4, 16, 64, 125, 250, 500, 1_000, 2_000, 4_000];
/** The largest page. */
export const LARGEST_PAGE = 4_000;
/** The smallest page, even on a slow machine: a page has costs of its own, about those of so many rows. */
export const LEAST_PAGE = 500;

/** The largest size of a page that is at most `size`. */
export function pageSize(size: number): number {
  return PAGE_SIZES.findLast((one) => one <= size) ?? 1;
}

/** Walks over the index from one space to the next. A condition on the collection alone would read the keys of all others. */
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
export async function spacesOf(session: Session): Promise<readonly string[]> {
  return (await session.run<{ space: string }>('fills-spaces', SPACES, [])).map(({ space }) => space);
}

/** The space after this one; `null` after the last. */
export async function spaceAfter(session: Session, space: string): Promise<string | null> {
  const [next] = await session.run<{ space: string }>('fills-space', NEXT_SPACE, [space]);
  return next?.space ?? null;
}

/** The `count` of a statement that gives one row. */
export async function countOf(session: Session, name: string, statement: string, values: readonly unknown[]): Promise<number> {
  return (await session.run<{ count: number }>(name, statement, values))[0]?.count ?? 0;
}

/** Whether a collection has more documents than this, deleted ones included. */
export async function hasMoreThan(session: Session, collection: string, most: number): Promise<boolean> {
  if (most === Number.POSITIVE_INFINITY) return false;
  const some = [await spacesOf(session), collection, Math.min(most + 1, 2 ** 31)];
  return (await countOf(session, 'fills-some', COUNT_SOME, some)) > most;
}

/** How many documents a collection has over all spaces, deleted ones included. */
export async function countDocuments(session: Session, collection: string): Promise<number> {
  return countOf(session, 'fills-count', COUNT, [await spacesOf(session), collection]);
}
