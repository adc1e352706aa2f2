import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';

/** Documents as rows of a table, whose cells have a bounded length. */

/**
 * The cells of a document, by the dotted paths of `columns`. A column that it does not have is left out. What is long or has members is its
 * beginning: `{text, of, whole}`, of its JSON if it has members.
 */
export function cellsOf(document: JsonObject, columns: readonly string[], length: number): Readonly<Record<string, Json>> {
  const cells = columns.flatMap((column): [string, Json][] => {
    const value = getPath(document, column);
    return value === undefined ? [] : [[column, cellOf(value, length)]];
  });
  return Object.fromEntries(cells);
}

function cellOf(value: Json, length: number): Json {
  if (typeof value === 'string') return value.length <= length ? value : cut(value, 'text', length);
  if (isArray(value)) return cut(stringifyJson(value), 'list', length);
  return isObject(value) ? cut(stringifyJson(value), 'object', length) : value;
}

function cut(text: string, of: 'text' | 'list' | 'object', length: number): JsonObject {
  if (text.length <= length) return { text, of, whole: true };
  const first = text.slice(0, length);
  // Half of a pair of UTF-16 is no character.
  return { text: /[\uD800-\uDBFF]$/.test(first) ? first.slice(0, -1) : first, of, whole: false };
}
