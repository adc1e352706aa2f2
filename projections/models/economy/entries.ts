import type { Pool } from 'pg';
import type { EconomyEntries, EconomyEntryPage, EconomyEntryRow, EntryPlace } from '../../../src/app/ports/economy.ts';
import { MAX_NAMES, OTHER_SOURCE } from '../../../src/domain/economy/fold.ts';
import { parseJson } from '../../../src/kernel/json.ts';
import { readWithin } from '../../bounded-read.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { CHOSEN, chosen } from './read.ts';

/** Entries of one source that a page looks at: those of other fields and endpoints are passed over. */
const LOOKED_AT = 1_000;
const DAY_MS = 86_400_000;

const NEWEST = 'at DESC, revision DESC, ordinal DESC';
const WITHIN = `l.at >= $17 AND l.at < $18 AND l.revision <= $19 AND l.at <= $11 AND (l.at, l.revision, l.ordinal) < ($11, $12, $13)`;

/** One source after the other, each over the index by source and time. */
const OF_ALL = `
SELECT l.* FROM (SELECT DISTINCT source FROM places) s CROSS JOIN LATERAL (
  SELECT l.*, l.source COLLATE "C" AS of FROM {ledger} l
  WHERE l.project = $1 AND l.space = $2 AND l.source COLLATE "C" = s.source AND $10::text IS NULL AND ${WITHIN} ORDER BY ${NEWEST} LIMIT ${LOOKED_AT}) l`;

/** One collection after the other, each over the ledger of the player, whose times never go back. */
const OF_PLAYER = `
SELECT l.* FROM (SELECT DISTINCT collection FROM places) s CROSS JOIN LATERAL (
  SELECT l.*, l.collection AS of FROM {ledger} l
  WHERE l.project = $1 AND l.space = $2 AND l.collection = s.collection AND l.player = $10 AND ${WITHIN}
  ORDER BY l.revision DESC, l.ordinal DESC LIMIT ${LOOKED_AT}) l`;

/** Where something of the class $16 moved. */
const OF_CLASS = `CASE $16::text WHEN 'faucet' THEN d.faucet > 0 WHEN 'sink' THEN d.sink > 0 WHEN 'correction' THEN d.correction
  WHEN 'transfer' THEN NOT d.correction AND (d.inflow > d.faucet OR d.outflow > d.sink) ELSE true END`;

/**
 * $1 to $9: see {@link CHOSEN}. $10 player, $11 to $13 cursor, $14 rows, $15 direction, $16 class, $17 and $18 times, $19 the last
 * revision. Where a source has more entries than are looked at, nothing is told of what is older than the last of them: the next page goes
 * on there.
 */
function statement(looked: string): string {
  return throughViews(`
WITH places AS MATERIALIZED (SELECT DISTINCT d.day, d.collection, d.field, d.source, d.endpoint FROM {economy_days} d WHERE ${CHOSEN} AND ${OF_CLASS}),
looked AS MATERIALIZED (${looked}),
edge AS MATERIALIZED (
  SELECT e.at, e.revision, e.ordinal FROM (
    SELECT count(*) AS n, (array_agg(k.at ORDER BY k.at, k.revision, k.ordinal))[1] AS at,
      (array_agg(k.revision ORDER BY k.at, k.revision, k.ordinal))[1] AS revision, (array_agg(k.ordinal ORDER BY k.at, k.revision, k.ordinal))[1] AS ordinal
    FROM looked k GROUP BY k.of) e WHERE e.n = ${LOOKED_AT} ORDER BY ${NEWEST} LIMIT 1),
page AS (
  SELECT k.* FROM looked k WHERE (k.at, k.revision, k.ordinal) >= (coalesce((SELECT at FROM edge), 0), coalesce((SELECT revision FROM edge), 0), coalesce((SELECT ordinal FROM edge), 0))
    AND EXISTS (SELECT FROM places p WHERE p.day = k.at / ${DAY_MS} AND p.collection = k.collection AND p.field IN (k.field, '*') AND p.source = k.source COLLATE "C"
      AND p.endpoint = coalesce(k.actor ->> 'endpoint', ''))
    AND ($15::text IS NULL OR k.amount <> 0 AND (k.amount > 0) = ($15 = 'in'))
  ORDER BY ${NEWEST} LIMIT $14)
SELECT ${revisionOf(['economy', 'ledger'])} AS revision, EXISTS (SELECT FROM places p WHERE p.source = '${OTHER_SOURCE}') AS others,
  (SELECT json_build_array(at, revision, ordinal) FROM edge) AS edge,
  (SELECT coalesce(json_agg(json_build_object('day', n.day, 'space', n.space, 'collection', n.collection, 'field', n.field, 'names', n.names)), '[]')
    FROM {economy_names} n WHERE $16::text IS NOT NULL AND n.project = $1 AND n.space = $2 AND json_array_length(n.names) >= ${MAX_NAMES}
      AND n.day BETWEEN (SELECT min(p.at) / ${DAY_MS} FROM page p) AND (SELECT max(p.at) / ${DAY_MS} FROM page p)) AS names,
  (SELECT coalesce(json_agg(json_build_object('revision', p.revision, 'ordinal', p.ordinal, 'collection', p.collection, 'player', p.player, 'key', p.key,
      'field', p.field, 'before', p.before::text, 'after', p.after::text, 'delta', p.delta::text, 'source', p.source, 'reason', p.reason, 'at', p.at,
      'eventId', p.event_id, 'actor', p.actor, 'label', n.label) ORDER BY p.at DESC, p.revision DESC, p.ordinal DESC), '[]')
    FROM page p LEFT JOIN {key_labels} n ON n.project = $1 AND n.key_id = p.actor ->> 'keyId') AS rows`);
}

const ALL = { name: 'economy-entries', text: statement(OF_ALL) };
const PLAYER = { name: 'economy-entries-of-player', text: statement(OF_PLAYER) };

interface Entry extends Omit<EconomyEntryRow, 'before' | 'after' | 'delta'> {
  readonly before: string;
  readonly after: string;
  readonly delta: string;
}

interface Row {
  readonly revision: string;
  readonly others: boolean;
  readonly edge: EntryPlace | null;
  readonly names: EconomyEntryPage['names'];
  readonly rows: readonly Entry[];
}

const NEVER = Number.MAX_SAFE_INTEGER;

/** The entries of ledgers that flows are made of, the newest first. Throws 400 `ECONOMY_RANGE_TOO_LARGE`. */
export async function readEconomyEntries(pool: Pool, projectId: string, query: EconomyEntries): Promise<EconomyEntryPage> {
  const { player, direction, before, limit, class: wanted } = query;
  const { from, to, through } = query.within ?? { from: query.from * DAY_MS, to: (query.to + 1) * DAY_MS, through: NEVER };
  const place = before ?? [NEVER, NEVER, 0];
  const values = [...chosen(projectId, query), player, ...place, limit + 1, direction, wanted, from, to, through];
  const { rows } = await readWithin<Row>(pool, { ...(player === null ? ALL : PLAYER), values }, 'ECONOMY_RANGE_TOO_LARGE');
  const [row] = rows;
  if (row === undefined) throw new Error('a page of entries answers one row');
  const page = row.rows.slice(0, limit);
  const last = page.at(-1);
  const isFull = row.rows.length > limit && last !== undefined;
  return {
    revision: Number(row.revision),
    entries: page.map(({ before: was, after, delta, ...entry }) => ({
      ...entry,
      before: parseJson(was),
      after: parseJson(after),
      delta: parseJson(delta),
    })),
    next: isFull ? [last.at, last.revision, last.ordinal] : row.edge,
    hasOthers: row.others,
    names: row.names,
  };
}
