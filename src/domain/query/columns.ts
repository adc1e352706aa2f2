import type { NormalColumn, NormalConfig } from '../../contract/resources/query.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { listOf, objectOf, stringOf } from '../../kernel/json-read.ts';
import { isForbidden } from '../../language/expressions/path.ts';
import { attempt, type Evaluate, expressionOf, pathOf, type QueryEnvironment, type Row, templateOf, withValueAt } from './evaluate.ts';

/** The columns of a query: what its rows show, and under which names. */
export interface Column {
  readonly key: string;
  readonly outputPath: readonly string[];
  readonly evaluate: Evaluate;
  /** Whether it is a plain value of the row, which does not change while the document stays the same. */
  readonly isPath: boolean;
  /** The column as the answer describes it. */
  readonly shown: JsonObject;
}

const MAX_COLUMNS = 100;

export function columnsOf(config: NormalConfig): readonly Column[] {
  const raw = [...listOf(config.fields), ...listOf(config.columns)].slice(0, MAX_COLUMNS);
  return raw.map(columnOf).filter((column) => column !== null);
}

/** The shown part of a row: its columns, or the whole row if the query has none. Missing values are left out of `data`. */
export function outputOf(
  columns: readonly Column[],
  row: Row,
  environment: QueryEnvironment,
): { readonly data: JsonObject; readonly outputValues: JsonObject } {
  if (columns.length === 0) return { data: row.data, outputValues: {} };
  let data: JsonObject = {};
  const outputValues: Record<string, Json> = {};
  for (const { key, outputPath, evaluate } of columns) {
    const value = attempt(evaluate, row, environment)?.value;
    outputValues[key] = value ?? null;
    if (value !== undefined) data = withValueAt(data, outputPath, value);
  }
  return { data, outputValues };
}

function columnOf(raw: Json): Column | null {
  const written: NormalColumn = objectOf(raw);
  const expression = stringOf(written.expression);
  const template = expression === undefined ? stringOf(written.template) : undefined;
  const path = stringOf(written.path);
  const key = stringOf(written.name) ?? path;
  if (key === undefined || isForbidden(key)) return null;
  const evaluate =
    expression !== undefined ? expressionOf(expression) : template !== undefined ? templateOf(template) : path && pathOf(path);
  if (!evaluate) return null;
  const output = stringOf(written.outputPath) ?? (expression === undefined && template === undefined ? (path ?? key) : key);
  const outputPath = output.split('.');
  if ([...outputPath, ...(path ?? '').split('.')].some(isForbidden)) return null;
  const label = stringOf(written.label) ?? key;
  const shown = {
    key,
    label,
    ...(expression === undefined && template === undefined && path !== undefined ? { path } : {}),
    ...(expression === undefined ? {} : { expression }),
    ...(template === undefined ? {} : { template }),
    outputPath: output,
  };
  return { key, outputPath, evaluate, isPath: expression === undefined && template === undefined, shown };
}
