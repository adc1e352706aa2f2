import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { effectiveDefinitions } from '../definition/model/effective.ts';
import { type Entry, entriesOf } from '../definition/model/overlay.ts';
import type { CollectionModel, PersonalPath } from '../model.ts';
import type { DefinitionsState } from '../states.ts';

/** Which values of a game are personal (`_personal` in schemas), and which definitions tell of them. */
export interface Personal {
  /** Paths in the documents of a collection, by its id or name; `null`: of every collection. */
  in(collection: string | null): readonly PersonalPath[];
  /** Whether a text names a personal field. */
  isNamedIn(text: string): boolean;
  /** Whether a query shows or orders by one, by its id or name. */
  isShownBy(query: string): boolean;
  /** Whether an endpoint handles one, by its slug: what it answers may be made of it. */
  isHandledBy(endpoint: string): boolean;
}

const known = new WeakMap<DefinitionsState, Personal | null>();

/** What is personal in live or in what is staged; `null`: nothing. */
export function personalIn(state: DefinitionsState): Personal | null {
  const before = known.get(state);
  if (before !== undefined) return before;
  const personal = personalOf(state);
  known.set(state, personal);
  return personal;
}

const TARGETS = ['live', 'next'] as const;

function personalOf(state: DefinitionsState): Personal | null {
  const collections = TARGETS.flatMap((target) => effectiveDefinitions(state, target).collections);
  const all = collections.flatMap(({ schema }) => schema.personal);
  if (all.length === 0) return null;
  const words = new Set(all.map((path) => path.findLast((part) => part !== '*') ?? ''));
  const of = (kind: Entry['kind']) => TARGETS.flatMap((target) => entriesOf(state, target, kind));
  const shared = tellingOf([...of('workflow'), ...of('library')], words);
  const queries = tellingOf(of('query'), words);
  const endpoints = tellingOf(of('endpoint'), shared);
  return {
    in: (collection) => (collection === null ? all : pathsIn(collections, collection)),
    isNamedIn: (text) => says(text, words),
    isShownBy: (query) => queries.has(query),
    isHandledBy: (endpoint) => endpoints.has(endpoint),
  };
}

/** A collection that is not known is read as any. */
function pathsIn(collections: readonly CollectionModel[], idOrName: string): readonly PersonalPath[] {
  const wanted = idOrName.toLowerCase();
  const found = collections.filter(({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted);
  return (found.length === 0 ? collections : found).flatMap(({ schema }) => schema.personal);
}

/** The words, and the ids and names of definitions that say one of them, or name one that does. */
function tellingOf(entries: readonly Entry[], words: ReadonlySet<string>): ReadonlySet<string> {
  const telling = new Set(words);
  for (let size = -1; size !== telling.size; ) {
    size = telling.size;
    for (const { id, value } of entries) {
      if (!says(value, telling)) continue;
      for (const name of [id, ...namesIn(value)]) telling.add(name);
    }
  }
  return telling;
}

function namesIn(value: Json): readonly string[] {
  return isObject(value) ? ['name', 'slug', 'id'].flatMap((name) => (typeof value[name] === 'string' ? [String(value[name])] : [])) : [];
}

/** Whether a text of a definition, or a member that is no setting of the definition itself, is or holds one of these words. */
function says(value: Json, words: ReadonlySet<string>, depth = 0): boolean {
  if (words.has('')) return true;
  if (typeof value === 'string') return wordsIn(value).some((word) => words.has(word)) || words.has(value);
  if (isArray(value)) return value.some((each) => says(each, words, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => (depth > 0 && words.has(name)) || says(member, words, depth + 1));
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$-]+/gu) ?? [];
}
