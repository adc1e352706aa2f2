import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { findTokens } from './expressions/scan.ts';

/** Whether a definition in normal form reads a name, such as a step's result. If in doubt, it does. */

/** Members whose texts are expressions or paths without braces. */
const BARE = new Set(['field', 'expression', 'valueExpression', 'from', 'by', 'source', 'let']);
/** Members in which nothing is read. */
const PASSIVE = new Set(['id', 'as', 'sourceText', 'description', 'notes', 'metadata', 'input', 'params']);
/** Names that stand alone or begin a path. Ids with other characters cannot be found in this way, so they count as read. */
const WORDS = /(?<![\w.-])[A-Za-z_][\w-]*/g;
const WORD = /^[A-Za-z_][\w-]*$/;

export function readsName(definition: JsonObject, name: string): boolean {
  if (name === '') return false;
  return !WORD.test(name) || namesReadBy(definition).has(name);
}

/** Cached, because each of a thousand steps may ask for the same definition. */
const namesRead = new WeakMap<JsonObject, ReadonlySet<string>>();

function namesReadBy(definition: JsonObject): ReadonlySet<string> {
  const known = namesRead.get(definition);
  if (known !== undefined) return known;
  const names = new Set<string>();
  collect(definition, false, names);
  namesRead.set(definition, names);
  return names;
}

function collect(json: Json, bare: boolean, names: Set<string>): void {
  if (typeof json === 'string') {
    if (bare) addWords(json, names);
    else for (const { start, end } of findTokens(json)) addWords(json.slice(start + 2, end - 2), names);
  } else if (isArray(json)) for (const item of json) collect(item, bare, names);
  else if (isObject(json)) {
    for (const [key, value] of Object.entries(json)) {
      if (PASSIVE.has(key) && typeof value === 'string') continue;
      // The keys of `set` and `append` may have brackets, and names in brackets are read.
      if (key.includes('[')) addWords(key, names);
      // `items` may be a list, or the path of one.
      collect(value, bare || BARE.has(key) || (key === 'items' && typeof value === 'string'), names);
    }
  }
}

function addWords(text: string, names: Set<string>): void {
  for (const [word] of text.matchAll(WORDS)) names.add(word);
}
