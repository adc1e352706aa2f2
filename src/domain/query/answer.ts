import { type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import type { QueryModel } from '../definition/model.ts';
import { outputOf } from './columns.ts';
import type { Row, Surroundings } from './evaluate.ts';
import type { QueryPlan } from './plan.ts';

/** The answer of a query (runtime-storage 16.2). */
export interface Answered {
  readonly query: QueryModel;
  readonly plan: QueryPlan;
  readonly around: Surroundings;
  readonly durationMs: number;
  /** Documents looked at, by source and then by join. */
  readonly scanned: readonly number[];
  /** `index`: only the rows shown were looked at. */
  readonly from: 'index' | 'scan';
  readonly errors: number;
}

/** A row with its value, as leaderboards show it. */
export interface Shown extends Row {
  readonly value: number;
}

/** JSON text of a row of a leaderboard. */
export function entryText(how: Pick<Answered, 'plan' | 'around'>, row: Shown, rank: number): string {
  return rankedText(rank, entryRest(how, row));
}

/** What follows a row's rank in its text: that moves when others do. */
export function entryRest({ plan, around }: Pick<Answered, 'plan' | 'around'>, row: Shown): string {
  return stringifyJson({ key: row.key, value: row.value, ...outputOf(plan.columns, row, around) }).slice(1);
}

export function rankedText(rank: number, rest: string): string {
  return `{"rank":${rank},${rest}`;
}

/** Rows of a leaderboard as texts; `player` is the row that was asked for, `null` for one that has none. */
export interface Board {
  readonly entries: readonly string[];
  readonly total: number;
  readonly player?: string | null;
}

/** JSON text of the answer. The rows are texts already: their lengths were counted. */
export function leaderboardText(answered: Answered, { entries, total, player }: Board): string {
  const { plan } = answered;
  const before = {
    ...described(answered),
    field: plan.field,
    fieldLabel: plan.fieldLabel,
    outputFields: plan.columns.map(({ key }) => key),
    columns: plan.columns.map(({ shown }) => shown),
  };
  const after = { count: entries.length, total };
  const own = player === undefined ? '' : `"player":${player},`;
  const parts = [
    stringifyJson(before).slice(0, -1),
    `"entries":[${entries.join(',')}]`,
    stringifyJson(after).slice(1, -1),
    `${own}"performance":${stringifyJson(performanceOf(answered))}}`,
  ];
  return parts.join(',');
}

/** What an aggregate is made of. */
export interface Aggregated {
  readonly counted: number;
  readonly passed: number;
  readonly sum: number;
  readonly best: { readonly key: string; readonly value: number } | null;
}

export function aggregateAnswer(answered: Answered, result: Aggregated): JsonObject {
  return { ...described(answered), ...aggregate(answered.plan, result), performance: performanceOf(answered) };
}

function aggregate({ type, field, fieldLabel }: QueryPlan, { counted, passed, sum, best }: Aggregated): Record<string, Json> {
  switch (type) {
    case 'count':
      return { count: passed };
    case 'sum':
      return { field, fieldLabel, sum, counted };
    case 'average':
      return { field, fieldLabel, average: counted === 0 ? 0 : sum / counted, counted };
    default:
      return { field, fieldLabel, ...(best === null ? {} : { value: best.value, key: best.key }), counted };
  }
}

function described({ query, plan, around }: Answered): JsonObject {
  const at = new Date(around.now).toISOString();
  return {
    ok: true,
    query: query.name,
    queryId: query.id,
    queryName: query.name,
    generatedAt: at,
    lastran: at,
    updatedAt: at,
    ttl: plan.ttl,
    type: plan.type,
  };
}

function performanceOf({ plan, around, durationMs, scanned, from, errors }: Answered): JsonObject {
  return {
    at: new Date(around.now).toISOString(),
    durationMs,
    keysScanned: scanned.reduce((total, keys) => total + keys, 0),
    sources: [...plan.sources, ...plan.joins].map(({ collectionId, alias }, index) => ({
      collectionId,
      name: alias,
      alias,
      keysScanned: scanned[index] ?? 0,
      source: from,
    })),
    computedFields: plan.computed.length === 0 ? null : plan.computed.map(({ name, label }) => ({ name, label })),
    computedErrors: plan.computed.length === 0 ? null : errors,
  };
}
