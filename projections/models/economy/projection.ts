import { isCorrectionCause } from '../../../src/domain/correction/causes.ts';
import { amountText } from '../../../src/domain/economy/amount.ts';
import { byCurrency, dayOf, EconomyFold, type Place, type PlayerSums, type Posted, startOfDay } from '../../../src/domain/economy/fold.ts';
import { KeptNames, type NameList } from '../../../src/domain/economy/names.ts';
import type { ProjectEvent } from '../../../src/domain/events.ts';
import { groupBy } from '../../../src/kernel/group.ts';
import { hashText } from '../../../src/kernel/hash.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';
import { ACTIVE_DAYS, CLOSE_DAY, SETTLE } from './settle.ts';

/** How long sums by player wait before they are added up. No span lies in two days. */
const SPAN_MS = 60_000;
const BLOCK_REVISIONS = 32;
/** Of how many revisions sums wait at most: adding them up takes a second of a slow machine. */
const WAITING_REVISIONS = 16_384;

/** $2 day, $3 spaces, $4 collections. One row: the names of these collections on the day, and the first that waits. */
const BEFORE = `
SELECT p.span, p.block,
  (SELECT coalesce(json_agg(json_build_object('space', n.space, 'collection', n.collection, 'field', n.field, 'names', n.names)), '[]')
    FROM {economy_names} n WHERE n.project = $1 AND n.day = $2 AND n.space = ANY ($3::text[]) AND n.collection = ANY ($4::text[])) AS names
FROM (SELECT) one LEFT JOIN LATERAL (SELECT w.span, w.block FROM {economy_pending} w WHERE w.project = $1 ORDER BY w.span, w.block LIMIT 1) p ON true`;

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
INSERT INTO {economy_pending} AS p (project, space, span, block, day, parts, players, entries, inflows, outflows)
SELECT $1, b.space, b.span, b.block, $2, l.parts[b.first:b.last], l.players[b.first:b.last], l.entries[b.first:b.last], l.inflows[b.first:b.last],
  l.outflows[b.first:b.last]
FROM unnest($25::text[], $26::bigint[], $27::bigint[], $28::int[], $29::int[]) AS b (space, span, block, first, last),
  (SELECT $30::text[] AS parts, $31::text[] AS players, $32::bigint[] AS entries, $33::text[]::numeric[] AS inflows,
    $34::text[]::numeric[] AS outflows OFFSET 0) l
ON CONFLICT (project, span, block, space) DO UPDATE SET parts = p.parts || excluded.parts, players = p.players || excluded.players,
  entries = p.entries || excluded.entries, inflows = p.inflows || excluded.inflows, outflows = p.outflows || excluded.outflows`;

/** `waiting`: of how many revisions sums by player wait at most, whole blocks. */
export function economyView(waiting: number): Projection {
  return {
    name: 'economy',
    kind: 'view',
    derived: false,
    async project({ events }, tx) {
      const posted = events.flatMap((event) => (event.type === 'ledger.posted' ? [postedOf(event)] : []));
      for (const [day, ofDay] of groupBy(posted, ({ at }) => dayOf(at))) await projectDay(tx, day, ofDay, waiting);
    },
  };
}

export const economy: Projection = economyView(WAITING_REVISIONS);

function postedOf(event: Extract<ProjectEvent, { readonly type: 'ledger.posted' }>): Posted {
  const { data, metadata, revision } = event;
  const isCorrection = isCorrectionCause(metadata.cause);
  return { ...data, revision, at: metadata.recordedAt, isCorrection, endpoint: metadata.actor.endpoint ?? '' };
}

/** Times never go back within a stream, so what waits of earlier days is complete. */
async function projectDay(tx: Transaction, day: number, posted: readonly Posted[], waiting: number): Promise<void> {
  const [first, last] = [posted[0], posted.at(-1)];
  if (first === undefined || last === undefined) return;
  const collections = posted.flatMap(({ postings }) => postings.map(({ collection }) => collection));
  const before = await stateBefore(tx, day, [...new Set(posted.map(({ space }) => space))], [...new Set(collections)]);
  const begin: Waiting = { span: spanOf(startOfDay(day)), block: 0 };
  const earlier = before.waiting !== null && before.waiting.span < begin.span;
  if (earlier) await settle(tx, begin);
  const names = new KeptNames(before.names);
  const fold = new EconomyFold(names);
  const lines = posted.map((one) => ({ posted: one, players: fold.add(one) }));
  await writeNames(tx, day, names.grown());
  await write(tx, day, fold, lines);
  const oldest = earlier || before.waiting === null ? waitingOf(first) : before.waiting;
  const due = { span: spanOf(last.at), block: blockOf(last.revision - (last.revision % waiting)) };
  if (oldest.span < due.span || oldest.block < due.block) await settle(tx, due);
}

function spanOf(at: number): number {
  return Math.floor(at / SPAN_MS);
}

function blockOf(revision: number): number {
  return Math.floor(revision / BLOCK_REVISIONS);
}

/** Where a sum by player waits. */
interface Waiting {
  readonly span: number;
  readonly block: number;
}

function waitingOf({ at, revision }: Posted): Waiting {
  return { span: spanOf(at), block: blockOf(revision) };
}

interface Before {
  readonly waiting: Waiting | null;
  readonly names: readonly NameList[];
}

async function stateBefore(tx: Transaction, day: number, spaces: readonly string[], collections: readonly string[]): Promise<Before> {
  const [row] = await tx.run<BeforeRow>('economy-before', BEFORE, [day, spaces, collections]);
  const waiting = row === undefined || row.span === null ? null : { span: Number(row.span), block: Number(row.block) };
  return { waiting, names: row?.names ?? [] };
}

interface BeforeRow {
  readonly span: string | null;
  readonly block: string | null;
  readonly names: NameList[];
}

/** Adds up what waits from before this place. When it is of an earlier day, that day is closed. */
async function settle(tx: Transaction, { span, block }: Waiting): Promise<void> {
  const [{ day } = { day: null }] = await tx.run<{ day: number | null }>('economy-settle', SETTLE, [span, block]);
  if (day !== null && dayOf(span * SPAN_MS) > day) await tx.run('economy-close', CLOSE_DAY, [day, ACTIVE_DAYS]);
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

interface Lines {
  readonly posted: Posted;
  readonly players: readonly PlayerSums[];
}

async function write(tx: Transaction, day: number, { places }: EconomyFold, lines: readonly Lines[]): Promise<void> {
  const parts = new Map([...places].map(([key, { place }]) => [key, partOf(place)]));
  await tx.run('economy-write', WRITE, [
    day,
    ...columnsOfDays(places, parts),
    ...columnsOfSupply(places),
    ...columnsOfPending(lines, parts),
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
function columnsOfPending(all: readonly Lines[], parts: ReadonlyMap<string, string>): Columns {
  const groups = [...groupBy(all, ({ posted }) => `${posted.space} ${spanOf(posted.at)} ${blockOf(posted.revision)}`).values()];
  const rows: { readonly posted: Posted; readonly first: number; readonly last: number }[] = [];
  const lines: PlayerSums[] = [];
  for (const group of groups) {
    const first = lines.length + 1;
    for (const { players } of group) lines.push(...players);
    const [head] = group;
    if (head !== undefined) rows.push({ posted: head.posted, first, last: lines.length });
  }
  return [
    rows.map(({ posted }) => posted.space),
    rows.map(({ posted }) => spanOf(posted.at)),
    rows.map(({ posted }) => blockOf(posted.revision)),
    rows.map(({ first }) => first),
    rows.map(({ last }) => last),
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
