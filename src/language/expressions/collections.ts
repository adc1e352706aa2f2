import { isArray, isNumber, isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { LanguageError, withFallback } from './errors.ts';
import { compileBoolean } from './lambda.ts';
import type { Language } from './language.ts';
import { type Path, parsePath, walk } from './path.ts';
import { findTokens, isOneToken, splitArguments, unquoted } from './scan.ts';
import { ENTRY_COST, type Eval, type Scope } from './scope.ts';
import { isNullish, isTruthy, toList, toNumber, type Value } from './value.ts';

/** Functions over lists: `count(bag.items, x => x.qty > 1)`. */

/** The value of a lambda or selector for one item. */
type Select = (scope: Scope, item: Json, index: number) => Value;

export const COLLECTION_FUNCTIONS: ReadonlySet<string> = new Set([
  'length',
  'count',
  'sum',
  'avg',
  'any',
  'all',
  'find',
  'first',
  'pluck',
  'filter',
  'values',
  'min',
  'max',
]);

/** Functions with a number or boolean as result, which may stand inside arithmetic. */
export const COLLECTION_NUMBERS: ReadonlySet<string> = new Set(['length', 'count', 'sum', 'avg', 'any', 'all']);

const NEEDS_SELECTOR = new Set(['pluck', 'filter']);

/** Compiles a call. `args` is the text between the parentheses. The result keeps its type. */
export function compileCollectionCall(language: Language, name: string, args: string): Eval {
  const [listText, selectorText, ...more] = splitArguments(args);
  if (listText === undefined) throw new LanguageError(`${name}() needs a list.`);
  if (more.length > 0) throw new LanguageError(`${name}() takes at most 2 arguments.`);
  const list = compileListArgument(language, listText);
  if (name === 'length') return (scope) => sizeOf(scope, list(scope));
  if (NEEDS_SELECTOR.has(name) && selectorText === undefined) throw new LanguageError(`${name}() needs a second argument.`);
  const select = selectorText === undefined ? null : compileSelector(language, selectorText);
  const apply = applying(name, select);
  return (scope) => {
    const value = list(scope);
    const items = isExtreme(name) && isNumber(value) ? [value] : chargedList(scope, value, `${name}()`);
    scope.context.spend(1 + items.length);
    return apply(scope, items);
  };
}

/** A list, or the values of an object, which are read one by one and charged for. */
export function chargedList(scope: Scope, value: Value, what: string): readonly Json[] {
  const list = toList(value, what);
  if (!isArray(value)) scope.context.spend(ENTRY_COST * list.length);
  return list;
}

/** Whether it is `min` or `max`, which also take a single number. */
function isExtreme(name: string): boolean {
  return name === 'min' || name === 'max';
}

/** Compiles the list: a bare or quoted path, else a token or an expression. */
function compileListArgument(language: Language, text: string): Eval {
  const path = listPathIn(text);
  return path === null ? language.expression(text) : language.path(path, false);
}

/** The first argument of a list function, if it is a path; `null`: it is an expression. */
export function listPathIn(text: string): string | null {
  const bare = unquoted(text) ?? text;
  return /^[A-Za-z_][\w.-]*(?:\[|$)/.test(bare) ? bare : null;
}

function sizeOf(scope: Scope, value: Value): number {
  if (isNullish(value)) return 0;
  if (typeof value === 'string' || isArray(value)) return value.length;
  if (isObject(value)) {
    const { length } = Object.keys(value);
    scope.context.spend(length);
    return length;
  }
  throw new LanguageError('length() expects a text, a list or an object.');
}

function applying(name: string, select: Select | null): (scope: Scope, list: readonly Json[]) => Value {
  const test = (scope: Scope, item: Json, index: number) => select === null || isTruthy(select(scope, item, index));
  switch (name) {
    case 'count':
      return (scope, list) => list.reduce<number>((total, item, index) => total + Number(test(scope, item, index)), 0);
    case 'sum':
      return (scope, list) => total(name, scope, list, select);
    case 'avg':
      return (scope, list) => (list.length === 0 ? 0 : total(name, scope, list, select) / list.length);
    case 'any':
      return (scope, list) => list.some((item, index) => test(scope, item, index));
    case 'all':
      return (scope, list) => list.every((item, index) => (select === null ? isTruthy(item) : isTruthy(select(scope, item, index))));
    case 'filter':
      return (scope, list) => list.filter((item, index) => test(scope, item, index));
    case 'pluck':
      return (scope, list) => list.map((item, index) => select?.(scope, item, index) ?? null);
    case 'values':
      return (_scope, list) => list;
    case 'min':
    case 'max':
      return (scope, list) => extreme(name, scope, list);
    default:
      return (scope, list) => list.find((item, index) => test(scope, item, index)) ?? null;
  }
}

function total(name: string, scope: Scope, list: readonly Json[], select: Select | null): number {
  let sum = 0;
  list.forEach((item, index) => {
    const selected = select === null ? item : select(scope, item, index);
    const number = isNullish(selected) || selected === '' ? 0 : toNumber(scope.context.plain(selected));
    if (!Number.isFinite(number)) throw new LanguageError(`${name}() selected non-numeric value at index ${index}.`);
    sum += number;
  });
  return sum;
}

function extreme(name: 'min' | 'max', scope: Scope, list: readonly Json[]): number {
  const numbers = list.map((item) => (isNullish(item) ? Number.NaN : toNumber(scope.context.plain(item))));
  if (numbers.length === 0) throw new LanguageError(`${name}() needs a non-empty list.`);
  if (!numbers.every(Number.isFinite)) throw new LanguageError(`${name}() needs a list of numbers.`);
  return numbers.reduce((a, b) => (name === 'min' ? Math.min(a, b) : Math.max(a, b)));
}

/** A lambda, or a selector: a path in the item, text with tokens, or an expression. `item` names the item in all of them. */
function compileSelector(language: Language, text: string): Select {
  const lambda = lambdaIn(text);
  if (lambda !== null) return compileLambda(language, lambda.parameter, lambda.body);
  const path = selectorPathIn(text);
  if (path !== null) return compilePathSelector(parsePath(path));
  const bare = unquoted(text) ?? text;
  const evaluate = findTokens(bare).length > 0 ? compileTokenSelector(language, bare) : language.expression(bare);
  return (scope, item, index) => scope.with('item', item, () => scope.with('index', index, () => evaluate(scope)));
}

/** `x => body`; `null`: it is something else. */
export function lambdaIn(text: string): { readonly parameter: string; readonly body: string } | null {
  const head = /^\(?\s*([A-Za-z_]\w*)\s*\)?\s*=>/.exec(text);
  return head === null ? null : { parameter: head[1] ?? 'item', body: text.slice(head[0].length).trim() };
}

function compileLambda(language: Language, parameter: string, body: string): Select {
  const evaluate = compileBoolean(language, body);
  if (parameter === 'item') return (scope, item) => scope.with('item', item, () => evaluate(scope));
  return (scope, item) => scope.with(parameter, item, () => scope.with('item', item, () => evaluate(scope)));
}

/** A selector, if it is a path in the item; `null`: it is something else. */
export function selectorPathIn(text: string): string | null {
  const bare = unquoted(text) ?? text;
  return /^[A-Za-z_][\w.-]*$/.test(bare) ? bare : null;
}

/** `item.a`, or a member of the item (exact name first, then in any letter case), else a name of the call. */
function compilePathSelector(path: Path): Select {
  if (path.root === 'item') return (_scope, item) => walk(item, path.rest);
  return (scope, item) => {
    if (!isObject(item)) return scope.path(path);
    const name = Object.hasOwn(item, path.root) ? path.root : nameIgnoringCase(scope, item, path.root);
    return name === undefined ? scope.path(path) : walk(member(item, name), path.rest);
  };
}

function nameIgnoringCase(scope: Scope, item: Json & object, wanted: string): string | undefined {
  const lower = wanted.toLowerCase();
  const names = Object.keys(item);
  scope.context.spend(names.length);
  return names.find((name) => name.toLowerCase() === lower);
}

/** One token is its value. Longer text is arithmetic if that works, else a text. */
function compileTokenSelector(language: Language, text: string): Eval {
  if (isOneToken(text, findTokens(text))) return language.template(text);
  return withFallback(language.math(text), language.template(text));
}
