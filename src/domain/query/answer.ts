import { type ExactNumber, type Json, type JsonObject, stringifyJson, toDouble } from '../../kernel/json.ts';
import type { QueryModel } from '../model.ts';
import { outputOf } from './columns.ts';
import type { QueryEnvironment, Row } from './evaluate.ts';
import type { QueryPlan } from './plan.ts';

/** What the answer of a query is made from. */
export interface AnswerContext {
  readonly query: QueryModel;
  readonly plan: QueryPlan;
  readonly environment: QueryEnvironment;
  readonly durationMs: number;
  /** Number of documents read: of each source, then of each join. */
  readonly scanned: readonly number[];
  /** `index`: only the shown rows were read. */
  readonly from: 'index' | 'scan';
  readonly errors: number;
}

/** A row with its value, as leaderboards show it. */
export interface ShownRow extends Row {
  readonly value: number;
}

/** JSON text of a leaderboard's row. */
export function entryText(how: Pick<AnswerContext, 'plan' | 'environment'>, row: ShownRow, rank: number): string {
  return rankedText(rank, rowText(how, row));
}

/** The text of a row after its rank. The rank is left out, because it changes when other rows do. */
export function rowText({ plan, environment }: Pick<AnswerContext, 'plan' | 'environment'>, row: ShownRow): string {
  return stringifyJson({ key: row.key, value: row.value, ...outputOf(plan.columns, row, environment) }).slice(1);
}

export function rankedText(rank: number, rest: string): string {
  return `{"rank":${rank},${rest}`;
}

/** Rows of a leaderboard as texts. `player`: the row of the player that the request names; `null`: the player has none. */
export interface Board {
  readonly entries: readonly string[];
  readonly total: number;
  readonly player?: string | null;
}

/** JSON text of the answer. The rows are texts already, because their lengths were counted before. */
export function leaderboardText(answered: AnswerContext, { entries, total, player }: Board): string {
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

/** The values from which an aggregate is made. */
export interface AggregateValues {
  readonly counted: number;
  readonly passed: number;
  readonly sum: number | ExactNumber;
  readonly best: { readonly key: string; readonly value: number } | null;
}

/** Body of an aggregate's answer. */
export function aggregateAnswer(answered: AnswerContext, result: AggregateValues): JsonObject {
  return { ...described(answered), ...aggregate(answered.plan, result), performance: performanceOf(answered) };
}

function aggregate({ type, field, fieldLabel }: QueryPlan, { counted, passed, sum, best }: AggregateValues): Record<string, Json> {
  switch (type) {
    case 'count':
      return { count: passed };
    case 'sum':
      return { field, fieldLabel, sum, counted };
    case 'average':
      return { field, fieldLabel, average: counted === 0 ? 0 : toDouble(sum) / counted, counted };
    default:
      return { field, fieldLabel, ...(best === null ? {} : { value: best.value, key: best.key }), counted };
  }
}

function described({ query, plan, environment }: AnswerContext): JsonObject {
  const at = new Date(environment.now).toISOString();
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

function performanceOf({ plan, environment, durationMs, scanned, from, errors }: AnswerContext): JsonObject {
  return {
    at: new Date(environment.now).toISOString(),
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
