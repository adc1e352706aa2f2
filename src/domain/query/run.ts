import { isNumber, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { looselyEqual, toText, type Value } from '../endpoint/value.ts';
import { attempt, placed, type Row, type Surroundings } from './evaluate.ts';
import { joined, type Matches, matchesOf } from './join.ts';
import type { Condition, QueryPlan } from './plan.ts';

/** A row with its metric. */
export interface Ranked extends Row {
  readonly value: number;
}

export interface QueryResult {
  /** Ordered, no more than were asked for. */
  readonly ranked: readonly Ranked[];
  /** Rows that have a metric. */
  readonly counted: number;
  /** Rows that a count counts. */
  readonly passed: number;
  readonly sum: number;
  readonly best: Ranked | null;
  readonly scanned: readonly number[];
  readonly errors: number;
}

/** What is known of a row's player; `null` where its key names none. */
export type ProfileOf = (row: Row) => JsonObject | null;

/** Rows that are kept beyond what is wanted before they are cut: sorting once for many. */
const SLACK = 4_096;

/**
 * One pass of a query over its documents, which come source by source in order of their keys. Over one source without joins nothing
 * is kept but the best rows, so that a collection of any size can be counted.
 */
export class QueryRun {
  readonly #plan: QueryPlan;
  readonly #around: Surroundings;
  readonly #profileOf: ProfileOf;
  /** Rows to keep of a leaderboard. */
  readonly #wanted: number;
  readonly #documents: Row[][];
  readonly #scanned: number[];
  #ranked: Ranked[] = [];
  #counted = 0;
  #passed = 0;
  #sum = 0;
  #best: Ranked | null = null;
  #errors = 0;

  constructor(plan: QueryPlan, around: Surroundings, wanted: number, profileOf: ProfileOf) {
    this.#plan = plan;
    this.#around = around;
    this.#wanted = wanted;
    this.#profileOf = profileOf;
    this.#documents = [...plan.sources, ...plan.joins].map(() => []);
    this.#scanned = this.#documents.map(() => 0);
  }

  /** Whether documents are only looked at, not kept. */
  get streams(): boolean {
    return this.#documents.length === 1;
  }

  /** A document of a source, or, counted on from those, of a join. */
  take(source: number, row: Row): void {
    this.#scanned[source] = (this.#scanned[source] ?? 0) + 1;
    if (this.streams) this.#see(row);
    else this.#documents[source]?.push(row);
  }

  finish(): QueryResult {
    if (!this.streams) this.#unite();
    const ranked = this.#ranked.sort((a, b) => this.#compare(a, b)).slice(0, this.#wanted);
    const { counted, passed, sum, best, errors } = {
      counted: this.#counted,
      passed: this.#passed,
      sum: this.#sum,
      best: this.#best,
      errors: this.#errors,
    };
    return { ranked, counted, passed, sum, best, scanned: this.#scanned, errors };
  }

  #unite(): void {
    const { sources, joins } = this.#plan;
    const matches = joins.map((join, index) => matchesOf(join, this.#documents[sources.length + index] ?? []));
    const nested = sources.length + joins.length > 1 && !(sources.length === 1 && joins.every((join) => join.rightOrKey));
    const first = nested ? (sources[0]?.alias ?? null) : null;
    for (const row of nested ? this.#byKey() : (this.#documents[0] ?? [])) this.#attach(row, matches, first);
  }

  #attach(row: Row, matches: readonly Matches[], first: string | null): void {
    let current: Row = row;
    for (const [index, join] of this.#plan.joins.entries()) {
      const next = joined(join, matches[index] ?? new Map(), current, first);
      if (next === null) return;
      current = next;
    }
    this.#see(current);
  }

  /** The documents of all sources under their aliases, in order of the keys. */
  #byKey(): Row[] {
    const rows = new Map<string, Record<string, Json>>();
    for (const [index, { alias }] of this.#plan.sources.entries()) {
      for (const { key, data } of this.#documents[index] ?? []) {
        const row = rows.get(key) ?? {};
        row[alias] = data;
        rows.set(key, row);
      }
    }
    return [...rows].map(([key, data]) => ({ key, data })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #see(source: Row): void {
    const row = this.#computed(this.#withProfile(source));
    const { metric, condition, type } = this.#plan;
    const raw = metric === null ? undefined : attempt(metric, row, this.#around)?.value;
    if (type === 'count') {
      if (metric === null || condition === null || passes(condition, raw)) this.#passed += 1;
      return;
    }
    const value = metricNumber(raw);
    if (value === null) return;
    this.#counted += 1;
    this.#sum += value;
    if (type === 'leaderboard') this.#rank({ ...row, value });
    else if (this.#isBetter(value)) this.#best = { ...row, value };
  }

  #isBetter(value: number): boolean {
    if (this.#best === null) return true;
    return this.#plan.type === 'min' ? value < this.#best.value : value > this.#best.value;
  }

  #rank(row: Ranked): void {
    if (this.#wanted === 0) return;
    this.#ranked.push(row);
    if (this.#ranked.length < this.#wanted + SLACK) return;
    this.#ranked = this.#ranked.sort((a, b) => this.#compare(a, b)).slice(0, this.#wanted);
  }

  /** Ties go by key, which is the order of the scan. */
  #compare(a: Ranked, b: Ranked): number {
    if (a.value !== b.value) return this.#plan.order === 'asc' ? a.value - b.value : b.value - a.value;
    return a.key < b.key ? -1 : 1;
  }

  #withProfile(row: Row): Row {
    const profile = this.#plan.withProfiles ? this.#profileOf(row) : null;
    return profile === null ? row : { key: row.key, data: { ...row.data, playerProfile: profile } };
  }

  /** Later fields see earlier ones. */
  #computed(row: Row): Row {
    let current = row;
    for (const { name, evaluate, fallback, target } of this.#plan.computed) {
      const outcome = attempt(evaluate, current, this.#around);
      if (outcome === null) this.#errors += 1;
      const value = outcome === null ? fallback : (outcome.value ?? fallback);
      if (value !== undefined) current = { key: row.key, data: placed(placed(current.data, target, value), ['computed', name], value) };
    }
    return current;
  }
}

/** Only finite JSON numbers count; numeric text does not. */
function metricNumber(value: Value): number | null {
  if (!isNumber(value)) return null;
  const number = toDouble(value);
  return Number.isFinite(number) ? number : null;
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
