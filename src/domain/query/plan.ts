import type { Written } from '../../contract/resources/member.ts';
import type { NormalComputed, NormalConfig } from '../../contract/resources/query.ts';
import { type enrichment, QUERY_TYPES, type queryCache } from '../../contract/resources/query.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { firstText, listOf, numberOf, objectOf, stringOf } from '../../kernel/json-read.ts';
import { isForbidden } from '../../language/expressions/path.ts';
import type { QueryModel } from '../model.ts';
import { type Column, columnsOf } from './columns.ts';
import { type Evaluate, expressionOf, pathOf, valueIn } from './evaluate.ts';
import { type Join, joinsOf, sourceJoin } from './join.ts';

/** What a query definition asks for. Invalid members count as missing. */
export interface QueryPlan {
  readonly type: QueryType;
  /** Sources, merged by key. */
  readonly sources: readonly Source[];
  /** Joins, attached to the rows in this order. */
  readonly joins: readonly Join[];
  readonly computed: readonly ComputedColumn[];
  /** `null`: rows have no metric. */
  readonly metric: Evaluate | null;
  readonly field: string;
  readonly fieldLabel: string;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly columns: readonly Column[];
  readonly condition: Condition | null;
  /** Whether rows show the profiles of their players. */
  readonly withProfiles: boolean;
  /** Whether a row's text stays the same while its document and the definitions do. */
  readonly isLasting: boolean;
  /** The stored number that rows are sorted by; `null`: they are not sorted, or by more than one number of one document. */
  readonly sortedBy: StoredNumber | null;
  /** The stored number that a board keeps in order, if the leaderboard needs nothing else. */
  readonly board: BoardPlan | null;
  readonly ttl: number;
}

type QueryType = (typeof QUERY_TYPES)[number];

interface Source {
  readonly collectionId: string;
  readonly alias: string;
}

interface ComputedColumn {
  readonly name: string;
  readonly label: string;
  readonly evaluate: Evaluate;
  readonly fallback: Json | undefined;
  readonly target: readonly string[];
}

export interface Condition {
  readonly operator: string;
  readonly value: Json;
}

interface StoredNumber {
  /** As written: an id or a name. */
  readonly collectionId: string;
  /** Dotted path. */
  readonly field: string;
}

export interface BoardPlan extends StoredNumber {
  readonly order: 'asc' | 'desc';
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_COMPUTED = 50;
const DEFAULT_TTL = 300;
/** Longest field. It is part of the key of a board's rows, and an index entry of Postgres holds 2.7 KB. */
const MAX_FIELD_BYTES = 1024;
const PROFILE = /^playerProfile(?:\.|$)/;

/** The plan, or the reason why the query cannot run. */
export function queryPlan(query: QueryModel): QueryPlan | string {
  const known = plans.get(query) ?? makePlan(query);
  plans.set(query, known);
  return known;
}

const plans = new WeakMap<QueryModel, QueryPlan | string>();

function makePlan(query: QueryModel): QueryPlan | string {
  if (!isQueryType(query.type)) return `this server knows no queries of type ${query.type.slice(0, 40)}`;
  if (query.sources.length === 0) return 'the query names no source collection';
  const { config } = query;
  const cache: Written<typeof queryCache> = objectOf(query.definition.cache);
  const { metric, field } = metricOf(config);
  const united = query.sources.filter((source, index) => index === 0 || sourceJoin(config, source, index) === null);
  const limit = numberOf(config.limit);
  const columns = columnsOf(config);
  const withProfiles = profilesIn(config);
  const plan = {
    type: query.type,
    sources: united.map(({ collectionId, alias }) => ({ collectionId, alias })),
    joins: joinsOf(query),
    computed: computedOf(config),
    metric,
    field,
    fieldLabel: stringOf(config.fieldLabel) ?? field,
    order: config.order === 'asc' ? ('asc' as const) : ('desc' as const),
    limit: limit === undefined ? DEFAULT_LIMIT : Math.min(Math.max(Math.trunc(limit), 0), MAX_LIMIT),
    columns,
    condition: conditionOf(config),
    withProfiles,
    isLasting: !withProfiles && columns.every(({ isPath }) => isPath),
    ttl: numberOf(cache.ttlSeconds) ?? DEFAULT_TTL,
  };
  const sortedBy = storedNumber(plan, config);
  return { ...plan, sortedBy, board: plan.type === 'leaderboard' && sortedBy !== null ? { ...sortedBy, order: plan.order } : null };
}

function isQueryType(type: string): type is QueryType {
  return QUERY_TYPES.some((known) => known === type);
}

function metricOf(config: NormalConfig): { readonly metric: Evaluate | null; readonly field: string } {
  const expression = stringOf(config.expression);
  const { field: raw } = config;
  const named = isObject(raw) ? firstText(raw, 'name', 'path') : typeof raw === 'string' && raw !== '' ? raw : undefined;
  const field = named ?? expression ?? (isObject(raw) ? stringOf(raw['expression']) : undefined) ?? 'value';
  if (expression !== undefined) return { metric: expressionOf(expression), field };
  if (isObject(raw)) return { metric: valueIn(raw), field };
  if (typeof raw !== 'string' || raw === '') return { metric: null, field };
  return { metric: raw.includes('{{') ? expressionOf(raw) : pathOf(raw), field };
}

function computedOf(config: NormalConfig): readonly ComputedColumn[] {
  return listOf(config.computed)
    .slice(0, MAX_COMPUTED)
    .flatMap((item) => {
      const written: NormalComputed = objectOf(item);
      const name = stringOf(written.name);
      const evaluate = valueIn(written);
      if (name === undefined || isForbidden(name) || evaluate === null) return [];
      const target = (stringOf(written.targetPath) ?? name).split('.');
      return target.some(isForbidden)
        ? []
        : [{ name, label: stringOf(written.label) ?? name, evaluate, fallback: written.default, target }];
    });
}

function conditionOf(config: NormalConfig): Condition | null {
  const operator = stringOf(config.condition);
  return operator === undefined ? null : { operator, value: config.conditionValue ?? null };
}

function profilesIn(config: NormalConfig): boolean {
  const written: Written<typeof enrichment> = objectOf(config.enrichment);
  if (listOf(written.fields).length > 0) return true;
  const paths = [...listOf(config.fields), ...listOf(config.columns)].map((raw) => stringOf(objectOf(raw)['path']));
  return paths.some((path) => path !== undefined && PROFILE.test(path));
}

const SORTED: ReadonlySet<QueryType> = new Set(['leaderboard', 'min', 'max']);

function storedNumber(plan: Omit<QueryPlan, 'board' | 'sortedBy'>, config: NormalConfig): StoredNumber | null {
  const { field } = config;
  const [source, ...others] = plan.sources;
  const plain = SORTED.has(plan.type) && source !== undefined && others.length === 0 && plan.joins.length === 0;
  if (!plain || plan.computed.length > 0 || stringOf(config.expression) !== undefined) return null;
  if (typeof field !== 'string' || field.includes('{{') || Buffer.byteLength(field) > MAX_FIELD_BYTES) return null;
  const segments = field.split('.');
  // A row has these names besides its document, so no document has them.
  if (segments.some((segment) => segment === '' || isForbidden(segment)) || RESERVED_ROOTS.has(segments[0] ?? '')) return null;
  return { collectionId: source.collectionId, field };
}

const RESERVED_ROOTS: ReadonlySet<string> = new Set(['playerProfile', 'values', 'key', '_key']);
