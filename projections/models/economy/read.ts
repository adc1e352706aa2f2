import type { Pool } from 'pg';
import type {
  EconomyDayRow,
  EconomyDays,
  EconomyFlowRow,
  EconomyFlows,
  EconomyHourQuery,
  EconomyHourRow,
  EconomyMovers,
  EconomyPage,
  EconomyPlayerRow,
  EconomyRange,
  EconomySupplyQuery,
  EconomySupplyRow,
  FlowFilter,
  FlowGrouping,
  MoverOrder,
} from '../../../src/app/ports/economy.ts';
import { readWithin } from '../../bounded-read.ts';
import { revisionOf, throughViews } from '../../through-views.ts';
import { EXACT } from '../ledger/sums.ts';
import { ACTIVE_DAYS, linesOf, shareOf } from './settle.ts';

/** Reads of the economy. Numbers leave Postgres as texts, because a double would change large ones. */

interface Page {
  readonly revision: string;
  readonly rows: string;
}

const pageOf = (rows: string) =>
  throughViews(`SELECT ${revisionOf(['economy'])} AS revision, (SELECT coalesce(json_agg(p.row), '[]')::text FROM (${rows}) p) AS rows`);

/** The part of what all have that the richest have. Null where neither is known. */
const SHARE = 'CASE WHEN held = 0 THEN 0 ELSE round(top_balance / held, 6) END';

/** $1 project, $2 space, $3 first day, $4 last day, $5 currency, $6 and $7 cursor, $8 rows. */
const DAYS = pageOf(`
SELECT json_build_object('currency', currency, 'day', day, 'opening', opening::text, 'entries', entries, 'inflow', inflow::text,
  'outflow', outflow::text, 'closing', (opening + inflow - outflow)::text, 'faucet', faucet::text, 'sink', sink::text,
  'transfer', (inflow - faucet - corrected_in)::text, 'correctedIn', corrected_in::text, 'correctedOut', corrected_out::text,
  'active', active::text, 'holders', holders, 'topHolders', top_holders, 'topBalance', top_balance::text, 'share', ${SHARE}) AS row
FROM {economy_supply} s WHERE project = $1 AND space = $2 AND day BETWEEN $3 AND $4 AND ($5::text IS NULL OR currency = $5)
  AND (day < $6 OR (day = $6 AND currency > $7)) ORDER BY day DESC, currency LIMIT $8`);

/** Of the rows `d` of {economy_days}: $5 currency, $6 collection, $7 field, $8 source, $9 endpoint. */
export const CHOSEN = `d.project = $1 AND d.space = $2 AND d.day BETWEEN $3 AND $4 AND ($5::text IS NULL OR d.currency = $5)
  AND ($6::text IS NULL OR d.collection = $6) AND ($7::text IS NULL OR d.field = $7) AND ($8::text IS NULL OR d.source = $8)
  AND ($9::text IS NULL OR d.endpoint = $9)`;

/** Columns that flows are added up by, in the order of their pages. */
const GROUPED: Readonly<Record<FlowGrouping, readonly string[]>> = {
  none: ['day', 'currency', 'collection', 'field', 'source', 'endpoint', 'correction'],
  source: ['currency', 'source'],
  endpoint: ['currency', 'endpoint'],
  field: ['currency', 'collection', 'field'],
  day: ['day', 'currency'],
};

/** How many players of each part wait to be counted. */
const WAITING = `
WITH waiting AS MATERIALIZED (
  SELECT u.day, u.part, count(*) AS players FROM (
    SELECT DISTINCT w.day, l.t AS part, l.p AS player FROM {economy_pending} w CROSS JOIN LATERAL ${linesOf('w')}
    WHERE w.project = $1 AND w.space = $2 AND w.day BETWEEN $3 AND $4) u
  WHERE NOT EXISTS (SELECT FROM {economy_players} x
    WHERE x.project = $1 AND x.space = $2 AND x.day = u.day AND x.part = u.part AND x.player = u.player) GROUP BY u.day, u.part)`;

/** $10: the cursor, a list of the values of the columns as texts; $11: rows. */
function flowsOf(by: FlowGrouping): string {
  const columns = GROUPED[by];
  const key = columns.map((column) => (column === 'day' ? `lpad(d.day::text, 8, '0')` : `d.${column}::text`));
  const isSingle = by === 'none';
  const waiting = 'coalesce((SELECT q.players FROM waiting q WHERE q.day = d.day AND q.part = d.part), 0)';
  const players = isSingle ? `, 'players', sum(d.players + ${waiting})` : '';
  const members = columns.map((column) => `'${column}', d.${column}`).join(', ');
  const group = columns.map((column) => `d.${column}`).join(', ');
  return pageOf(`${isSingle ? WAITING : ''}
SELECT json_build_object(${members}, 'key', ARRAY[${key.join(', ')}], 'entries', sum(d.entries), 'inflow', sum(d.inflow)::text,
  'outflow', sum(d.outflow)::text, 'faucet', sum(d.faucet)::text, 'sink', sum(d.sink)::text${players}) AS row
FROM {economy_days} d WHERE ${CHOSEN} AND ($10::text[] IS NULL OR ARRAY[${key.join(', ')}] COLLATE "C" > $10::text[])
GROUP BY ${group} ORDER BY ARRAY[${key.join(', ')}] COLLATE "C" LIMIT $11`);
}

const FLOWS: Readonly<Record<FlowGrouping, string>> = {
  none: flowsOf('none'),
  source: flowsOf('source'),
  endpoint: flowsOf('endpoint'),
  field: flowsOf('field'),
  day: flowsOf('day'),
};

/** $10 cursor: value, $11 and player; $12 rows. */
const movers = (value: string) =>
  pageOf(`
WITH chosen AS MATERIALIZED (SELECT d.day, d.part, d.collection FROM {economy_days} d WHERE ${CHOSEN}),
moved AS (
  SELECT x.player, c.collection, x.entries, x.inflow, x.outflow FROM chosen c JOIN {economy_players} x
    ON x.project = $1 AND x.space = $2 AND x.day = c.day AND x.part = c.part
  UNION ALL
  SELECT l.p, c.collection, l.n, l.i, l.o FROM {economy_pending} w CROSS JOIN LATERAL ${linesOf('w')} JOIN chosen c ON c.day = w.day AND c.part = l.t
  WHERE w.project = $1 AND w.space = $2),
summed AS (
  SELECT player, sum(entries)::bigint AS entries, sum(inflow) AS inflow, sum(outflow) AS outflow, sum(inflow) - sum(outflow) AS net,
    (array_agg(DISTINCT collection))[1:20] AS collections FROM moved GROUP BY player)
SELECT json_build_object('player', player, 'entries', entries, 'inflow', inflow::text, 'outflow', outflow::text, 'net', net::text,
  'collections', collections) AS row
FROM summed WHERE $10::numeric IS NULL OR (${value}, player) < ($10::numeric, $11::text) ORDER BY ${value} DESC, player DESC LIMIT $12`);

const MOVERS: Readonly<Record<MoverOrder, string>> = { net: movers('net'), inflow: movers('inflow'), outflow: movers('outflow') };

/**
 * $1 project, $2 day, $3 currency, $4 source, $5 least, $6 from, $7 to. Only who got as much over the day can have got it within the hour;
 * of these the hundred with most are looked at in the ledger.
 */
const HOUR = pageOf(`
WITH chosen AS MATERIALIZED (
  SELECT d.part, d.collection, d.field FROM {economy_days} d
  WHERE d.project = $1 AND d.space = 'live' AND d.day = $2 AND d.currency = $3 AND ($4::text IS NULL OR d.source = $4) AND NOT d.correction),
moved AS (
  SELECT x.player, x.inflow FROM chosen c JOIN {economy_players} x ON x.project = $1 AND x.space = 'live' AND x.day = $2 AND x.part = c.part
  UNION ALL
  SELECT l.p, l.i FROM {economy_pending} w CROSS JOIN LATERAL ${linesOf('w')} JOIN chosen c ON c.part = l.t
  WHERE w.project = $1 AND w.space = 'live' AND w.day = $2),
suspects AS MATERIALIZED (
  SELECT player FROM moved GROUP BY player HAVING sum(inflow) > $5::float8::numeric ORDER BY sum(inflow) DESC LIMIT 100),
hour AS (
  SELECT l.player, sum(${EXACT}) AS amount FROM suspects s JOIN {ledger} l ON l.project = $1 AND l.space = 'live' AND l.player = s.player
    AND l.collection IN (SELECT collection FROM chosen)
  WHERE l.at >= $6 AND l.at < $7 AND l.amount > 0 AND ($4::text IS NULL OR l.source = $4)
    AND EXISTS (SELECT FROM chosen c WHERE c.collection = l.collection AND c.field IN (l.field, '*')) GROUP BY l.player)
SELECT json_build_object('player', player, 'amount', amount::text) AS row FROM hour
WHERE amount > $5::float8::numeric ORDER BY amount DESC, player LIMIT 1`);

/** $1 project, $2 space, $3 currency, $4 today. */
const SUPPLY = pageOf(`
WITH held AS (
  SELECT player, sum(balance) AS balance, max(day) AS day FROM (
    SELECT player, balance, day FROM {economy_holders} WHERE project = $1 AND space = $2 AND currency = $3
    UNION ALL
    SELECT l.p, l.i - l.o, w.day FROM {economy_pending} w CROSS JOIN LATERAL ${linesOf('w')}
      JOIN {economy_days} d ON d.project = $1 AND d.space = $2 AND d.day = w.day AND d.part = l.t
    WHERE w.project = $1 AND w.space = $2 AND d.currency = $3) u GROUP BY player),
richest AS (${shareOf('held')})
SELECT json_build_object('known', EXISTS (SELECT FROM {economy_supply} WHERE project = $1 AND space = $2 AND currency = $3),
  'supply', (SELECT coalesce(sum(balance), 0)::text FROM held),
  'active', (SELECT coalesce(sum(balance), 0)::text FROM held WHERE day > $4 - ${ACTIVE_DAYS}),
  'holders', holders, 'topHolders', top_holders, 'topBalance', top_balance::text, 'share', ${SHARE}) AS row FROM richest`);

/** Days of currencies, the newest first. */
export function readEconomyDays(pool: Pool, projectId: string, { space, from, to, currency, before, limit }: EconomyDays) {
  const [day, name] = before ?? [NEVER, ''];
  return rowsOf<EconomyDayRow>(pool, 'economy-read-days', DAYS, [projectId, space, from, to, currency, day, name, limit + 1]);
}

/** Where money came from and went to. */
export function readEconomyFlows(pool: Pool, projectId: string, query: EconomyFlows) {
  return rowsOf<EconomyFlowRow>(pool, `economy-flows-${query.by}`, FLOWS[query.by], [
    ...chosen(projectId, query),
    query.after,
    query.limit + 1,
  ]);
}

/** Who moved most, the largest first. */
export function readEconomyMovers(pool: Pool, projectId: string, query: EconomyMovers) {
  const [value, player] = query.before ?? [null, null];
  return rowsOf<EconomyPlayerRow>(pool, `economy-movers-${query.order}`, MOVERS[query.order], [
    ...chosen(projectId, query),
    value,
    player,
    query.limit + 1,
  ]);
}

/** How much there is of a currency, and how it is shared. */
export function readEconomySupply(pool: Pool, projectId: string, { space, currency, today }: EconomySupplyQuery) {
  return rowsOf<EconomySupplyRow>(pool, 'economy-supply-now', SUPPLY, [projectId, space, currency, today]);
}

/** The player for whom most came in within an hour. */
export function readEconomyHour(pool: Pool, projectId: string, { currency, source, day, from, to, over }: EconomyHourQuery) {
  return rowsOf<EconomyHourRow>(pool, 'economy-hour', HOUR, [projectId, day, currency, source, over, from, to]);
}

/** Later than every day. */
const NEVER = 2_147_483_647;

/** The first nine values of statements over {@link CHOSEN}. */
export function chosen(projectId: string, query: EconomyRange & FlowFilter): unknown[] {
  const { space, from, to, currency, collection, field, source, endpoint } = query;
  return [projectId, space, from, to, currency, collection, field, source, endpoint];
}

/** Throws 400 `ECONOMY_RANGE_TOO_LARGE` when the statement takes too long. */
async function rowsOf<Row>(pool: Pool, name: string, text: string, values: unknown[]): Promise<EconomyPage<Row>> {
  const { rows } = await readWithin<Page>(pool, { name, text, values }, 'ECONOMY_RANGE_TOO_LARGE');
  return { revision: Number(rows[0]?.revision ?? -1), rows: JSON.parse(rows[0]?.rows ?? '[]') as Row[] };
}
