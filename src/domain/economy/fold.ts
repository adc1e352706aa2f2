import type { LedgerEntry, Posting, ProjectEvent, Space } from '../events.ts';
import { type Amount, amountOf, negated, plus, signOf } from './amount.ts';
import { classesOf } from './classes.ts';

/** What the economy is told of one `ledger.posted`. */
export interface Posted {
  readonly space: Space;
  readonly revision: number;
  readonly at: number;
  readonly isCorrection: boolean;
  /** Slug of the endpoint that wrote; empty: none. */
  readonly endpoint: string;
  readonly postings: readonly Posting[];
}

/** `isCorrection`: whether its cause puts something right. */
export function postedOf(
  { data, metadata, revision }: Extract<ProjectEvent, { readonly type: 'ledger.posted' }>,
  isCorrection: boolean,
): Posted {
  const { space, postings } = data;
  return { space, postings, revision, at: metadata.recordedAt, isCorrection, endpoint: metadata.actor.endpoint ?? '' };
}

/** Where money moved: one row of a day. */
export interface Place {
  readonly space: Space;
  readonly currency: string;
  readonly collection: string;
  readonly field: string;
  readonly source: string;
  readonly endpoint: string;
  readonly isCorrection: boolean;
}

/** Sums over entries. In and out are not negative. */
interface Sums {
  entries: number;
  inflow: Amount;
  outflow: Amount;
}

/** A place, with what of its sums came from nowhere and went nowhere. A correction is neither. */
export interface PlaceSums extends Sums {
  readonly place: Place;
  faucet: Amount;
  sink: Amount;
}

/** What one player's entries of a commit were in one place. */
export interface PlayerSums extends Sums {
  readonly player: string;
  readonly place: string;
}

/** Names of fields and sources of one day, as far as they are told apart. */
export interface DayNames {
  fieldOf(space: Space, collection: string, field: string): string;
  sourceOf(space: Space, collection: string, field: string, source: string): string;
}

/** The most sources of a field, and fields of a collection, that one day tells apart. */
export const MAX_NAMES = 200;
/** Stands for all other sources of a field. */
export const OTHER_SOURCE = 'other';
/** Stands for all other fields of a collection. */
export const OTHER_FIELD = '*';

const DAY_MS = 86_400_000;

/** The day of a time, counted from 1970-01-01 UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

export function startOfDay(day: number): number {
  return day * DAY_MS;
}

/** The sums of postings of one day, by place, and by player and place for each commit. */
export class EconomyFold {
  readonly places = new Map<string, PlaceSums>();
  readonly #names: DayNames;

  constructor(names: DayNames) {
    this.#names = names;
  }

  /** Adds one commit; its sums by player. */
  add(posted: Posted): readonly PlayerSums[] {
    const commit = new Map<string, PlaceSums>();
    const players = new Map<string, PlayerSums>();
    for (const posting of posted.postings) this.#addPosting(posted, posting, commit, players);
    if (!posted.isCorrection) classify([...commit.values()]);
    for (const [key, sums] of commit) this.#merge(key, sums);
    return [...players.values()];
  }

  #addPosting(posted: Posted, { collection, player, entries }: Posting, commit: Map<string, PlaceSums>, players: Map<string, PlayerSums>) {
    for (const entry of entries) {
      const place = placeOf(posted, collection, entry, this.#names);
      const key = keyOf(place);
      let sums = commit.get(key);
      if (sums === undefined) {
        sums = { place, entries: 0, inflow: 0, outflow: 0, faucet: 0, sink: 0 };
        commit.set(key, sums);
      }
      const ofPlayer = `${key}\0${player}`;
      let own = players.get(ofPlayer);
      if (own === undefined) {
        own = { player, place: key, entries: 0, inflow: 0, outflow: 0 };
        players.set(ofPlayer, own);
      }
      const amount = amountOf(entry.delta);
      count(sums, amount);
      count(own, amount);
    }
  }

  #merge(key: string, sums: PlaceSums): void {
    const known = this.places.get(key);
    if (known === undefined) {
      this.places.set(key, sums);
      return;
    }
    known.entries += sums.entries;
    known.inflow = plus(known.inflow, sums.inflow);
    known.outflow = plus(known.outflow, sums.outflow);
    known.faucet = plus(known.faucet, sums.faucet);
    known.sink = plus(known.sink, sums.sink);
  }
}

/** Where an entry of a commit counts. */
export function placeOf({ space, endpoint, isCorrection }: Posted, collection: string, entry: LedgerEntry, names: DayNames): Place {
  const field = names.fieldOf(space, collection, entry.field);
  const source = names.sourceOf(space, collection, field, entry.source);
  return { space, currency: entry.currency ?? `${collection}.${field}`, collection, field, source, endpoint, isCorrection };
}

/** A text of its own for each place. */
export function keyOf({ space, currency, collection, field, source, endpoint, isCorrection }: Place): string {
  return `${space}\0${currency}\0${collection}\0${field}\0${source}\0${endpoint}\0${isCorrection ? 1 : 0}`;
}

function count(sums: Sums, amount: Amount): void {
  sums.entries += 1;
  if (signOf(amount) < 0) sums.outflow = plus(sums.outflow, negated(amount));
  else sums.inflow = plus(sums.inflow, amount);
}

function classify(places: readonly PlaceSums[]): void {
  for (const currency of new Set(places.map(({ place }) => place.currency))) {
    const own = places.filter(({ place }) => place.currency === currency);
    const classes = classesOf(own.map(({ place, inflow, outflow }) => ({ source: place.source, inflow, outflow })));
    for (const [at, sums] of own.entries()) Object.assign(sums, classes[at]);
  }
}

/** A currency's sums of one day. */
export interface CurrencySums extends Sums {
  readonly space: Space;
  readonly currency: string;
  faucet: Amount;
  sink: Amount;
  correctedIn: Amount;
  correctedOut: Amount;
}

/** The sums of places, by currency. */
export function byCurrency(places: Iterable<PlaceSums>): readonly CurrencySums[] {
  const currencies = new Map<string, CurrencySums>();
  for (const { place, entries, inflow, outflow, faucet, sink } of places) {
    const { space, currency } = place;
    const key = `${space}\0${currency}`;
    const known = currencies.get(key);
    const sums = known ?? { space, currency, entries: 0, inflow: 0, outflow: 0, faucet: 0, sink: 0, correctedIn: 0, correctedOut: 0 };
    sums.entries += entries;
    sums.inflow = plus(sums.inflow, inflow);
    sums.outflow = plus(sums.outflow, outflow);
    sums.faucet = plus(sums.faucet, faucet);
    sums.sink = plus(sums.sink, sink);
    if (place.isCorrection) {
      sums.correctedIn = plus(sums.correctedIn, inflow);
      sums.correctedOut = plus(sums.correctedOut, outflow);
    }
    currencies.set(key, sums);
  }
  return [...currencies.values()];
}
