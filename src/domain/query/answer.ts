import type { Json, JsonObject } from '../../kernel/json.ts';
import type { QueryModel } from '../definition/model.ts';
import { outputOf } from './columns.ts';
import type { Surroundings } from './evaluate.ts';
import type { QueryPlan } from './plan.ts';
import type { QueryResult, Ranked } from './run.ts';

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

/** Rows of a leaderboard with their ranks; `player` is the row that was asked for, `null` for one that has none. */
export interface Board {
  readonly rows: readonly Ranked[];
  /** Rank of the first one. */
  readonly firstRank: number;
  readonly total: number;
  readonly player?: { readonly row: Ranked; readonly rank: number } | null;
}

export function leaderboardAnswer(answered: Answered, board: Board): JsonObject {
  const { plan, around } = answered;
  const entry = (row: Ranked, rank: number): JsonObject => ({
    rank,
    key: row.key,
    value: row.value,
    ...outputOf(plan.columns, row, around),
  });
  const entries = board.rows.map((row, index) => entry(row, board.firstRank + index));
  const { player } = board;
  return answer(answered, {
    field: plan.field,
    fieldLabel: plan.fieldLabel,
    outputFields: plan.columns.map(({ key }) => key),
    columns: plan.columns.map(({ shown }) => shown),
    entries,
    count: entries.length,
    total: board.total,
    ...(player === undefined ? {} : { player: player === null ? null : entry(player.row, player.rank) }),
  });
}

export function aggregateAnswer(answered: Answered, result: QueryResult): JsonObject {
  return answer(answered, aggregate(answered.plan, result));
}

function aggregate({ type, field, fieldLabel }: QueryPlan, { counted, passed, sum, best }: QueryResult): Record<string, Json> {
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

function answer({ query, plan, around, durationMs, scanned, from, errors }: Answered, own: Record<string, Json>): JsonObject {
  const at = new Date(around.now).toISOString();
  const sources = [...plan.sources, ...plan.joins].map(({ collectionId, alias }, index) => ({
    collectionId,
    name: alias,
    alias,
    keysScanned: scanned[index] ?? 0,
    source: from,
  }));
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
    ...own,
    performance: {
      at,
      durationMs,
      keysScanned: scanned.reduce((total, keys) => total + keys, 0),
      sources,
      computedFields: plan.computed.length === 0 ? null : plan.computed.map(({ name, label }) => ({ name, label })),
      computedErrors: plan.computed.length === 0 ? null : errors,
    },
  };
}
