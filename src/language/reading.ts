import type { JsonObject } from '../kernel/json.ts';
import { isWord, namesReadIn } from './expressions/mentions.ts';
import { stepKinds } from './steps/registry.ts';

/** Whether a definition in normal form reads a name, such as a step's result. */

const PATHS: ReadonlySet<string> = new Set([...stepKinds.values()].flatMap(({ paths = [], items }) => [...paths, ...(items?.paths ?? [])]));

export function readsName(definition: JsonObject, name: string): boolean {
  if (name === '') return false;
  return !isWord(name) || namesReadBy(definition).has(name);
}

/** Cached, because each of a thousand steps may ask for the same definition. */
const namesRead = new WeakMap<JsonObject, ReadonlySet<string>>();

function namesReadBy(definition: JsonObject): ReadonlySet<string> {
  const known = namesRead.get(definition) ?? namesReadIn(definition, PATHS);
  namesRead.set(definition, known);
  return known;
}
