import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { bracketParts } from '../brackets.ts';
import { LanguageError } from '../errors.ts';
import type { Language } from '../language.ts';
import { isForbidden } from '../path.ts';
import { compilePlace, type Place } from '../place.ts';
import type { Eval, Scope } from '../scope.ts';
import { binding, type CompileStep, type StepSource } from '../step.ts';
import { compileDeep, compileShallow } from '../template.ts';
import { isNullish, type Value } from '../value.ts';

/**
 * `transform` makes a value (endpoint-language 8), and changes names of the call with `set` and `append` (18): a map of path to value,
 * or a path that takes the step's own value, as loops need it: `set: {'visited[current]': true, current: '{{next}}'}`. Changed are the
 * names alone, never a document; what another name holds of the same value stays as it was.
 */
export const transformStep: CompileStep = (source, { language }) => {
  const own = compileOwn(language, source);
  const changes = [...compileChanges(language, source, 'set'), ...compileChanges(language, source, 'append')];
  if (own === null && (changes.length === 0 || changes.some(({ value }) => value === null))) {
    throw new LanguageError('it has neither expression nor value.');
  }
  const bind = own === null ? null : binding(source, ({ scope }) => own(scope));
  if (changes.length === 0 && bind !== null) return bind;
  return (frame) => {
    bind?.(frame);
    for (const change of changes) apply(frame.scope, change, source);
    return undefined;
  };
};

/** What is bound under the step's name; `null` where it only changes names. */
function compileOwn(language: Language, { json }: StepSource): Eval | null {
  const expression = member(json, 'expression');
  if (typeof expression === 'string') return language.expression(expression);
  if (isNumber(expression)) return () => expression;
  const value = member(json, 'value');
  return value === undefined ? null : compileShallow(language, value);
}

interface Change {
  readonly verb: 'set' | 'append';
  readonly text: string;
  readonly place: Place;
  /** `null`: the step's own value. */
  readonly value: Eval | null;
}

function compileChanges(language: Language, { json }: StepSource, verb: Change['verb']): Change[] {
  const asked = member(json, verb) ?? null;
  if (asked === null) return [];
  if (typeof asked === 'string') return [{ verb, text: asked, place: placeOf(language, asked), value: null }];
  if (!isObject(asked)) throw new LanguageError(`${verb} must be a map of path to value, or a path.`);
  return Object.entries(asked).map(([text, value]) => ({
    verb,
    text,
    place: placeOf(language, text),
    value: compileValue(language, value),
  }));
}

/** The name that a path begins with is the author's: a player's text must not choose which one is changed. */
const BEGINS_WITH_NAME = /^\s*[^\s.[\]{}|()]+\s*(?:[.[]|$)/;

/** Throws for a text that is no path to a name of the call. */
export function placeOf(language: Language, text: string): Place {
  if (!BEGINS_WITH_NAME.test(text)) throw new LanguageError(`"${text.slice(0, 60)}" is no path.`);
  return compilePlace(language, bracketParts(text) ?? [{ kind: 'names', text }], false);
}

/** As in the operations of a write: every text in it is a template; `{expression}` alone is computed. */
function compileValue(language: Language, json: Json): Eval {
  const expression = isObject(json) && Object.keys(json).length === 1 ? member(json, 'expression') : undefined;
  return typeof expression === 'string' ? language.expression(expression) : compileDeep(language, json);
}

function apply(scope: Scope, { verb, text, place, value }: Change, source: StepSource): void {
  const given = (value === null ? scope.name(source.name) : value(scope)) ?? null;
  const path = place(scope);
  if (path === null) throw new LanguageError(`What stands between the brackets of "${text}" has no value.`);
  const change = verb === 'set' ? () => given : (before: Value) => appended(scope, before, given, text);
  scope.names.set(path.root, changed(scope, scope.name(path.root), path.rest, 0, change, text));
}

function appended(scope: Scope, before: Value, given: Json, text: string): Json {
  if (isNullish(before)) return [given];
  if (!isArray(before)) throw new LanguageError(`"${text}" is no list to append to.`);
  scope.context.spend(before.length);
  return [...before, given];
}

/** Copying a member takes about as long as looking at this many rows. */
const MEMBER_COST = 2;

/** A copy with another value at the place: values are shared between names, and never changed. */
function changed(
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

/** An item that is there, or the one after the last. */
function inList(scope: Scope, list: readonly Json[], segment: string, inner: (before: Value) => Json, text: string): Json {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : Number.POSITIVE_INFINITY;
  if (index > list.length) throw new LanguageError(`"${text}" leads to no item of its list.`);
  scope.context.spend(1 + list.length);
  const copy = [...list];
  copy[index] = inner(list[index]);
  return copy;
}
