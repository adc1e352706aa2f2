import { LRUCache } from 'lru-cache';
import { type Refusal, refusable, refusal } from '../../kernel/errors.ts';
import { isNumber, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { looselyEqual, toText, type Value } from '../endpoint/value.ts';
import { metricOf, rankOf } from './board-metric.ts';
import { attempt, placed, type Row, type Surroundings } from './evaluate.ts';
import { addMatch, joined, type Matches, matchOf, type Stored } from './join.ts';
import type { Condition, QueryPlan } from './plan.ts';
import { Ranking } from './ranking.ts';

/** What is known of a row's player; `null` where its key names none. */
export type ProfileOf = (row: Row) => JsonObject | null;

export interface QueryParts {
  /** A document of a source, or, counted on from those, of a join, as it reads. */
  read(source: number, text: string): JsonObject;
  readonly profileOf: ProfileOf;
  /** What may be kept of documents, in characters of their texts. */
  readonly mostKept: number;
}

/** What is kept beside the text of a document, about, in bytes. */
const BESIDE_TEXT = 120;
/** Documents joined to one row, in characters of their texts. */
const MOST_JOINED = 4 * 1024 * 1024;
/** Values of joined documents that are kept from one row to the next, in characters of their texts. */
const VALUES = 4 * MOST_JOINED;

/**
 * One pass of a query over its documents, which come source by source in order of their keys. Documents are kept as texts: those of
 * the rows of a leaderboard, and all where sources are united or joined. A leaderboard over one source that comes to more than may be
 * kept goes on with as many rows as the query shows.
 */
export class QueryRun {
  readonly #plan: QueryPlan;
  readonly #around: Surroundings;
  readonly #parts: QueryParts;
  /** By source and key: of one source alone, those of the rows that are ranked. */
  readonly #documents: Map<string, string>[];
  readonly #matches: readonly Matches[];
  readonly #values = new LRUCache<Stored, JsonObject>({ maxSize: VALUES, sizeCalculation: (_, { text }) => text.length + 1 });
  readonly #scanned: number[];
  #ranking = new Ranking();
  #isWhole = true;
  #kept = 0;
  #counted = 0;
  #passed = 0;
  #sum = 0;
  #best: { readonly key: string; readonly value: number } | null = null;
  #errors = 0;

  constructor(plan: QueryPlan, around: Surroundings, parts: QueryParts) {
    this.#plan = plan;
    this.#around = around;
    this.#parts = parts;
    this.#documents = plan.sources.map(() => new Map());
    this.#matches = plan.joins.map(() => new Map());
    this.#scanned = [...plan.sources, ...plan.joins].map(() => 0);
  }

  /** Rows of a leaderboard in order; see {@link isWhole}. */
  get ranking(): Ranking {
    return this.#ranking;
  }

  /** Whether every row that counts is ranked; else as many as the query shows. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Rows that have a metric. */
  get counted(): number {
    return this.#counted;
  }

  /** Rows that a count counts. */
  get passed(): number {
    return this.#passed;
  }

  get sum(): number {
    return this.#sum;
  }

  get best(): { readonly key: string; readonly value: number } | null {
    return this.#best;
  }

  /** Documents by source and join. */
  get scanned(): readonly number[] {
    return this.#scanned;
  }

  /** Computed fields that failed. */
  get errors(): number {
    return this.#errors;
  }

  /** About what it holds in memory. */
  get bytes(): number {
    return this.#kept + this.#ranking.bytes;
  }

  /** Whether rows are made of several documents, once all are there; else each is looked at as it comes. */
  get unites(): boolean {
    return this.#scanned.length > 1;
  }

  /** A document of a source, or, counted on from those, of a join. 500 `QUERY_FAILED` where they are too many to be kept. */
  take(source: number, stored: Stored): Refusal | null {
    return refusable(() => this.#take(source, stored));
  }

  #take(source: number, stored: Stored): null {
    this.#scanned[source] = (this.#scanned[source] ?? 0) + 1;
    const { joins, sources } = this.#plan;
    const join = joins[source - sources.length];
    const matches = this.#matches[source - sources.length];
    if (join && matches) {
      if (addMatch(matches, join, stored, this.#parts.read(source, stored.text))) this.#keep(stored.text.length);
    } else if (!this.unites) {
      this.#see({ key: stored.key, data: this.#parts.read(source, stored.text) }, stored.text);
    } else {
      this.#documents[source]?.set(stored.key, stored.text);
      this.#keep(stored.text.length);
    }
    return null;
  }

  /**
   * Makes the rows of united and joined documents; has to be gone through to its end, and may be left to rest between any two. Refuses as
   * {@link take} does.
   */
  *finish(): Generator<void, Refusal | null> {
    if (!this.unites) return null;
    for (const key of this.keys()) {
      const refused = refusable(() => this.#look(key));
      if (refused !== null) return refused;
      yield;
    }
    this.#values.clear();
    // What aggregates were made of is not asked for again.
    if (this.#plan.type === 'leaderboard') return null;
    for (const documents of this.#documents) documents.clear();
    for (const matches of this.#matches) matches.clear();
    return null;
  }

  #look(key: string): null {
    const row = this.#rowOf(key);
    if (row !== null) this.#see(row, null);
    return null;
  }

  /** Characters of the documents of a row of the ranking; without what is joined to them. */
  sizeOf(key: string): number {
    return this.#documents.reduce((sum, documents) => sum + (documents.get(key)?.length ?? 0), 0);
  }

  /** A row of the ranking, computed once more. Throws for a key that has none. */
  row(key: string, profileOf: ProfileOf): Row {
    const row = this.#rowOf(key);
    if (row === null) throw new Error('only a row of the ranking can be shown');
    return this.#computed(this.#withProfile(row, profileOf)).row;
  }

  #keep(characters: number): void {
    this.#kept += characters + BESIDE_TEXT;
    this.#requireRoom();
  }

  #requireRoom(): void {
    if (this.bytes <= this.#parts.mostKept) return;
    throw refusal('QUERY_FAILED', 'The query joins or shows more documents than one query may keep');
  }

  /** Keys of united rows, in order, once all documents are there. */
  *keys(): Generator<string> {
    const [first, ...others] = this.#documents;
    if (first === undefined) return;
    if (others.length === 0) return yield* first.keys();
    const heads = this.#documents.map((documents) => {
      const keys = documents.keys();
      return { keys, next: keys.next() };
    });
    for (;;) {
      const [least] = heads.flatMap(({ next }) => (next.done === true ? [] : [next.value])).sort();
      if (least === undefined) return;
      yield least;
      for (const head of heads) if (head.next.value === least) head.next = head.keys.next();
    }
  }

  /** The documents of a key, with what is joined to them; `null`: an inner join drops it. */
  #rowOf(key: string): Row | null {
    const { sources, joins } = this.#plan;
    const nested = sources.length + joins.length > 1 && !(sources.length === 1 && joins.every((join) => join.rightOrKey));
    let row: Row | null = { key, data: nested ? this.#united(key) : this.#source(0, key) };
    const first = nested ? (sources[0]?.alias ?? null) : null;
    for (const [index, join] of joins.entries()) {
      const found = matchOf(join, this.#matches[index] ?? new Map(), row, first);
      row = joined(join, this.#joinedValues(sources.length + index, found), row);
      if (row === null) return null;
    }
    return row;
  }

  #source(source: number, key: string): JsonObject {
    const text = this.#documents[source]?.get(key);
    return text === undefined ? {} : this.#parts.read(source, text);
  }

  /** Under the aliases of their sources. */
  #united(key: string): JsonObject {
    const data: Record<string, Json> = {};
    for (const [index, { alias }] of this.#plan.sources.entries()) {
      const text = this.#documents[index]?.get(key);
      if (text !== undefined) data[alias] = this.#parts.read(index, text);
    }
    return data;
  }

  #joinedValues(source: number, found: readonly Stored[]): readonly JsonObject[] {
    if (found.reduce((sum, { text }) => sum + text.length, 0) > MOST_JOINED) {
      throw refusal('QUERY_FAILED', 'The query joins more documents to one row than a row may hold');
    }
    return found.map((stored) => {
      const known = this.#values.get(stored);
      if (known !== undefined) return known;
      const value = this.#parts.read(source, stored.text);
      this.#values.set(stored, value);
      return value;
    });
  }

  /** `text`: of the row's document, where it is not kept anyway. */
  #see(source: Row, text: string | null): void {
    const { row, errors } = this.#computed(this.#withProfile(source, this.#parts.profileOf));
    this.#errors += errors;
    const { metric, condition, type } = this.#plan;
    const raw = metric === null ? undefined : attempt(metric, row, this.#around)?.value;
    if (type === 'count') {
      if (metric === null || condition === null || passes(condition, raw)) this.#passed += 1;
      return;
    }
    const value = isNumber(raw) ? metricOf(raw) : null;
    if (value === null) return;
    this.#counted += 1;
    this.#sum += value;
    if (type === 'leaderboard') this.#rank(row.key, rankOf(value, this.#plan.order), text);
    else if (this.#isBetter(value)) this.#best = { key: row.key, value };
  }

  #isBetter(value: number): boolean {
    if (this.#best === null) return true;
    return this.#plan.type === 'min' ? value < this.#best.value : value > this.#best.value;
  }

  /** Ties go by key, which is the order of the scan. */
  #rank(key: string, rank: number, text: string | null): void {
    const { last, size } = this.#ranking;
    if (!this.#isWhole && size >= this.#plan.limit && (last === undefined || rank >= last.rank)) return;
    this.#ranking.set(key, rank);
    if (text === null) return;
    this.#documents[0]?.set(key, text);
    this.#kept += text.length + BESIDE_TEXT;
    if (!this.#isWhole && size >= this.#plan.limit && last) this.#drop(last.key);
    if (this.#isWhole && this.bytes > this.#parts.mostKept) this.#cut();
    this.#requireRoom();
  }

  /** Goes on with the rows that the query shows. */
  #cut(): void {
    this.#isWhole = false;
    const [documents] = this.#documents;
    const all = new Map(documents);
    const ranking = new Ranking();
    documents?.clear();
    this.#kept = 0;
    for (const { key, rank } of this.#ranking.slice(0, this.#plan.limit)) {
      const text = all.get(key) ?? '';
      ranking.set(key, rank);
      documents?.set(key, text);
      this.#kept += text.length + BESIDE_TEXT;
    }
    this.#ranking = ranking;
  }

  #drop(key: string): void {
    const [documents] = this.#documents;
    this.#kept -= (documents?.get(key)?.length ?? 0) + BESIDE_TEXT;
    documents?.delete(key);
    this.#ranking.delete(key);
  }

  #withProfile(row: Row, profileOf: ProfileOf): Row {
    const profile = this.#plan.withProfiles ? profileOf(row) : null;
    return profile === null ? row : { key: row.key, data: { ...row.data, playerProfile: profile } };
  }

  /** Later fields see earlier ones. */
  #computed(row: Row): { readonly row: Row; readonly errors: number } {
    let current = row;
    let errors = 0;
    for (const { name, evaluate, fallback, target } of this.#plan.computed) {
      const outcome = attempt(evaluate, current, this.#around);
      if (outcome === null) errors += 1;
      const value = outcome === null ? fallback : (outcome.value ?? fallback);
      if (value !== undefined) current = { key: row.key, data: placed(placed(current.data, target, value), ['computed', name], value) };
    }
    return { row: current, errors };
  }
}

/** Operators that are not known pass everything. */
function passes({ operator, value }: Condition, actual: Value): boolean {
  switch (operator) {
    case 'exists':
      return actual !== undefined && actual !== null;
    case 'not_exists':
      return actual === undefined || actual === null;
    case 'eq':
      return isEqual(actual, value);
    case 'neq':
      return !isEqual(actual, value);
    case 'gt':
      return compared(actual, value, (a, b) => a > b);
    case 'gte':
      return compared(actual, value, (a, b) => a >= b);
    case 'lt':
      return compared(actual, value, (a, b) => a < b);
    case 'lte':
      return compared(actual, value, (a, b) => a <= b);
    default:
      return true;
  }
}

function isEqual(actual: Value, wanted: Json): boolean {
  if (actual === undefined || actual === null) return wanted === null;
  if (toText(actual) === toText(wanted)) return true;
  return numeric(actual) !== null && numeric(wanted) !== null && looselyEqual(actual, wanted);
}

function compared(actual: Value, wanted: Json, holds: (a: number, b: number) => boolean): boolean {
  const [a, b] = [numeric(actual), numeric(wanted)];
  return a !== null && b !== null && holds(a, b);
}

/** A number, or a text that spells one. */
function numeric(value: Value): number | null {
  if (typeof value === 'string') return value.trim() === '' || Number.isNaN(Number(value)) ? null : Number(value);
  return isNumber(value) ? toDouble(value) : null;
}
