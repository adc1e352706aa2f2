import type { Pool } from 'pg';
import type { LedgerFilter, LedgerOrder, LedgerPage, LedgerRequest, LedgerRow } from '../../../src/app/ports/ledger.ts';
import { parseJson } from '../../../src/kernel/json.ts';
import { readWithin } from '../../bounded-read.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { firstRevision } from '../subjects/read.ts';
import { EXACT } from './sums.ts';

/**
 * $1 project, $2 space, $3 collection, $4 player, $5 field, $6 from, $7 to, $11 key, if one document is meant, $12 last revision. In a
 * `next` space a document's history is the live one up to its fork (its first event in that space), then its own. Finding a fork means
 * searching the index of subjects. So it is done only for documents with a live history, and only from the publish that began the space: a
 * `next` space is named by its generation.
 */
const SELECTED = `
WITH began AS MATERIALIZED (
  SELECT coalesce(max(p.revision), 0) AS revision FROM {publishes} p WHERE p.project = $1 AND p.generation = substr($2, 5)::bigint),
forks AS MATERIALIZED (
  SELECT d.key, (${firstRevision("'document/' || $2 || '/' || $3 || '/' || d.key", '(SELECT revision FROM began)')}) AS revision
  FROM {documents} d WHERE d.project = $1 AND d.space = $2 AND d.collection = $3 AND d.key IN
    (SELECT l.key FROM {ledger} l WHERE l.project = $1 AND l.space = 'live' AND l.collection = $3 AND l.player = $4))
SELECT l.* FROM {ledger} l LEFT JOIN forks f ON f.key = l.key
WHERE l.project = $1 AND l.collection = $3 AND l.player = $4
  AND (l.space = $2 OR (l.space = 'live' AND l.revision < coalesce(f.revision, 9223372036854775807)))
  AND ($11::text IS NULL OR l.key = $11) AND ($5::text IS NULL OR l.field = $5)
  AND ($6::bigint IS NULL OR l.at >= $6) AND ($7::bigint IS NULL OR l.at < $7) AND ($12::bigint IS NULL OR l.revision <= $12)`;

/** The same for live, which has no forks. */
const SELECTED_LIVE = `
SELECT * FROM {ledger} l
WHERE l.project = $1 AND l.space = $2 AND l.collection = $3 AND l.player = $4
  AND ($11::text IS NULL OR l.key = $11) AND ($5::text IS NULL OR l.field = $5)
  AND ($6::bigint IS NULL OR l.at >= $6) AND ($7::bigint IS NULL OR l.at < $7) AND ($12::bigint IS NULL OR l.revision <= $12)`;

/**
 * The most entries of a range, or of a staged space, that are summed, from the first one on. With more, the summary says that it is
 * incomplete.
 */
export const MAX_SUMMED = 50_000;

/** `OFFSET 0` keeps Postgres from computing the exact number for each of the three sums (measured: twice the time over a long ledger). */
const SUMMED = `
SELECT source, count(*) AS count, sum(exact) AS total, sum(greatest(exact, 0)) AS up, sum(least(exact, 0)) AS down
FROM (SELECT source, ${EXACT} AS exact FROM (SELECT * FROM selected ORDER BY revision, ordinal LIMIT ${MAX_SUMMED}) b OFFSET 0) s GROUP BY source`;

/**
 * The same from the stored totals, for all time. The statement also names the parameters that it does not need, because they would
 * otherwise have no type.
 */
const TOTALS = `
SELECT source, sum(count)::bigint AS count, sum(increase + decrease) AS total, sum(increase) AS up, sum(decrease) AS down
FROM {ledger_totals} t
WHERE t.project = $1 AND t.space = $2 AND t.collection = $3 AND t.player = $4
  AND ($11::text IS NULL OR t.key = $11) AND ($5::text IS NULL OR t.field = $5)
GROUP BY source`;

const IS_CUT = `EXISTS (SELECT FROM selected ORDER BY revision, ordinal OFFSET ${MAX_SUMMED})`;

/** One row: revision, page, summary, and whether the player is known. $8, $9: cursor; $10: rows wanted plus one. */
function statement(selected: string, summed: string, isCut: string, order: LedgerOrder): string {
  const [beyond, sorted] = order === 'asc' ? ['>', 'revision, ordinal'] : ['<', 'revision DESC, ordinal DESC'];
  return throughViews(`
WITH selected AS ${selected === SELECTED_LIVE ? 'NOT MATERIALIZED ' : ''}(${selected}),
summed AS (${summed})
SELECT ${isCut} AS cut, ${revisionOf(['ledger', 'documents', 'subjects'])} AS revision,
  (SELECT coalesce(json_agg(json_build_object('revision', p.revision, 'ordinal', p.ordinal, 'field', p.field, 'before', p.before::text,
      'after', p.after::text, 'delta', p.delta::text, 'source', p.source, 'reason', p.reason, 'at', p.at, 'eventId', p.event_id,
      'actor', p.actor, 'label', k.label) ORDER BY ${sorted}), '[]')
    FROM (SELECT * FROM selected WHERE (revision, ordinal) ${beyond} ($8::bigint, $9::int) ORDER BY ${sorted} LIMIT $10) p
    LEFT JOIN {key_labels} k ON k.project = $1 AND k.key_id = p.actor->>'keyId') AS page,
  (SELECT coalesce(json_agg(json_build_object('source', g.source, 'count', g.count, 'total', g.total::text) ORDER BY g.source), '[]')
    FROM summed g) AS sources,
  (SELECT json_build_object('count', coalesce(sum(g.count), 0), 'up', coalesce(sum(g.up), 0)::text, 'down', coalesce(sum(g.down), 0)::text,
      'net', coalesce(sum(g.total), 0)::text) FROM summed g) AS totals,
  EXISTS (SELECT FROM {documents} d WHERE d.project = $1 AND d.space IN ($2, 'live') AND d.collection = $3
    AND (d.key = coalesce($11, $4) OR ($11 IS NULL AND d.key >= $4 || '_' AND d.key < $4 || '\`'))) AS known`);
}

const STATEMENTS = { asc: statementsIn('asc'), desc: statementsIn('desc') };

function statementsIn(order: LedgerOrder) {
  return {
    live: { name: `ledger-live-${order}`, text: statement(SELECTED_LIVE, TOTALS, 'false', order) },
    range: { name: `ledger-range-${order}`, text: statement(SELECTED_LIVE, SUMMED, IS_CUT, order) },
    next: { name: `ledger-next-${order}`, text: statement(SELECTED, SUMMED, IS_CUT, order) },
  };
}

interface Entry extends Omit<LedgerRow, 'before' | 'after' | 'delta'> {
  readonly revision: number;
  readonly ordinal: number;
  readonly before: string;
  readonly after: string;
  readonly delta: string;
}

interface Source {
  readonly source: string;
  readonly count: number;
  readonly total: string;
}

interface Totals {
  readonly count: number;
  readonly up: string;
  readonly down: string;
  readonly net: string;
}

interface Row {
  readonly revision: string;
  readonly cut: boolean;
  readonly page: readonly Entry[];
  readonly sources: readonly Source[];
  readonly totals: Totals;
  readonly known: boolean;
}

/** A page of a player's ledger with its summary, from the cursor `after` on. Throws 400 LEDGER_RANGE_TOO_LARGE. */
export async function readLedger(
  pool: Pool,
  projectId: string,
  filter: LedgerFilter,
  { limit, after, order = 'asc' }: LedgerRequest,
): Promise<LedgerPage> {
  const { space, collection, platformId, key = null, field = null, from = null, to = null, through = null } = filter;
  const [revision, ordinal] = cursorFrom(after, order);
  const values = [projectId, space, collection, platformId, field, from, to, revision, ordinal, limit + 1, key, through];
  const isRange = from !== null || to !== null || through !== null;
  // The cursor finds a page of all entries, and the sums are stored, so nothing has to be skipped.
  const isNear = space === 'live' && field === null && !isRange;
  const query = { ...STATEMENTS[order][space !== 'live' ? 'next' : isRange ? 'range' : 'live'], values };
  const { rows } = isNear
    ? await pool.query<Row>({ ...QUERY_TIMEOUT, ...query })
    : await readWithin<Row>(pool, query, 'LEDGER_RANGE_TOO_LARGE');
  const [row] = rows;
  if (row === undefined) throw new Error('the ledger statement answers one row');
  const entries = row.page.slice(0, limit);
  const last = entries.at(-1);
  return {
    revision: Number(row.revision),
    entries: entries.map(rowOf),
    summary: summaryOf(row),
    cursor: row.page.length > limit && last ? `${last.revision}.${last.ordinal}` : null,
    known: row.known,
  };
}

/** An event that changed several fields has an entry for each. The first entry has the event's id, the others that id and their ordinal. */
function rowOf({ before, after, delta, field, source, reason, at, eventId, ordinal, actor, label }: Entry): LedgerRow {
  const id = ordinal === 0 ? eventId : `${eventId}.${ordinal}`;
  return {
    field,
    before: parseJson(before),
    after: parseJson(after),
    delta: parseJson(delta),
    source,
    reason,
    at,
    eventId: id,
    actor,
    label,
  };
}

function summaryOf({ sources, totals, cut }: Row): LedgerPage['summary'] {
  return {
    totalIncrease: parseJson(totals.up),
    totalDecrease: parseJson(totals.down),
    netChange: parseJson(totals.net),
    entryCount: totals.count,
    truncated: cut,
    sources: sources.map(({ source, count, total }) => ({ source, count, total: parseJson(total) })),
  };
}

/** A cursor that this server did not issue starts at the first entry of the order. */
function cursorFrom(text: string | null, order: LedgerOrder): readonly [revision: number, ordinal: number] {
  const match = /^(\d{1,15})\.(\d{1,9})$/.exec(text ?? '');
  return match ? [Number(match[1]), Number(match[2])] : order === 'asc' ? [-1, 0] : [Number.MAX_SAFE_INTEGER, 0];
}
