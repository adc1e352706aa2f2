import { LRUCache } from 'lru-cache';
import { type Refusal, refusable, refusal } from '../../kernel/errors.ts';
import { instantOf } from '../../kernel/instant.ts';
import { addDecimals, type ExactNumber, isNumber, type Json, type JsonObject, NumberTooLong, toDouble } from '../../kernel/json.ts';
import { looselyEqual, toText, type Value } from '../../language/expressions/value.ts';
import { metricOf } from '../document/reached.ts';
import { rankOf } from './board-metric.ts';
import { attempt, type QueryEnvironment, type Row, withValueAt } from './evaluate.ts';
import { addMatch, joined, type KeptDocument, type Matches, matchOf } from './join.ts';
import type { Condition, QueryPlan } from './plan.ts';
import { comesBefore, type RankedRow, Ranking } from './ranking.ts';

/** The row that an aggregate shows. */
interface Best extends RankedRow {
  readonly value: number;
}

/** The profile of a row's player; `null`: the key names no player. */
export type ProfileOf = (row: Row) => JsonObject | null;

export interface QueryParts {
  /** Reads a document of a source or, with indexes after those of the sources, of a join. */
  read(source: number, text: string): JsonObject;
  readonly profileOf: ProfileOf;
  /** Most characters of documents that may be kept. */
  readonly mostKept: number;
}

/** Approximate bytes kept besides the text of a document. */
const ROW_OVERHEAD = 120;
/** Most characters of the documents joined to one row. */
const MAX_JOINED = 4 * 1024 * 1024;
/** Joined documents stay parsed from one row to the next, up to this many characters of text. */
const PARSED_CHARACTERS = 4 * MAX_JOINED;

/**
 * One pass of a query over its documents, which come source by source in order of their keys. Documents are kept as texts: those of a
 * leaderboard's rows, or all if sources are merged or joined. A leaderboard over one source that exceeds the bound keeps only as many rows
 * as the query shows.
 */
export class QueryRun {
  readonly #plan: QueryPlan;
  readonly #environment: QueryEnvironment;
  readonly #parts: QueryParts;
  /** By source and key. With one source: only those of ranked rows. */
  readonly #documents: Map<string, string>[];
  /** Of merged and joined documents, by key: when the last source of the row was reached. */
  readonly #reached = new Map<string, number>();
  readonly #matches: readonly Matches[];
  readonly #values = new LRUCache<KeptDocument, JsonObject>({
    maxSize: PARSED_CHARACTERS,
    sizeCalculation: (_, { text }) => text.length + 1,
  });
  readonly #scanned: number[];
  #ranking = new Ranking();
  #isWhole = true;
  #kept = 0;
  readonly #order: 'asc' | 'desc';
  #counted = 0;
  #passed = 0;
  #sum: number | ExactNumber = 0;
  #best: Best | null = null;
  #errors = 0;

  constructor(plan: QueryPlan, environment: QueryEnvironment, parts: QueryParts) {
    this.#plan = plan;
    this.#environment = environment;
    this.#parts = parts;
    this.#order = plan.type === 'leaderboard' ? plan.order : plan.type === 'max' ? 'desc' : 'asc';
    this.#documents = plan.sources.map(() => new Map());
    this.#matches = plan.joins.map(() => new Map());
    this.#scanned = [...plan.sources, ...plan.joins].map(() => 0);
  }

  /** Rows of a leaderboard in order; see {@link isWhole}. */
  get ranking(): Ranking {
    return this.#ranking;
  }

  /** Whether all counted rows are ranked, and not only as many as the query shows. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Rows that have a metric. */
  get counted(): number {
    return this.#counted;
  }

  /** Rows that a count includes. */
  get passed(): number {
    return this.#passed;
  }

  get sum(): number | ExactNumber {
    return this.#sum;
  }

  get best(): Best | null {
    return this.#best;
  }

  /** Number of documents by source and join. */
  get scanned(): readonly number[] {
    return this.#scanned;
  }

  /** Number of computed fields that failed. */
  get errors(): number {
    return this.#errors;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return this.#kept + this.#ranking.bytes;
  }

  /** Whether rows are made of several documents. If so, they are made when all documents are there; else as each document comes. */
  get unites(): boolean {
    return this.#scanned.length > 1;
  }

  /** Takes a document of a source or, by indexes after the sources', of a join. 500 `QUERY_FAILED` if there are too many to keep. */
  add(source: number, stored: KeptDocument): Refusal | null {
    return refusable(() => this.#take(source, stored));
  }

  #take(source: number, stored: KeptDocument): null {
    this.#scanned[source] = (this.#scanned[source] ?? 0) + 1;
    const { joins, sources } = this.#plan;
    const join = joins[source - sources.length];
    const matches = this.#matches[source - sources.length];
    if (join && matches) {
      if (addMatch(matches, join, stored, this.#parts.read(source, stored.text))) this.#keep(stored.text.length);
    } else if (!this.unites) {
      const row = { key: stored.key, data: this.#parts.read(source, stored.text) };
      this.#addRow(row, stored.reached, stored.text);
    } else {
      this.#documents[source]?.set(stored.key, stored.text);
      this.#reached.set(stored.key, Math.max(stored.reached, this.#reached.get(stored.key) ?? 0));
      this.#keep(stored.text.length);
    }
    return null;
  }

  /**
   * Makes the rows of merged and joined documents. It must be run to its end, and may pause between any two steps. Refuses as {@link add}
   * does.
   */
  *finish(): Generator<void, Refusal | null> {
    if (!this.unites) return null;
    for (const key of this.keys()) {
      const refused = refusable(() => this.#addRowOf(key));
      if (refused !== null) return refused;
      yield;
    }
    this.#values.clear();
    this.#reached.clear();
    // The documents of aggregates are not needed any more.
    if (this.#plan.type === 'leaderboard') return null;
    for (const documents of this.#documents) documents.clear();
    for (const matches of this.#matches) matches.clear();
    return null;
  }

  #addRowOf(key: string): null {
    const row = this.#rowOf(key);
    if (row !== null) this.#addRow(row, this.#reached.get(key) ?? 0, null);
    return null;
  }

  /** Characters of the documents of a ranked row, without those joined to them. */
  sizeOf(key: string): number {
    return this.#documents.reduce((sum, documents) => sum + (documents.get(key)?.length ?? 0), 0);
  }

  /** A ranked row, computed again. Throws for an unknown key. */
  row(key: string, profileOf: ProfileOf): Row {
    const row = this.#rowOf(key);
    if (row === null) throw new Error('only a row of the ranking can be shown');
    return this.#computed(this.#withProfile(row, profileOf)).row;
  }

  #keep(characters: number): void {
    this.#kept += characters + ROW_OVERHEAD;
    this.#requireRoom();
  }

  #requireRoom(): void {
    if (this.bytes <= this.#parts.mostKept) return;
    throw refusal('QUERY_FAILED', 'The query joins or shows more documents than one query may keep');
  }

  /** Keys of merged rows, in order, once all documents are there. */
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

  /** The documents of a key with those joined to them; `null`: an inner join drops it. */
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

  /** The documents of a key under the aliases of their sources. */
  #united(key: string): JsonObject {
    const data: Record<string, Json> = {};
    for (const [index, { alias }] of this.#plan.sources.entries()) {
      const text = this.#documents[index]?.get(key);
      if (text !== undefined) data[alias] = this.#parts.read(index, text);
    }
    return data;
  }

  #joinedValues(source: number, found: readonly KeptDocument[]): readonly JsonObject[] {
    if (found.reduce((sum, { text }) => sum + text.length, 0) > MAX_JOINED) {
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

  /** Evaluates a row and adds it to the result. `text`: of its document; `null` if the document is kept already. */
  #addRow(source: Row, reached: number, text: string | null): void {
    const { row, errors } = this.#computed(this.#withProfile(source, this.#parts.profileOf));
    this.#errors += errors;
    const { metric, condition, type } = this.#plan;
    const raw = metric === null ? undefined : attempt(metric, row, this.#environment)?.value;
    if (type === 'count') {
      if (metric === null || condition === null || passes(condition, raw)) this.#passed += 1;
      return;
    }
    const value = isNumber(raw) ? metricOf(raw) : null;
    if (value === null) return;
    this.#counted += 1;
    this.#sum = summed(this.#sum, isNumber(raw) ? raw : value);
    const ranked = { key: row.key, rank: rankOf(value, this.#order), reached };
    if (type === 'leaderboard') this.#rank(ranked, text);
    else if (this.#best === null || comesBefore(ranked, this.#best)) this.#best = { ...ranked, value };
  }

  /** Ties that were reached at once are ordered by key, which is the order of the scan. */
  #rank(row: RankedRow, text: string | null): void {
    const { last, size } = this.#ranking;
    if (!this.#isWhole && size >= this.#plan.limit && (last === undefined || !comesBefore(row, last))) return;
    this.#ranking.set(row);
    if (text === null) return;
    this.#documents[0]?.set(row.key, text);
    this.#kept += text.length + ROW_OVERHEAD;
    if (!this.#isWhole && size >= this.#plan.limit && last) this.#drop(last.key);
    if (this.#isWhole && this.bytes > this.#parts.mostKept) this.#truncate();
    this.#requireRoom();
  }

  /** Drops all rows but those that the query shows. */
  #truncate(): void {
    this.#isWhole = false;
    const [documents] = this.#documents;
    const all = new Map(documents);
    const ranking = new Ranking();
    documents?.clear();
    this.#kept = 0;
    for (const row of this.#ranking.slice(0, this.#plan.limit)) {
      const text = all.get(row.key) ?? '';
      ranking.set(row);
      documents?.set(row.key, text);
      this.#kept += text.length + ROW_OVERHEAD;
    }
    this.#ranking = ranking;
  }

  #drop(key: string): void {
    const [documents] = this.#documents;
    this.#kept -= (documents?.get(key)?.length ?? 0) + ROW_OVERHEAD;
    documents?.delete(key);
    this.#ranking.delete(key);
  }

  #withProfile(row: Row, profileOf: ProfileOf): Row {
    const profile = this.#plan.withProfiles ? profileOf(row) : null;
    return profile === null ? row : { key: row.key, data: { ...row.data, playerProfile: profile } };
  }

  /** Adds the computed fields. Later ones see earlier ones. */
  #computed(row: Row): { readonly row: Row; readonly errors: number } {
    let current = row;
    let errors = 0;
    for (const { name, evaluate, fallback, target } of this.#plan.computed) {
      const outcome = attempt(evaluate, current, this.#environment);
      if (outcome === null) errors += 1;
      const value = outcome === null ? fallback : (outcome.value ?? fallback);
      if (value !== undefined)
        current = { key: row.key, data: withValueAt(withValueAt(current.data, target, value), ['computed', name], value) };
    }
    return { row: current, errors };
  }
}

/** The sum as decimals; as doubles where it would be too long to write out. */
function summed(sum: number | ExactNumber, value: number | ExactNumber): number | ExactNumber {
  try {
    return addDecimals(sum, value);
  } catch (error) {
    if (!(error instanceof NumberTooLong)) throw error;
    return toDouble(sum) + toDouble(value);
  }
}

/** Whether a value passes a filter. An unknown operator passes everything. */
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
  const [earlier, later] = [actual, wanted].map((side) => (typeof side === 'string' ? instantOf(side) : null));
  const [a, b] = typeof earlier === 'number' && typeof later === 'number' ? [earlier, later] : [numeric(actual), numeric(wanted)];
  return a !== null && b !== null && holds(a, b);
}

/** A number, or a text that spells one. */
function numeric(value: Value): number | null {
  if (typeof value === 'string') return value.trim() === '' || Number.isNaN(Number(value)) ? null : Number(value);
  return isNumber(value) ? toDouble(value) : null;
}
