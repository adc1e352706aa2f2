import type { NormalValue } from '../../contract/resources/query.ts';
import { Refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { stringOf } from '../../kernel/json-read.ts';
import { member } from '../../kernel/path.ts';
import { language } from '../../language/expressions/compilers.ts';
import { LanguageError } from '../../language/expressions/errors.ts';
import { isForbidden, walk } from '../../language/expressions/path.ts';
import { CallContext, Scope } from '../../language/expressions/scope.ts';
import type { Value } from '../../language/expressions/value.ts';

/** Evaluates the texts of a query definition, one row at a time. */

/** A row in a query: a document, or several under their aliases. */
export interface Row {
  readonly key: string;
  readonly data: JsonObject;
}

/** The environment of an evaluation, the same for a whole run. */
export interface QueryEnvironment {
  readonly projectId: string;
  /** Unix ms. */
  readonly now: number;
  /** `values` in templates. */
  readonly values: JsonObject;
}

/** Queries have no steps, so they have no effects. */
const NO_EFFECTS = { sleep: () => undefined, webhook: () => null, notify: () => null, checkTime: () => undefined };

export type Evaluate = (row: Row, environment: QueryEnvironment) => Value;

/** Evaluates one text for a row. An error is the author's mistake, so it is not thrown; the caller counts it. `null`: there was one. */
export function attempt(evaluate: Evaluate, row: Row, environment: QueryEnvironment): { readonly value: Value } | null {
  try {
    return { value: evaluate(row, environment) };
  } catch (error) {
    if (error instanceof LanguageError || error instanceof Refusal) return null;
    throw error;
  }
}

/** An expression, evaluated for one row. */
export function expressionOf(text: string): Evaluate {
  const compiled = language.expression(text);
  return (row, environment) => compiled(scopeOf(row, environment));
}

/** A template, evaluated for one row. */
export function templateOf(text: string): Evaluate {
  const compiled = language.template(text);
  return (row, environment) => compiled(scopeOf(row, environment));
}

/** A dotted path in the row. `_key` is the key of its document, and so is `key` if the row has no such member. */
export function pathOf(text: string): Evaluate {
  const segments = text.split('.');
  if (segments.some((segment) => segment === '' || isForbidden(segment))) return () => undefined;
  const [root = '', ...rest] = segments;
  return (row, environment) => walk(nameIn(row, environment, root), rest);
}

/** The first that is given of an expression, a template, a path and a fixed value; `null`: none is. */
export function valueIn(written: NormalValue): Evaluate | null {
  const expression = stringOf(written.expression);
  if (expression !== undefined) return expressionOf(expression);
  const template = stringOf(written.template);
  if (template !== undefined) return templateOf(template);
  const path = stringOf(written.path);
  if (path !== undefined) return path.includes('{{') ? expressionOf(path) : pathOf(path);
  const { value: fixed } = written;
  return fixed === undefined ? null : () => fixed;
}

/** Sets a value under a dotted path, in a copy. A path that templates cannot read changes nothing. */
export function withValueAt(target: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined || name === '' || isForbidden(name)) return target;
  if (rest.length === 0) return { ...target, [name]: value };
  const inner = member(target, name);
  return { ...target, [name]: withValueAt(isObject(inner) ? inner : {}, rest, value) };
}

function nameIn({ key, data }: Row, environment: QueryEnvironment, name: string): Value {
  const own = member(data, name);
  if (own !== undefined) return own;
  if (name === '_key' || name === 'key') return key;
  return name === 'values' ? environment.values : undefined;
}

function scopeOf(row: Row, environment: QueryEnvironment): Scope {
  const names = new Map<string, Value>([['key', row.key], ['values', environment.values], ...Object.entries(row.data), ['_key', row.key]]);
  const call = {
    projectId: environment.projectId,
    slug: '',
    input: {},
    platformId: '',
    playerKey: '',
    hasSecretKey: false,
    isDedicatedServer: false,
    strictComparisons: false,
    now: environment.now,
    random: () => 0,
    effects: NO_EFFECTS,
  };
  return new Scope(new CallContext(call, environment.values), names);
}
