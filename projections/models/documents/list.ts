import type { Pool } from 'pg';
import type { BoardQuery } from '../../../src/app/ports/boards.ts';
import type { DocumentWalk, WalkedPage, WalkPlace } from '../../../src/app/ports/documents.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { readBuilding } from '../leaderboards/building.ts';
import { FRACTION } from '../records/building.ts';

/** Documents of a collection in the order of an index: by key, by the time of a record, or by the number of a board. */

/** Rows of the index that one page looks at. Of deleted documents and hidden ones there may be any number. */
const REACH = 1_000;

interface Walked {
  readonly table: string;
  /** The columns of the order, of which the last one decides, and their types. */
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly key: string;
  readonly isThere: string;
  /** The table's own part of the index, before the space. */
  readonly of: string;
  readonly projections: readonly string[];
}

const WALKED: Readonly<Record<DocumentWalk['by']['kind'], Walked>> = {
  key: {
    table: '{documents}',
    columns: [['key', 'text']],
    key: 'key',
    isThere: 'x.document IS NOT NULL',
    of: 'x.collection = $3',
    projections: ['documents'],
  },
  time: {
    table: '{records}',
    columns: [
      ['listed_at', 'bigint'],
      ['sequence', 'bigint'],
    ],
    key: 'record_id',
    isThere: 'true',
    of: 'x.collection = $3',
    projections: ['records', 'documents'],
  },
  number: {
    table: '{leaderboards}',
    columns: [
      ['rank', 'float8'],
      ['reached', 'bigint'],
      ['key', 'text'],
    ],
    key: 'key',
    isThere: 'true',
    of: 'x.board = (SELECT board FROM b)',
    projections: ['leaderboards', 'documents'],
  },
};

type Parameter = (value: string | number) => string;

/** A board that is complete. */
const boardOf = ({ id, hash }: BoardQuery, parameter: Parameter) => `b AS MATERIALIZED (
  SELECT q.board FROM {leaderboard_queries} q WHERE q.project = $1 AND q.query = ${parameter(id)} AND q.hash = ${parameter(hash)}
  AND NOT EXISTS (SELECT FROM {leaderboard_fills} f WHERE f.project = $1 AND f.board = q.board)),`;

const LIST_BUILDING = `(SELECT ${FRACTION} FROM {record_lists} f WHERE f.project = $1 AND f.collection = $3 AND f.phase <> 'complete')`;

/** A live document is visible in the `next` space unless that space has a row of the same key, even of a deleted one. */
const isHidden = (key: string) =>
  `EXISTS (SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = $3 AND n.key = x.${key})`;

/**
 * Compares all columns of the order with the place that a page begins at, so the index begins there. Its end is looked at row by row: with
 * both bounds in the index, Postgres expects few rows and sorts all of them. The limits are literal, because a parameter cannot be
 * estimated. $1 project, $2 space, $3 collection, $4 bytes.
 */
function statement({ space, by, order, from, until, limit }: DocumentWalk, parameter: Parameter): string {
  const { table, columns, key, isThere, of, projections } = WALKED[by.kind];
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const opposite = order === 'asc' ? 'DESC' : 'ASC';
  const names = columns.map((_, index) => `p${index}`);
  const sorted = (rows: string, way: string) => names.map((name) => `${rows}.${name} ${way}`).join(', ');
  const sign = order === 'asc' ? '>' : '<';
  const begins =
    from === null
      ? ''
      : `AND (${columns.map(([name]) => `x.${name}`).join(', ')}) ${sign}${from.isIncluded ? '=' : ''} (${columns
          .map(([, type], index) => `${parameter(from.place[index] ?? '')}::${type}`)
          .join(', ')})`;
  const rowsOf = (which: string, there: string) => `(
    SELECT x.space, x.${key} AS key, ${columns.map(([name], index) => `x.${name} AS p${index}`).join(', ')}, ${there} AS there
    FROM ${table} x WHERE x.project = $1 AND ${of} AND x.space = ${which} ${begins}
    ORDER BY ${columns.map(([name]) => `x.${name} ${direction}`).join(', ')} LIMIT ${REACH})`;
  const rows =
    space === 'live'
      ? rowsOf('$2', isThere)
      : `${rowsOf('$2', isThere)} UNION ALL ${rowsOf(`'live'`, `${isThere} AND NOT ${isHidden(key)}`)}`;
  const within = until === null ? '' : `AND l.p0 ${order === 'asc' ? '<=' : '>='} ${parameter(until)}::${columns[0]?.[1]}`;
  const place = (rows: string) => `json_build_array(${names.map((name) => `${rows}.${name}`).join(', ')})`;
  return throughViews(`
WITH ${by.kind === 'number' ? boardOf(by.query, parameter) : ''}
looked AS MATERIALIZED (SELECT u.* FROM (${rows}) u ORDER BY ${sorted('u', direction)} LIMIT ${REACH}),
shown AS MATERIALIZED (SELECT l.* FROM looked l WHERE l.there ${within} ORDER BY ${sorted('l', direction)} LIMIT ${limit + 1})
SELECT ${revisionOf(projections)} AS revision, ${by.kind === 'time' ? LIST_BUILDING : 'NULL::float8'} AS building,
  ${by.kind === 'number' ? 'EXISTS (SELECT FROM b)' : 'true'} AS found, (SELECT count(*)::int FROM looked) AS looked,
  (SELECT ${place('l')} FROM looked l ORDER BY ${sorted('l', opposite)} LIMIT 1) AS last, s.*
FROM (SELECT) one LEFT JOIN (
  SELECT s.key, ${place('s')} AS place, row_number() OVER w AS n, d.version, d.updated_at, d.revision AS changed,
    CASE WHEN sum(pg_column_size(d.document)) OVER w - pg_column_size(d.document) < $4::bigint THEN d.document::text END AS text
  FROM shown s JOIN {documents} d ON d.project = $1 AND d.space = s.space AND d.collection = $3 AND d.key = s.key AND d.document IS NOT NULL
  WINDOW w AS (ORDER BY ${sorted('s', direction)})) s ON true
ORDER BY s.n`);
}

interface Row {
  readonly revision: string;
  readonly building: number | null;
  /** Whether there is a complete board. */
  readonly found: boolean;
  readonly looked: number;
  readonly last: WalkPlace | null;
  /** `null`: nothing is shown. */
  readonly key: string | null;
  readonly place: WalkPlace;
  readonly version: string;
  readonly updated_at: string;
  readonly changed: string;
  /** `null`: beyond the bytes of a page. */
  readonly text: string | null;
}

/** A page of a walk. Not a prepared statement: the plan of one would not know where the page begins. */
export async function walkDocuments(pool: Pool, projectId: string, walk: DocumentWalk): Promise<WalkedPage> {
  const { by, limit, until, order } = walk;
  const values: (string | number)[] = [projectId, walk.space, walk.collection, walk.bytes];
  const text = statement(walk, (value) => `$${values.push(value)}`);
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, text, values });
  const [first] = rows;
  const found = rows.flatMap((row) => (row.key === null ? [] : [row]));
  const shown = found.slice(0, limit).filter((row) => row.text !== null);
  const isEnd = (first?.looked ?? 0) < REACH || isBeyond(first?.last?.[0], until, order);
  const rest = isEnd ? null : (first?.last ?? null);
  return {
    revision: Number(first?.revision ?? -1),
    building: by.kind === 'number' && first?.found === false ? await readBuilding(pool, projectId, by.query) : (first?.building ?? null),
    documents: shown.map(({ key, version, updated_at, changed, text: document }) => ({
      key: key ?? '',
      version: Number(version),
      updatedAt: Number(updated_at),
      revision: Number(changed),
      text: document ?? '',
    })),
    next: shown.length < found.length ? (shown.at(-1)?.place ?? null) : rest,
  };
}

function isBeyond(place: string | number | undefined, until: string | number | null, order: 'asc' | 'desc'): boolean {
  if (place === undefined || until === null) return false;
  return order === 'asc' ? place > until : place < until;
}
