import { isObject, type Json, type JsonObject } from './json-value.ts';

/** A dotted member path (`stats.xp`): member names between dots, no escapes, no array indexes. */
export type Path = readonly string[];

/** Parts of paths are cached, because paths repeat. A full cache is emptied, so a flood of unusual paths only costs speed. */
const CACHE_ENTRIES = 5_000;
const CACHED_LENGTH = 256;
const cache = new Map<string, Path>();

/** Parts of a dotted path. The path is not checked. */
export function splitPath(path: string): Path {
  const known = cache.get(path);
  if (known !== undefined) return known;
  const parts = path.split('.');
  if (path.length > CACHED_LENGTH) return parts;
  if (cache.size >= CACHE_ENTRIES) cache.clear();
  cache.set(path, parts);
  return parts;
}

/** An own member of the object: a document must not seem to have a `constructor`. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The value under a dotted path; `undefined` if a member is missing or the path leads through a value that is no object. */
export function getPath(value: Json, path: string): Json | undefined {
  let here: Json | undefined = value;
  for (const name of splitPath(path)) {
    if (!isObject(here)) return undefined;
    here = member(here, name);
  }
  return here;
}

/** Every proper ancestor, nearest first: `a.b.c` gives `a.b`, `a`. */
export function* ancestorsOf(path: string): Generator<string> {
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) yield path.slice(0, dot);
}
