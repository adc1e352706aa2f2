import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { findTokens } from './scan.ts';

/** Whether a definition reads a name of its calls: what a step's result is asked for by. In doubt it does. */

/** Members whose texts are expressions or paths without braces. */
const BARE = new Set(['field', 'left', 'expression', 'valueExpression', 'from', 'by', 'source', 'let']);
/** Where nothing is read. */
const PASSIVE = new Set(['id', 'as', 'sourceText', 'description', 'notes', 'metadata', 'input', 'params']);

export function readsName(definition: JsonObject, name: string): boolean {
  if (name === '') return false;
  const escaped = name.replace(/[^\w-]/g, '\\$&');
  const word = new RegExp(`(?:^|[^\\w.-])${escaped}(?![\\w-])`);
  const inText = (text: string, bare: boolean): boolean => {
    if (bare && word.test(text)) return true;
    return findTokens(text).some(({ start, end }) => word.test(text.slice(start + 2, end - 2)));
  };
  const inJson = (json: Json, bare: boolean): boolean => {
    if (typeof json === 'string') return inText(json, bare);
    if (isArray(json)) return json.some((item) => inJson(item, bare));
    if (!isObject(json)) return false;
    return Object.entries(json).some(([key, value]) => {
      if (PASSIVE.has(key) && typeof value === 'string') return false;
      // The keys of `set` and `append` may have brackets, in which names are read.
      return (key.includes('[') && word.test(key)) || inJson(value, bare || BARE.has(key));
    });
  };
  return inJson(definition, false);
}
