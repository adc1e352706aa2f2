import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { findTokens } from './scan.ts';

/** The names that texts read, such as a step's result. If in doubt, a name is read. */

/** Members whose texts are expressions or paths without braces, whatever they are members of. */
const BARE = new Set(['field', 'expression', 'valueExpression', 'let']);

/** Members in which nothing is read. */
const PASSIVE = new Set(['id', 'as', 'sourceText', 'description', 'notes', 'metadata', 'input', 'params']);

/** Names that stand alone or begin a path. Ids with other characters cannot be found in this way, so they count as read. */
const WORDS = /(?<![\w.-])[A-Za-z_][\w-]*/g;

const WORD = /^[A-Za-z_][\w-]*$/;

/** Whether a name can be found among those that texts read. */
export function isWord(name: string): boolean {
  return WORD.test(name);
}

/** All names that are read in a value. `paths`: further members whose text is a path without braces. */
export function namesReadIn(json: Json, paths: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set<string>();
  collect(json, false, names, paths);
  return names;
}

function collect(json: Json, bare: boolean, names: Set<string>, paths: ReadonlySet<string>): void {
  if (typeof json === 'string') {
    if (bare) addWords(json, names);
    else for (const { start, end } of findTokens(json)) addWords(json.slice(start + 2, end - 2), names);
  } else if (isArray(json)) for (const item of json) collect(item, bare, names, paths);
  else if (isObject(json)) {
    for (const [key, value] of Object.entries(json)) {
      const isText = typeof value === 'string';
      if (PASSIVE.has(key) && isText) continue;
      // The keys of `set` and `append` may have brackets, and names in brackets are read.
      if (key.includes('[')) addWords(key, names);
      collect(value, bare || BARE.has(key) || (isText && paths.has(key)), names, paths);
    }
  }
}

function addWords(text: string, names: Set<string>): void {
  for (const [word] of text.matchAll(WORDS)) names.add(word);
}
