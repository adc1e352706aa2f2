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
const SPAN_MS = 10_000;
const BLOCK_REVISIONS = 32;

/** $2 day, $3 spaces, $4 collections: the names of these collections on the day, and the first span that waits. */
const BEFORE = `
SELECT (SELECT min(p.span) FROM {economy_pending} p WHERE p.project = $1) AS span,
  (SELECT coalesce(json_agg(json_build_object('space', n.space, 'collection', n.collection, 'field', n.field, 'names', n.names)), '[]')
    FROM {economy_names} n WHERE n.project = $1 AND n.day = $2 AND n.space = ANY ($3::text[]) AND n.collection = ANY ($4::text[])) AS names`;

const NAMES = `
INSERT INTO {economy_names} (project, space, day, collection, field, names)
SELECT $1, space, $2, collection, field, names::json FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS w (space, collection, field, names)
ON CONFLICT (project, space, day, collection, field) DO UPDATE SET names = excluded.names`;

const DAYS = `
INSERT INTO {economy_days} AS d
  (project, space, day, part, currency, collection, field, source, endpoint, correction, entries, players, inflow, outflow, faucet, sink)
SELECT $1, space, $2, part, currency, collection, field, source, endpoint, correction = 'true', entries, 0, inflow::numeric, outflow::numeric,
  faucet::numeric, sink::numeric
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[],
            $13::text[], $14::text[], $15::text[])
  AS w (space, part, currency, collection, field, source, endpoint, correction, entries, inflow, outflow, faucet, sink)
ON CONFLICT (project, space, day, part) DO UPDATE SET entries = d.entries + excluded.entries, inflow = d.inflow + excluded.inflow,
  outflow = d.outflow + excluded.outflow, faucet = d.faucet + excluded.faucet, sink = d.sink + excluded.sink`;

const SUPPLY = `
INSERT INTO {economy_supply} AS s
  (project, space, currency, day, opening, entries, inflow, outflow, faucet, sink, corrected_in, corrected_out)
SELECT $1, w.space, w.currency, $2,
  coalesce((SELECT b.opening + b.inflow - b.outflow FROM {economy_supply} b
    WHERE b.project = $1 AND b.space = w.space AND b.currency = w.currency AND b.day < $2 ORDER BY b.day DESC LIMIT 1), 0),
  entries, inflow::numeric, outflow::numeric, faucet::numeric, sink::numeric, corrected_in::numeric, corrected_out::numeric
FROM unnest($3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
  AS w (space, currency, entries, inflow, outflow, faucet, sink, corrected_in, corrected_out)
ON CONFLICT (project, space, currency, day) DO UPDATE SET entries = s.entries + excluded.entries, inflow = s.inflow + excluded.inflow,
  outflow = s.outflow + excluded.outflow, faucet = s.faucet + excluded.faucet, sink = s.sink + excluded.sink,
  corrected_in = s.corrected_in + excluded.corrected_in, corrected_out = s.corrected_out + excluded.corrected_out`;

const PENDING = `
INSERT INTO {economy_pending} AS p (project, space, span, block, day, lines)
SELECT $1, space, span, block, $2, lines FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::text[]) AS w (space, span, block, lines)
ON CONFLICT (project, space, span, block) DO UPDATE SET lines = p.lines || ',' || excluded.lines`;

export const economy: Projection = {
  name: 'economy',
  kind: 'view',
  derived: false,
  async project({ events }, tx) {
    const posted = events.flatMap((event) => (event.type === 'ledger.posted' ? [postedOf(event)] : []));
    for (const [day, ofDay] of groupBy(posted, ({ at }) => dayOf(at))) await projectDay(tx, day, ofDay);
  },
};

function postedOf(event: Extract<ProjectEvent, { readonly type: 'ledger.posted' }>): Posted {
  const { data, metadata, revision } = event;
  const isCorrection = isCorrectionCause(metadata.cause);
  return { ...data, revision, at: metadata.recordedAt, isCorrection, endpoint: metadata.actor.endpoint ?? '' };
}

/** Times never go back within a stream, so what waits of earlier days is complete. */
async function projectDay(tx: Transaction, day: number, posted: readonly Posted[]): Promise<void> {
  const collections = posted.flatMap(({ postings }) => postings.map(({ collection }) => collection));
  const before = await stateBefore(tx, day, [...new Set(posted.map(({ space }) => space))], [...new Set(collections)]);
  const firstSpan = spanOf(startOfDay(day));
  const earlier = before.span !== null && before.span < firstSpan;
  if (earlier) await settle(tx, firstSpan);
  const names = new KeptNames(before.names);
  const fold = new EconomyFold(names);
  const lines = posted.map((one) => ({ posted: one, players: fold.add(one) }));
  const parts = new Map([...fold.places].map(([key, { place }]) => [key, partOf(place)]));
  await writeNames(tx, day, names.grown());
  await writeDays(tx, day, fold, parts);
  await writeSupply(tx, day, fold);
  await writePending(tx, day, lines, parts);
  const last = spanOf(Math.max(...posted.map(({ at }) => at)));
  const first = earlier || before.span === null ? spanOf(Math.min(...posted.map(({ at }) => at))) : before.span;
  if (first < last) await settle(tx, last);
}

function spanOf(at: number): number {
  return Math.floor(at / SPAN_MS);
}

async function stateBefore(tx: Transaction, day: number, spaces: readonly string[], collections: readonly string[]) {
  const [row] = await tx.run<{ span: string | null; names: NameList[] }>('economy-before', BEFORE, [day, spaces, collections]);
  return { span: row?.span == null ? null : Number(row.span), names: row?.names ?? [] };
}

/** Adds up what waits of spans before this one. When they are of an earlier day, that day is closed. */
async function settle(tx: Transaction, span: number): Promise<void> {
  const [{ day } = { day: null }] = await tx.run<{ day: number | null }>('economy-settle', SETTLE, [span]);
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

async function writeDays(tx: Transaction, day: number, { places }: EconomyFold, parts: ReadonlyMap<string, string>): Promise<void> {
  const rows = [...places];
  await tx.run('economy-days', DAYS, [
    day,
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
  ]);
}

async function writeSupply(tx: Transaction, day: number, { places }: EconomyFold): Promise<void> {
  const rows = byCurrency(places.values());
  await tx.run('economy-supply', SUPPLY, [
    day,
    rows.map(({ space }) => space),
    rows.map(({ currency }) => currency),
    rows.map(({ entries }) => entries),
    rows.map(({ inflow }) => amountText(inflow)),
    rows.map(({ outflow }) => amountText(outflow)),
    rows.map(({ faucet }) => amountText(faucet)),
    rows.map(({ sink }) => amountText(sink)),
    rows.map(({ correctedIn }) => amountText(correctedIn)),
    rows.map(({ correctedOut }) => amountText(correctedOut)),
  ]);
}

interface Lines {
  readonly posted: Posted;
  readonly players: readonly PlayerSums[];
}

async function writePending(tx: Transaction, day: number, all: readonly Lines[], parts: ReadonlyMap<string, string>): Promise<void> {
  const rows = [...groupBy(all, ({ posted }) => `${posted.space} ${spanOf(posted.at)} ${Math.floor(posted.revision / BLOCK_REVISIONS)}`)];
  const head = rows.map(([, [first]]) => first?.posted);
  await tx.run('economy-pending', PENDING, [
    day,
    head.map((posted) => posted?.space ?? ''),
    head.map((posted) => spanOf(posted?.at ?? 0)),
    head.map((posted) => Math.floor((posted?.revision ?? 0) / BLOCK_REVISIONS)),
    rows.map(([, lines]) => lines.flatMap(({ players }) => players.map((player) => lineOf(player, parts))).join()),
  ]);
}

function lineOf({ player, place, entries, inflow, outflow }: PlayerSums, parts: ReadonlyMap<string, string>): string {
  const part = parts.get(place) ?? '';
  return `{"t":"${part}","p":${JSON.stringify(player)},"n":${entries},"i":${amountText(inflow)},"o":${amountText(outflow)}}`;
}

/** A short name of a place within its day and space. */
function partOf({ currency, collection, field, source, endpoint, isCorrection }: Place): string {
  return hashText(JSON.stringify([currency, collection, field, source, endpoint, isCorrection])).slice(0, 16);
}
