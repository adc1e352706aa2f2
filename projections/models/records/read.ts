import type { Pool } from 'pg';
import type { RecordPage, RecordRequest } from '../../../src/app/ports/readers.ts';
import type { Space } from '../../../src/domain/events.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { FRACTION } from './building.ts';

/** $1 project, $2 space, $3 collection, $4 and $5 cursor, $6 rows wanted plus one. Newest first. */
const OLDER = `r.project = $1 AND r.collection = $3 AND (r.listed_at, r.sequence) < ($4::bigint, $5::bigint)`;
const ORDER = 'ORDER BY r.listed_at DESC, r.sequence DESC LIMIT $6';

const OWN = `SELECT r.* FROM {records} r WHERE ${OLDER} AND r.space = $2 ${ORDER}`;

/** A live record is visible in the `next` space unless that space has a document of the same key, even a deleted one. */
const UNHIDDEN = `
SELECT r.* FROM {records} r WHERE ${OLDER} AND r.space = 'live' AND NOT EXISTS (
  SELECT FROM {documents} n WHERE n.project = $1 AND n.space = $2 AND n.collection = $3 AND n.key = r.record_id) ${ORDER}`;

/** Bytes of document texts in the rows up to this one. */
const SIZE = 'sum(octet_length(d.document::text)) OVER (ORDER BY p.listed_at DESC, p.sequence DESC)';

const LISTED = `EXISTS (SELECT FROM {record_lists} f WHERE f.project = $1 AND f.collection = $3)`;

const BUILDING = `SELECT ${FRACTION} FROM {record_lists} f WHERE f.project = $1 AND f.collection = $3 AND f.phase <> 'complete'`;

/** $7: the most bytes of a page's documents. The first document is included whatever its size. */
function statement(rows: string): string {
  return throughViews(`
SELECT ${revisionOf(['records', 'documents'])} AS revision, ${LISTED} AS listed, (${BUILDING}) AS building, p.listed_at, p.sequence,
  CASE WHEN d.document IS NOT NULL THEN ${SIZE} > $7::bigint END AS beyond,
  CASE WHEN ${SIZE} <= $7::bigint OR ${SIZE} = octet_length(d.document::text) THEN d.document::text END AS text
FROM (SELECT) one LEFT JOIN (SELECT r.* FROM (${rows}) r ${ORDER}) p ON true
LEFT JOIN {documents} d ON d.project = p.project AND d.space = p.space AND d.collection = p.collection AND d.key = p.record_id
ORDER BY p.listed_at DESC, p.sequence DESC`);
}

const LIVE = { name: 'records-live', text: statement(OWN) };
const NEXT = { name: 'records-next', text: statement(`(${OWN}) UNION ALL (${UNHIDDEN})`) };

interface Row {
  readonly revision: string;
  readonly listed: boolean;
  readonly building: number | null;
  readonly listed_at: string | null;
  readonly sequence: string | null;
  /**
   * Whether the documents up to this row exceed the bytes of a page; `null` without a document. The text is then left out, except in the
   * first row.
   */
  readonly beyond: boolean | null;
  readonly text: string | null;
}

const LAST = Number.MAX_SAFE_INTEGER;

export async function readRecords(
  pool: Pool,
  projectId: string,
  space: Space,
  collection: string,
  { limit, before, bytes }: RecordRequest,
): Promise<RecordPage> {
  // Without a sequence in the cursor, no row of the same millisecond counts as older.
  const values = [
    projectId,
    space,
    collection,
    before?.timestamp ?? LAST,
    before === null ? LAST : (before.sequence ?? -1),
    limit + 1,
    bytes,
  ];
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, ...(space === 'live' ? LIVE : NEXT), values });
  const found = rows.filter((row) => row.beyond !== null);
  const page = found.slice(0, limit).filter(({ text }) => text !== null);
  const last = page.length === limit || page.length < found.length ? page.at(-1) : undefined;
  return {
    revision: Number(rows[0]?.revision ?? -1),
    listed: rows[0]?.listed ?? false,
    building: rows[0]?.building ?? null,
    records: page.map((row) => row.text ?? ''),
    last: last
      ? { timestamp: Number(last.listed_at), sequence: Number(last.sequence), ambiguous: found[page.length]?.listed_at === last.listed_at }
      : null,
  };
}
