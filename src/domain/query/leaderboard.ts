import type { Json, JsonObject } from '../../kernel/json.ts';
import type { QueryModel } from '../definition/model.ts';

/** Leaderboards: what a definition asks for, and the answer it makes out of ranked documents (runtime-storage 16.2, 16.5). */

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_COLUMNS = 100;
/** A field is part of the key of its board's rows, and an index takes 2.7 KB in all. */
const MAX_FIELD_BYTES = 1024;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export interface LeaderboardPlan {
  readonly collectionId: string;
  /** Dotted path of the metric. */
  readonly field: string;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly columns: readonly Column[];
}

interface Column {
  readonly key: string;
  readonly label: string;
  readonly path: readonly string[];
  readonly outputPath: readonly string[];
}

export interface RankedDocument {
  readonly key: string;
  readonly value: number;
  readonly document: JsonObject;
}

/** The plan of a leaderboard definition, or the reason why it cannot be run here. */
export function leaderboardPlan(query: QueryModel): LeaderboardPlan | string {
  if (query.type !== 'leaderboard') return `queries of type ${query.type} are not run by this server yet`;
  const [source, ...others] = query.sources;
  if (!source) return 'the query names no source collection';
  if (others.length > 0) return 'leaderboards over several sources are not run by this server yet';
  const { field, order, limit } = query.config;
  if (typeof field !== 'string' || field === '' || field.includes('{{')) return 'config.field must be a dotted path';
  if (Buffer.byteLength(field) > MAX_FIELD_BYTES) return 'config.field is too long';
  return {
    collectionId: source.collectionId,
    field,
    order: order === 'asc' ? 'asc' : 'desc',
    limit: typeof limit === 'number' ? Math.min(Math.max(Math.trunc(limit), 0), MAX_LIMIT) : DEFAULT_LIMIT,
    columns: columnsOf(query.config),
  };
}

/** The answer's body. `offset` is the number of rows before the first one; `at` unix ms of the run. */
export function leaderboardBody(
  query: QueryModel,
  plan: LeaderboardPlan,
  run: {
    readonly rows: readonly RankedDocument[];
    readonly offset: number;
    readonly at: number;
    readonly durationMs: number;
    readonly total: number;
  },
): JsonObject {
  const at = new Date(run.at).toISOString();
  const label = query.config['fieldLabel'] ?? query.config['valueLabel'];
  const entries = run.rows.map((row, index) => entryOf(plan, row, run.offset + index + 1));
  return {
    ok: true,
    query: query.name,
    queryId: query.id,
    queryName: query.name,
    generatedAt: at,
    lastran: at,
    updatedAt: at,
    ttl: ttlOf(query),
    type: query.type,
    field: plan.field,
    fieldLabel: typeof label === 'string' ? label : plan.field,
    outputFields: plan.columns.map((column) => column.key),
    columns: plan.columns.map(({ key, label, path, outputPath }) => ({
      key,
      label,
      path: path.join('.'),
      outputPath: outputPath.join('.'),
    })),
    entries,
    count: entries.length,
    total: run.total,
    performance: {
      at,
      durationMs: run.durationMs,
      keysScanned: entries.length,
      sources: query.sources.map(({ collectionId, alias }) => ({
        collectionId,
        name: alias,
        alias,
        keysScanned: entries.length,
        source: 'index',
      })),
      computedFields: null,
      computedErrors: null,
    },
  };
}

function ttlOf(query: QueryModel): number {
  const { cache } = query.definition;
  const ttl = typeof cache === 'object' && cache !== null && 'ttlSeconds' in cache ? cache['ttlSeconds'] : undefined;
  return typeof ttl === 'number' ? ttl : 300;
}

function entryOf(plan: LeaderboardPlan, row: RankedDocument, rank: number): JsonObject {
  if (plan.columns.length === 0) return { rank, key: row.key, value: row.value, data: row.document, outputValues: {} };
  const data: Record<string, Json> = {};
  const outputValues: Record<string, Json> = {};
  for (const column of plan.columns) {
    const value = valueAt(row.document, column.path);
    outputValues[column.key] = value ?? null;
    if (value !== undefined) place(data, column.outputPath, value);
  }
  return { rank, key: row.key, value: row.value, data, outputValues };
}

function columnsOf(config: JsonObject): readonly Column[] {
  const raw = [...listOf(config['fields']), ...listOf(config['columns'])].slice(0, MAX_COLUMNS);
  return raw.map(columnOf).filter((column) => column !== null);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function columnOf(raw: Json): Column | null {
  if (typeof raw === 'string') return column(raw, raw, raw, raw);
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return null;
  const members = raw as JsonObject;
  const path = firstText(members, ['path', 'field', 'source', 'valuePath']);
  const key = firstText(members, ['name', 'key', 'id']) ?? path;
  if (path === null || key === null) return null;
  return column(key, firstText(members, ['label', 'title']) ?? key, path, firstText(members, ['outputPath']) ?? path);
}

function column(key: string, label: string, path: string, outputPath: string): Column | null {
  const segments = path.split('.');
  const output = outputPath.split('.');
  if ([key, ...segments, ...output].some((segment) => FORBIDDEN.has(segment) || segment === '')) return null;
  return { key, label, path: segments, outputPath: output };
}

function firstText(members: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = members[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

function valueAt(document: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as JsonObject)[segment];
  }
  return value;
}

function place(target: Record<string, Json>, path: readonly string[], value: Json): void {
  let at = target;
  for (const segment of path.slice(0, -1)) {
    const next = at[segment];
    const child: Record<string, Json> =
      typeof next === 'object' && next !== null && !Array.isArray(next) ? { ...(next as JsonObject) } : {};
    at[segment] = child;
    at = child;
  }
  at[path[path.length - 1] ?? ''] = value;
}
