import { isArray } from '../../kernel/json.ts';
import { COLLECTION_FUNCTIONS, compileCollectionCall } from './collections.ts';
import { LanguageError } from './errors.ts';
import type { Language } from './language.ts';
import { childOf, isForbidden } from './path.ts';
import { compilePattern } from './pattern.ts';
import { findTokens, literalOf, splitArguments, unquoted, wholeCall } from './scan.ts';
import type { Eval, Scope } from './scope.ts';
import { isNullish, toNumber, toText, type Value } from './value.ts';

/** Functions inside a token: `{{get(stock, input.item, 0)}}`. */

/** One argument: its value, and its text, which `get` takes literally if it is not a known name. */
interface Argument {
  readonly eval: Eval;
  readonly text: string;
}

type Build = (name: string, args: readonly Argument[]) => Eval;

const VALUE_FUNCTIONS: ReadonlyMap<string, Build> = new Map<string, Build>([
  ['coalesce', coalesce],
  ['default', coalesce],
  ['num', num],
  ['get', get],
  ['matches', matches],
  ['min', extreme],
  ['max', extreme],
]);

const NOT_IN_TOKENS = new Set(['filter', 'values', 'length', 'min', 'max']);

export const FUNCTION_NAMES: ReadonlySet<string> = new Set([
  ...VALUE_FUNCTIONS.keys(),
  ...[...COLLECTION_FUNCTIONS].filter((name) => !NOT_IN_TOKENS.has(name)),
]);

/** Compiles a call. `args` is the text between the parentheses. */
export function compileCall(language: Language, name: string, args: string): Eval {
  const build = VALUE_FUNCTIONS.get(name);
  if (build === undefined) return compileCollectionCall(language, name, args);
  const compiled = splitArguments(args).map((text) => compileArgument(language, text));
  const evaluate = build(name, compiled);
  return (scope) => {
    scope.context.spend(compiled.length);
    return evaluate(scope);
  };
}

/** Quoted text, `true|false|null`, a number, a call, a nested token, else a path. Aliases do not apply here. */
function compileArgument(language: Language, text: string): Argument {
  const quoted = unquoted(text);
  if (quoted !== null) return { eval: language.template(quoted), text: quoted };
  const literal = text === 'null' ? null : literalOf(text);
  if (literal !== undefined) return { eval: () => literal, text };
  if (findTokens(text).length > 0) return { eval: language.template(text), text };
  const call = wholeCall(text);
  if (call !== null && FUNCTION_NAMES.has(call.name)) return { eval: compileCall(language, call.name, call.args), text };
  return { eval: language.path(text, false), text };
}

function needs(name: string, args: readonly Argument[], least: number): void {
  if (args.length < least) throw new LanguageError(`${name}() needs at least ${least} arguments.`);
}

function coalesce(name: string, args: readonly Argument[]): Eval {
  needs(name, args, 2);
  return (scope) => {
    let value: Value;
    for (const arg of args) {
      value = arg.eval(scope);
      if (!isNullish(value) && value !== '') return value;
    }
    return value;
  };
}

function num(name: string, args: readonly Argument[]): Eval {
  needs(name, args, 1);
  const [first, second] = args;
  return (scope) => finite(scope, first?.eval(scope)) ?? finite(scope, second?.eval(scope)) ?? 0;
}

function finite(scope: Scope, value: Value): number | null {
  const number = toNumber(scope.context.plain(value));
  return Number.isFinite(number) ? number : null;
}

/** `get(root, segment…, default)`: a segment is the value of a known path, else its own text. */
function get(name: string, args: readonly Argument[]): Eval {
  needs(name, args, 3);
  const [root, ...rest] = args;
  const fallback = rest.pop();
  return (scope) => {
    let current = root?.eval(scope);
    for (const arg of rest) current = childOf(current, segmentOf(scope, arg));
    return isNullish(current) ? fallback?.eval(scope) : current;
  };
}

function segmentOf(scope: Scope, arg: Argument): string {
  const value = arg.eval(scope);
  const segment = value === undefined ? arg.text : toText(scope.context.plain(value));
  if (isForbidden(segment)) throw new LanguageError('Forbidden path segment.');
  return segment;
}

function matches(name: string, args: readonly Argument[]): Eval {
  needs(name, args, 2);
  const [text, pattern] = args;
  const test = compilePattern(pattern?.eval ?? (() => undefined));
  return (scope) => test(scope, text?.eval(scope));
}

function extreme(name: string, args: readonly Argument[]): Eval {
  const pick = name === 'min' ? (a: number, b: number) => Math.min(a, b) : (a: number, b: number) => Math.max(a, b);
  const [first] = args;
  if (first === undefined) throw new LanguageError(`${name}() needs a list or at least 2 arguments.`);
  return (scope) => {
    const values = args.length === 1 ? first.eval(scope) : args.map((arg) => arg.eval(scope) ?? null);
    if (!isArray(values) || values.length === 0) throw new LanguageError(`${name}() needs a non-empty list or at least 2 arguments.`);
    scope.context.spend(values.length);
    return values.map((value) => number(name, scope.context.plain(value))).reduce(pick);
  };
}

function number(name: string, value: Value): number {
  const result = isNullish(value) ? Number.NaN : toNumber(value);
  if (!Number.isFinite(result)) throw new LanguageError(`${name}() needs finite numbers.`);
  return result;
}
