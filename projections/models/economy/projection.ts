import { isCorrectionCause } from '../../../src/domain/correction/causes.ts';
import { amountText } from '../../../src/domain/economy/amount.ts';
import { byCurrency, dayOf, EconomyFold, type Place, type Posted, postedOf } from '../../../src/domain/economy/fold.ts';
import { KeptNames, type NameList } from '../../../src/domain/economy/names.ts';
import { groupBy } from '../../../src/kernel/group.ts';
import { hashText } from '../../../src/kernel/hash.ts';
import type { Projection } from '../../batch.ts';
import { endsOf } from '../../list-ends.ts';
import type { Transaction } from '../../tables.ts';
import { BUCKETS, dueAt, type PendingBlock, type PendingRow, PendingRows } from './pending.ts';
import { ACTIVE_DAYS, CLOSE_DAY, SETTLE } from './settle.ts';

/** Adding up a bucket once takes a fifth of a second at most: half as many commits have moved money, perhaps of as many players. */
const TURN_REVISIONS = 8_192;

/** $2 day, $3 spaces, $4 collections. One row: the first that waits of each bucket, and the names of these collections on the day. */
const BEFORE = `
SELECT (SELECT coalesce(json_agg(json_build_object('bucket', b.bucket, 'block', p.block, 'day', p.day)), '[]')
    FROM generate_series(0, ${BUCKETS - 1}) AS b (bucket) CROSS JOIN LATERAL (
      SELECT w.block, w.day FROM {economy_pending} w WHERE w.project = $1 AND w.bucket = b.bucket ORDER BY w.block LIMIT 1) p) AS waiting,
  (SELECT coalesce(json_agg(json_build_object('space', n.space, 'collection', n.collection, 'field', n.field, 'names', n.names)), '[]')
    FROM {economy_names} n WHERE n.project = $1 AND n.day = $2 AND n.space = ANY ($3::text[]) AND n.collection = ANY ($4::text[])) AS names`;

const NAMES = `
INSERT INTO {economy_names} (project, space, day, collection, field, names)
SELECT $1, space, $2, collection, field, names::json FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS w (space, collection, field, names)
ON CONFLICT (project, space, day, collection, field) DO UPDATE SET names = excluded.names`;

/** One statement, because each would cost as much as the few rows that it writes. $2: the day. */
const WRITE = `
WITH days AS (
  INSERT INTO {economy_days} AS d
    (project, space, day, part, currency, collection, field, source, endpoint, correction, entries, players, inflow, outflow, faucet, sink)
  SELECT $1, space, $2, part, currency, collection, field, source, endpoint, correction = 'true', entries, 0, inflow::numeric, outflow::numeric,
    faucet::numeric, sink::numeric
  FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[],
              $13::text[], $14::text[], $15::text[])
    AS w (space, part, currency, collection, field, source, endpoint, correction, entries, inflow, outflow, faucet, sink)
  ON CONFLICT (project, space, day, part) DO UPDATE SET entries = d.entries + excluded.entries, inflow = d.inflow + excluded.inflow,
    outflow = d.outflow + excluded.outflow, faucet = d.faucet + excluded.faucet, sink = d.sink + excluded.sink),
supply AS (
  INSERT INTO {economy_supply} AS s
    (project, space, currency, day, opening, entries, inflow, outflow, faucet, sink, corrected_in, corrected_out)
  SELECT $1, w.space, w.currency, $2,
    coalesce((SELECT b.opening + b.inflow - b.outflow FROM {economy_supply} b
      WHERE b.project = $1 AND b.space = w.space AND b.currency = w.currency AND b.day < $2 ORDER BY b.day DESC LIMIT 1), 0),
    entries, inflow::numeric, outflow::numeric, faucet::numeric, sink::numeric, corrected_in::numeric, corrected_out::numeric
  FROM unnest($16::text[], $17::text[], $18::bigint[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[])
    AS w (space, currency, entries, inflow, outflow, faucet, sink, corrected_in, corrected_out)
  ON CONFLICT (project, space, currency, day) DO UPDATE SET entries = s.entries + excluded.entries, inflow = s.inflow + excluded.inflow,
    outflow = s.outflow + excluded.outflow, faucet = s.faucet + excluded.faucet, sink = s.sink + excluded.sink,
    corrected_in = s.corrected_in + excluded.corrected_in, corrected_out = s.corrected_out + excluded.corrected_out)
INSERT INTO {economy_pending} AS p (project, space, bucket, block, day, parts, players, entries, inflows, outflows)
SELECT $1, b.space, b.bucket, b.block, $2, l.parts[b.first:b.last], l.players[b.first:b.last], l.entries[b.first:b.last],
  l.inflows[b.first:b.last], l.outflows[b.first:b.last]
FROM unnest($25::text[], $26::int[], $27::bigint[], $28::int[], $29::int[]) AS b (space, bucket, block, first, last),
  (SELECT $30::text[] AS parts, $31::text[] AS players, $32::bigint[] AS entries, $33::text[]::numeric[] AS inflows,
    $34::text[]::numeric[] AS outflows OFFSET 0) l
ON CONFLICT (project, bucket, block, space) DO UPDATE SET parts = p.parts || excluded.parts, players = p.players || excluded.players,
  entries = p.entries || excluded.entries, inflows = p.inflows || excluded.inflows, outflows = p.outflows || excluded.outflows`;

/** `turnRevisions`: a multiple of 16, because a turn has as many blocks. */
export function economyView(turnRevisions: number): Projection {
  return {
    name: 'economy',
    kind: 'view',
    derived: false,
    async project({ events }, tx) {
      const posted = events.flatMap((event) =>
        event.type === 'ledger.posted' ? [postedOf(event, isCorrectionCause(event.metadata.cause))] : [],
      );
      for (const [day, ofDay] of groupBy(posted, ({ at }) => dayOf(at))) await projectDay(tx, day, ofDay, turnRevisions);
    },
  };
}

export const economy: Projection = economyView(TURN_REVISIONS);

/** Times never go back within a stream, so what waits of earlier days is complete. */
async function projectDay(tx: Transaction, day: number, posted: readonly Posted[], turnRevisions: number): Promise<void> {
  const last = posted.at(-1);
  if (last === undefined) return;
  const collections = posted.flatMap(({ postings }) => postings.map(({ collection }) => collection));
  const before = await stateBefore(tx, day, [...new Set(posted.map(({ space }) => space))], [...new Set(collections)]);
  const earlier = before.waiting.find((waiting) => waiting.day < day);
  if (earlier !== undefined) await closeDay(tx, earlier.day);
  const names = new KeptNames(before.names);
  const fold = new EconomyFold(names);
  const rows = new PendingRows(turnRevisions);
  for (const one of posted) rows.add(one, fold.add(one));
  await writeNames(tx, day, names.grown());
  await write(tx, day, fold, rows.all);
  const waiting: readonly PendingBlock[] = earlier === undefined ? [...before.waiting, ...rows.all] : rows.all;
  const due = dueAt(last.revision, turnRevisions).filter(({ bucket, block }) =>
    waiting.some((row) => row.bucket === bucket && row.block < block),
  );
  if (due.length > 0) await settle(tx, due);
}

interface Before {
  readonly waiting: readonly (PendingBlock & { readonly day: number })[];
  readonly names: readonly NameList[];
}

async function stateBefore(tx: Transaction, day: number, spaces: readonly string[], collections: readonly string[]): Promise<Before> {
  const [before] = await tx.run<Before>('economy-before', BEFORE, [day, spaces, collections]);
  return before ?? { waiting: [], names: [] };
}

/** Adds up what waits of each of these buckets, before its block. */
async function settle(tx: Transaction, due: readonly PendingBlock[]): Promise<void> {
  await tx.run('economy-settle', SETTLE, [due.map(({ bucket }) => bucket), due.map(({ block }) => block)]);
}

/** Adds up all that waits, which is of this day. */
async function closeDay(tx: Transaction, day: number): Promise<void> {
  await settle(
    tx,
    Array.from({ length: BUCKETS }, (_, bucket) => ({ bucket, block: Number.MAX_SAFE_INTEGER })),
  );
  await tx.run('economy-close', CLOSE_DAY, [day, ACTIVE_DAYS]);
}

async function writeNames(tx: Transaction, day: number, lists: readonly NameList[]): Promise<void> {
  if (lists.length === 0) return;
  await tx.run('economy-names', NAMES, [
    day,
    lists.map(({ space }) => space),
    lists.map(({ collection }) => collection),
    lists.map(({ field }) => field),
    lists.map(({ names }) => JSON.stringify(names)),
  ]);
}

async function write(tx: Transaction, day: number, { places }: EconomyFold, waiting: readonly PendingRow[]): Promise<void> {
  const parts = new Map([...places].map(([key, { place }]) => [key, partOf(place)]));
  await tx.run('economy-write', WRITE, [
    day,
    ...columnsOfDays(places, parts),
    ...columnsOfSupply(places),
    ...columnsOfPending(waiting, parts),
  ]);
}

type Columns = readonly (readonly (string | number)[])[];

function columnsOfDays(places: EconomyFold['places'], parts: ReadonlyMap<string, string>): Columns {
  const rows = [...places];
  return [
    rows.map(([, { place }]) => place.space),
    rows.map(([key]) => parts.get(key) ?? ''),
    rows.map(([, { place }]) => place.currency),
    rows.map(([, { place }]) => place.collection),
    rows.map(([, { place }]) => place.field),
    rows.map(([, { place }]) => place.source),
    rows.map(([, { place }]) => place.endpoint),
    rows.map(([, { place }]) => String(place.isCorrection)),
    rows.map(([, { entries }]) => entries),
    rows.map(([, { inflow }]) => amountText(inflow)),
    rows.map(([, { outflow }]) => amountText(outflow)),
    rows.map(([, { faucet }]) => amountText(faucet)),
    rows.map(([, { sink }]) => amountText(sink)),
  ];
}

function columnsOfSupply(places: EconomyFold['places']): Columns {
  const rows = byCurrency(places.values());
  return [
    rows.map(({ space }) => space),
    rows.map(({ currency }) => currency),
    rows.map(({ entries }) => entries),
    rows.map(({ inflow }) => amountText(inflow)),
    rows.map(({ outflow }) => amountText(outflow)),
    rows.map(({ faucet }) => amountText(faucet)),
    rows.map(({ sink }) => amountText(sink)),
    rows.map(({ correctedIn }) => amountText(correctedIn)),
    rows.map(({ correctedOut }) => amountText(correctedOut)),
  ];
}

/** Where each row's lines begin and end among all of them, counted from 1, and the lines. */
function columnsOfPending(rows: readonly PendingRow[], parts: ReadonlyMap<string, string>): Columns {
  const lines = rows.flatMap((row) => row.lines);
  const [firsts, lasts] = endsOf(rows.map((row) => row.lines.length));
  return [
    rows.map(({ space }) => space),
    rows.map(({ bucket }) => bucket),
    rows.map(({ block }) => block),
    firsts,
    lasts,
    lines.map(({ place }) => parts.get(place) ?? ''),
    lines.map(({ player }) => player),
    lines.map(({ entries }) => entries),
    lines.map(({ inflow }) => amountText(inflow)),
    lines.map(({ outflow }) => amountText(outflow)),
  ];
}

/** A short name of a place within its day and space. */
function partOf({ currency, collection, field, source, endpoint, isCorrection }: Place): string {
  return hashText(JSON.stringify([currency, collection, field, source, endpoint, isCorrection])).slice(0, 16);
}
