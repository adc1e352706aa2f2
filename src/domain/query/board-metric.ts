import type { JsonObject } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import { metricOf } from '../document/reached.ts';
import { fillDefaults } from '../document/schema.ts';
import type { SchemaModel } from '../model.ts';

/** The number of a document on a board of this field. `schema`: of documents that may have the field by default; else `null`. */
export function boardMetric(document: JsonObject, field: string, schema: SchemaModel | null): number | null {
  return metricOf(getPath(schema === null ? document : fillDefaults(schema, document), field));
}

/** The number that orders a board's rows, ascending. -0 becomes 0, since it would be another row. */
export function rankOf(value: number, order: 'asc' | 'desc'): number {
  return (order === 'asc' ? value : -value) + 0;
}

/** The value that {@link rankOf} was given. */
export function valueAt(rank: number, order: 'asc' | 'desc'): number {
  return (order === 'asc' ? rank : -rank) + 0;
}
