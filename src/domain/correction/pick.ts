import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { ancestorsOf, member } from '../../kernel/path.ts';
import { isLost } from './lost.ts';

/** Which parts of a document are restored: dotted paths. */
export interface Parts {
  /** None but these; empty: all. */
  readonly only: readonly string[];
  /** Not these, whatever the others say. */
  readonly keep: readonly string[];
  /** Of all these what is less now than it was, or gone, and nothing else but `also`. */
  readonly lost: boolean;
  readonly also: readonly string[];
}

/**
 * A document as it was, but for the parts that stay as they are. `null`: there is to be none.
 */
export function restored(past: JsonObject | null, present: JsonObject | null, parts: Parts): JsonObject | null {
  const { only, keep, lost, also } = parts;
  if (only.length === 0 && keep.length === 0 && !lost) return past;
  const wanted: Wanted = { only: only.length === 0 ? null : new Paths(only), keep: new Paths(keep), also: lost ? new Paths(also) : null };
  const picked = pick('', past ?? undefined, present ?? undefined, wanted);
  const isNothing = !isObject(picked) || ((past === null || present === null) && Object.keys(picked).length === 0);
  return isNothing ? null : picked;
}

interface Wanted {
  /** `null`: all. */
  readonly only: Paths | null;
  readonly keep: Paths;
  /** Besides what was lost; `null`: whether it was is not asked. */
  readonly also: Paths | null;
}

type Value = Json | undefined;

function pick(path: string, past: Value, present: Value, wanted: Wanted): Value {
  if (past === present) return present;
  const { only, keep, also } = wanted;
  if (keep.hold(path)) return present;
  const isNamed = only === null || only.hold(path);
  const isIfLost = isNamed && also !== null && !also.hold(path);
  const areBoth = isObject(past) && isObject(present);
  // Of what is an object now and was one then, each member is asked by itself.
  const isAsked = isNamed && (!isIfLost || (!areBoth && isLost(present, past)));
  const chosen = isAsked ? past : present;
  const isMixed = (isIfLost && (areBoth || also?.lieBelow(path))) || keep.lieBelow(path) || (!isNamed && only?.lieBelow(path));
  if (!isMixed || !(isObject(past) || isObject(present))) return chosen;
  // What became something else is not less now: it stays as it is.
  if (isIfLost && !areBoth && past !== undefined && present !== undefined) return present;
  const [was, now] = [isObject(past) ? past : NOTHING, isObject(present) ? present : NOTHING];
  const picked: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(isAsked ? was : now), ...Object.keys(isAsked ? now : was)])) {
    const value = pick(path === '' ? name : `${path}.${name}`, member(was, name), member(now, name), wanted);
    if (value !== undefined) picked[name] = value;
  }
  return Object.keys(picked).length === 0 && !isObject(chosen) ? chosen : picked;
}

const NOTHING: JsonObject = {};

/** Parts of a document by their paths. */
class Paths {
  readonly #paths: ReadonlySet<string>;
  readonly #above: ReadonlySet<string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    this.#above = new Set(paths.flatMap((path) => ['', ...ancestorsOf(path)]));
  }

  /** Whether a path is one of these, or lies below one. */
  hold(path: string): boolean {
    if (this.#paths.size === 0) return false;
    if (this.#paths.has(path)) return true;
    for (const above of ancestorsOf(path)) if (this.#paths.has(above)) return true;
    return false;
  }

  /** Whether one of these lies below the path. */
  lieBelow(path: string): boolean {
    return this.#above.has(path);
  }
}
