import { isNumber, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { SchemaModel } from '../definition/model.ts';
import { fillDefaults } from '../document/schema.ts';

/** The number that a value counts for on a board; only finite JSON numbers count. */
export function metricOf(value: Json | undefined): number | null {
  if (!isNumber(value)) return null;
  const number = toDouble(value);
  return Number.isFinite(number) ? number : null;
}

/** The number that a document has on a board of this field. `schema`: of documents that may have it by default. */
export function boardMetric(document: JsonObject, field: string, schema: SchemaModel | null): number | null {
  return metricOf(getPath(schema === null ? document : fillDefaults(schema, document), field));
}

/** What a board orders its rows by, ascending. Zero has one sign: -0 would be another row than 0. */
export function rankOf(value: number, order: 'asc' | 'desc'): number {
  return (order === 'asc' ? value : -value) + 0;
}

/** The value again. */
export function valueAt(rank: number, order: 'asc' | 'desc'): number {
  return (order === 'asc' ? rank : -rank) + 0;
}
