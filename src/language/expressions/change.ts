import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { bracketParts } from './brackets.ts';
import { type ComputedPath, compileComputedPath } from './computed-path.ts';
import { LanguageError } from './errors.ts';
import type { Language } from './language.ts';
import { isForbidden } from './path.ts';
import { MEMBER_COST, type Scope } from './scope.ts';
import { isNullish, type Value } from './value.ts';

/** Changes part of a value that a name of the call holds. Other names that hold the same value keep it unchanged. */

/** A path must begin with a name that the author wrote: a player's text must not choose which name is changed. */
const BEGINS_WITH_NAME = /^\s*[^\s.[\]{}|()]+\s*(?:[.[]|$)/;

/** Throws if the text is not a path that begins with a name. */
export function writablePath(language: Language, text: string): ComputedPath {
  if (!BEGINS_WITH_NAME.test(text)) throw new LanguageError(`"${text.slice(0, 60)}" is not a path that begins with a name.`);
  return compileComputedPath(language, bracketParts(text) ?? [{ kind: 'names', text }], false);
}

/** A copy with another value at the path. Values are shared between names, so they are never changed in place. */
export function changed(
  scope: Scope,
  parent: Value,
  segments: readonly string[],
  at: number,
  change: (before: Value) => Json,
  text: string,
): Json {
  const segment = segments[at];
  if (segment === undefined) return change(parent);
  if (isForbidden(segment)) throw new LanguageError('Forbidden path segment.');
  const inner = (before: Value) => changed(scope, before, segments, at + 1, change, text);
  if (isArray(parent)) return inList(scope, parent, segment, inner, text);
  if (!isNullish(parent) && !isObject(parent)) throw new LanguageError(`"${text}" leads through a value that has no members.`);
  const members: JsonObject = parent ?? {};
  scope.context.spend(1 + MEMBER_COST * Object.keys(members).length);
  return { ...members, [segment]: inner(member(members, segment)) };
}

/** Changes an existing item, or adds one after the last. */
function inList(scope: Scope, list: readonly Json[], segment: string, inner: (before: Value) => Json, text: string): Json {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : Number.POSITIVE_INFINITY;
  if (index > list.length) throw new LanguageError(`"${text}" names an item that the list does not have.`);
  scope.context.spend(1 + list.length);
  const copy = [...list];
  copy[index] = inner(list[index]);
  return copy;
}
