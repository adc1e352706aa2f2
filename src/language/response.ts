import type { response as responseSchema } from '../contract/resources/logic.ts';
import type { Written } from '../contract/resources/member.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { LanguageError } from './expressions/errors.ts';
import type { Language } from './expressions/language.ts';
import type { Eval, Scope } from './expressions/scope.ts';
import { compileDeep, setMember } from './expressions/template.ts';
import type { Value } from './expressions/value.ts';
import { statusOf, stepFailure } from './step.ts';

/** The answer of an endpoint: `{status, body, echo}`. */
export interface Response {
  readonly status: number;
  /** Throws a `Refusal` if a template of the body fails. */
  body(scope: Scope): Json;
}

const OK: JsonObject = { ok: true };

export function compileResponse(language: Language, json: Json | undefined): Response {
  const response: Written<typeof responseSchema> = objectOf(json);
  const echo = compileEcho(language, response.echo);
  const base = compileDeep(language, response.body ?? (echo === null ? OK : {}));
  return {
    status: statusOf(response.status, 200),
    body: (scope) => render(scope, echo === null ? base : (inner) => echo(inner, base(inner))),
  };
}

/** Renders the body before the commit, so an error in it leaves nothing written. */
function render(scope: Scope, body: Eval): Json {
  try {
    return printable(scope, body(scope));
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    const step = { id: 'response', name: 'response', type: 'response', json: {} };
    throw stepFailure(step, 400, 'ENDPOINT_ERROR.RESPONSE', `The response failed: ${error.message}`);
  }
}

/** A value as JSON can express it: missing values and non-finite numbers become null. It is charged for by its printed size. */
export function printable(scope: Scope, value: Value): Json {
  if (value === undefined) return null;
  return scope.context.measure(value) ? value : withoutInfinities(value);
}

/** A copy in which infinite numbers and NaN are null. */
export function withoutInfinities(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (isArray(value)) return value.map(withoutInfinities);
  if (!isObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) setMember(copy, name, withoutInfinities(item));
  return copy;
}

type Echo = (scope: Scope, body: Value) => Value;

/** Adds the values of tokens to the body, each under the last segment of its path. */
function compileEcho(language: Language, json: Json | undefined): Echo | null {
  if (!isArray(json)) return null;
  const texts = json.filter((item): item is string => typeof item === 'string');
  const members = texts.map((text) => ({ name: echoName(text), evaluate: language.template(text) }));
  return (scope, body) => {
    scope.context.spend(members.length);
    const echoed: Record<string, Json> = { ...objectOf(body) };
    for (const { name, evaluate } of members) setMember(echoed, name, evaluate(scope));
    return echoed;
  };
}

/** The name under which a token is echoed. */
export function echoName(text: string): string {
  const path = text.replace(/^\{\{-?|\}\}$/g, '').split('|', 1)[0] ?? '';
  return path.slice(path.lastIndexOf('.') + 1).trim();
}
