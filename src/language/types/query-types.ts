import type { QueryModel } from '../../domain/model.ts';
import type { Column } from '../../domain/query/columns.ts';
import { type QueryPlan, queryPlan } from '../../domain/query/plan.ts';
import { stringOf } from '../../kernel/json-read.ts';
import { bind, type Names } from './names.ts';
import { typeOfExpression, typeOfTemplate } from './templates.ts';
import { EMPTY_OBJECT, list, MISSING, NEVER, NULL, type ObjectType, object, STRING, type Type, UNKNOWN, union } from './type.ts';
import { changedType, narrowed, walkType } from './walk.ts';

/** The type of a leaderboard's row; never for a query without rows. */
export function rowType(query: QueryModel, documents: (collection: string) => ObjectType | null, values: ObjectType): Type {
  const plan = queryPlan(query);
  if (typeof plan === 'string' || plan.type !== 'leaderboard') return NEVER;
  const row = withMetric(rowOf(plan, documents), query);
  if (plan.columns.length === 0) return row;
  const names = namesOf(row, values);
  return plan.columns.reduce<Type>((data, column) => {
    const type = columnType(column, names, row);
    return changedType(data, column.outputPath, () => type);
  }, object([]));
}

/** The document, or several under their aliases. Computed columns are unknown. */
function rowOf(plan: QueryPlan, documents: (collection: string) => ObjectType | null): Type {
  const { sources, joins, computed, withProfiles } = plan;
  const of = (collection: string): Type => documents(collection) ?? EMPTY_OBJECT;
  const isNested = sources.length + joins.length > 1 && !(sources.length === 1 && joins.every((join) => join.rightOrKey));
  const first = sources[0] === undefined ? EMPTY_OBJECT : of(sources[0].collectionId);
  const united = object(sources.map(({ alias, collectionId }) => [alias, union(of(collectionId), MISSING)]));
  const attached = joins.map(({ alias, collectionId, many, inner }) => {
    const document = of(collectionId);
    return [alias, many ? list(document) : inner ? document : union(document, NULL)] as const;
  });
  const profile = withProfiles ? [['playerProfile', UNKNOWN] as const] : [];
  const row = [...attached, ...profile].reduce<Type>(
    (type, [name, member]) => changedType(type, [name], () => member),
    isNested ? united : first,
  );
  return computed.reduce((type, { target }) => changedType(type, target, () => UNKNOWN), row);
}

/** The row with the number that it is ranked by: without it, it would not be in the leaderboard. */
function withMetric(row: Type, { config }: QueryModel): Type {
  const { field } = config;
  const isPath = typeof field === 'string' && !field.includes('{{') && config.expression === undefined;
  return isPath ? narrowed(row, field.split('.')) : row;
}

function namesOf(row: Type, values: ObjectType): Names {
  const world = { input: EMPTY_OBJECT, values };
  const members = row.kind === 'object' ? [...row.members].map(([name, { type }]) => [name, type] as const) : [];
  return bind({ world, bound: new Map(), aliases: new Map() }, ['key', STRING], ...members, ['_key', STRING]);
}

/** The type of a column. It may be missing, because a column whose text fails is left out. */
function columnType({ shown }: Column, names: Names, row: Type): Type {
  const [expression, template, path] = [shown['expression'], shown['template'], shown['path']].map((text) => stringOf(text));
  const isKnown = row.kind === 'object' && !row.open;
  if (expression !== undefined) return isKnown ? union(typeOfExpression(names, expression), MISSING) : UNKNOWN;
  if (template !== undefined) return isKnown ? union(typeOfTemplate(names, template), MISSING) : UNKNOWN;
  const found = walkType(row, (path ?? '').split('.'));
  return path === '_key' || path === 'key' ? union(found, STRING) : found;
}
