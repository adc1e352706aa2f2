import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';

/** Which parts of a document are restored: dotted paths. */
export interface Parts {
  /** None but these; empty: all. */
  readonly only: readonly string[];
  /** Not these, whatever `only` says. */
  readonly keep: readonly string[];
}

/**
 * A document as it was, but for the parts that stay as they are. `null`: there is to be none.
 */
export function restored(past: JsonObject | null, present: JsonObject | null, parts: Parts): JsonObject | null {
  if (parts.only.length === 0 && parts.keep.length === 0) return past;
  const picked = pick('', past ?? undefined, present ?? undefined, parts);
  const isNothing = !isObject(picked) || ((past === null || present === null) && Object.keys(picked).length === 0);
  return isNothing ? null : picked;
}

type Value = Json | undefined;

function pick(path: string, past: Value, present: Value, parts: Parts): Value {
  const { only, keep } = parts;
  if (keep.some((each) => isWithin(path, each))) return present;
  const isAsked = only.length === 0 || only.some((each) => isWithin(path, each));
  const isMixed = [...keep, ...(isAsked ? [] : only)].some((each) => isWithin(each, path));
  const chosen = isAsked ? past : present;
  if (!isMixed || !(isObject(past) || isObject(present))) return chosen;
  const [was, now] = [isObject(past) ? past : NOTHING, isObject(present) ? present : NOTHING];
  const picked: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(isAsked ? was : now), ...Object.keys(isAsked ? now : was)])) {
    const value = pick(path === '' ? name : `${path}.${name}`, member(was, name), member(now, name), parts);
    if (value !== undefined) picked[name] = value;
  }
  return Object.keys(picked).length === 0 && !isObject(chosen) ? chosen : picked;
}

const NOTHING: JsonObject = {};

/** Whether a path is this one or lies below it. */
function isWithin(path: string, outer: string): boolean {
  return path === outer || outer === '' || path.startsWith(`${outer}.`);
}
