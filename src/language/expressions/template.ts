import type { Json, JsonObject } from '../../kernel/json.ts';
import { bracketParts } from './brackets.ts';
import { compileComputedPath } from './computed-path.ts';
import { LanguageError } from './errors.ts';
import { compileCall, FUNCTION_NAMES } from './functions.ts';
import type { Language } from './language.ts';
import { type Path, parsePath } from './path.ts';
import { checkParentheses, findTokens, isOneToken, literalOf, type Span, unquoted, wholeCall } from './scan.ts';
import type { Eval, Scope } from './scope.ts';
import { compileTake, isTake } from './take.ts';
import { bounded, isNullish, negate, toText, type Value } from './value.ts';

/** Templates: `{{ … }}` inside texts. The structure is parsed once; a call only looks up values. */

const MAX_TEMPLATE = 10_000;
/** Tokens in one another. */
export const MAX_NESTING = 8;

export function compileTemplate(language: Language, text: string): Eval {
  const spans = tokensOf(text);
  if (spans.length === 0) return () => text;
  if (isOneToken(text, spans)) return language.token(text.slice(2, -2));
  return interpolation(language, text, spans);
}

/** The tokens of a text, within their limits of number and length. */
export function tokensOf(text: string): Span[] {
  if (!text.includes('{{')) return [];
  if (text.length > MAX_TEMPLATE) throw new LanguageError('Template string exceeds maximum length.');
  const spans = findTokens(text);
  if (spans.some((span) => span.depth > MAX_NESTING)) throw new LanguageError('Maximum template nesting depth exceeded.');
  return spans;
}

/** Text around tokens: every token is printed in its place; missing and null print as nothing. */
function interpolation(language: Language, text: string, spans: readonly Span[]): (scope: Scope) => string {
  const pieces: (string | Eval)[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), language.token(text.slice(span.start + 2, span.end - 2)));
    from = span.end;
  }
  pieces.push(text.slice(from));
  return (scope) => {
    scope.context.spend(pieces.length);
    let out = '';
    // The length is checked after every piece, because many tokens may print the same long list.
    for (const piece of pieces) out = bounded(out + (typeof piece === 'string' ? piece : printed(scope, piece(scope))));
    scope.context.spend(out.length >> 3);
    return out;
  };
}

function printed(scope: Scope, value: Value): string {
  return isNullish(value) ? '' : toText(scope.context.plain(value));
}

/**
 * The inside of a token: `[-] path or call [| default]`. A nested token is a value and never syntax, so a player's text cannot add a
 * default, a call or a sign to the author's token.
 */
export function compileTokenBody(language: Language, body: string): Eval {
  checkParentheses(body);
  const bar = topLevel(body, '|');
  const core = compileSigned(language, (bar < 0 ? body : body.slice(0, bar)).trim());
  if (bar < 0) return core.negated ? (scope) => negate(core.eval(scope)) : core.eval;
  const fallback = compileDefault(language, body.slice(bar + 1).trim());
  const withDefault: Eval = (scope) => {
    const value = core.eval(scope);
    return isNullish(value) ? fallback(scope) : value;
  };
  return core.negated ? (scope) => negate(withDefault(scope)) : withDefault;
}

/** Index of the first such character outside nested tokens. */
export function topLevel(text: string, char: string): number {
  const spans = tokensOf(text);
  let at = text.indexOf(char);
  while (at >= 0 && spans.some((span) => at >= span.start && at < span.end)) at = text.indexOf(char, at + 1);
  return at;
}

function compileSigned(language: Language, core: string): { eval: Eval; negated: boolean } {
  if (!core.startsWith('-')) return { eval: compileCore(language, core, true), negated: false };
  // Aliases do not apply after a sign.
  return { eval: compileCore(language, core.slice(1).trim(), false), negated: true };
}

function compileCore(language: Language, core: string, aliases: boolean): Eval {
  if (isTake(core)) return compileTake(language, core);
  const call = wholeCall(core);
  if (call !== null && FUNCTION_NAMES.has(call.name)) return compileCall(language, call.name, call.args);
  return compilePath(language, core, aliases);
}

/** A path, which may hold nested tokens, `values.prices.{{input.kind}}_cost`, or brackets, `visited[current]`. */
export function compilePath(language: Language, text: string, aliases: boolean): Eval {
  const parts = bracketParts(text);
  if (parts !== null) {
    const computed = compileComputedPath(language, parts, aliases);
    return (scope) => {
      const path = computed(scope);
      return path === null ? undefined : readPath(scope, path, aliases);
    };
  }
  const spans = tokensOf(text);
  if (spans.length > 0) {
    const spelled = interpolation(language, text, spans);
    return (scope) => readPath(scope, parsePath(spelled(scope)), aliases);
  }
  const path = parsePath(text);
  return aliases ? (scope) => scope.aliased(path) : (scope) => scope.path(path);
}

function readPath(scope: Scope, path: Path, aliases: boolean): Value {
  return aliases ? scope.aliased(path) : scope.path(path);
}

function compileDefault(language: Language, text: string): Eval {
  const spans = tokensOf(text);
  if (isOneToken(text, spans)) return language.token(text.slice(2, -2));
  const quoted = unquoted(text);
  if (spans.length > 0) return interpolation(language, quoted ?? text, tokensOf(quoted ?? text));
  const value = literalOf(text) ?? quoted ?? text;
  if (text === '') return () => undefined;
  return text === 'null' ? () => null : () => value;
}

/** A literal in which every text is a template, at any depth up to 8. Names of members are never templates. */
export function compileDeep(language: Language, json: Json | undefined, depth = 0): Eval {
  if (typeof json === 'string') return language.template(json);
  if (json === null || typeof json !== 'object' || isConstant(json)) return () => json;
  if (depth >= MAX_NESTING) return fails('Maximum template nesting depth exceeded.');
  if (Array.isArray(json)) return deepList(json.map((item) => compileDeep(language, item, depth + 1)));
  return deepObject(Object.entries(json).map(([name, item]) => [name, compileDeep(language, item, depth + 1)] as const));
}

/** Resolves a text. A list or object stays as written. */
export function compileShallow(language: Language, json: Json | undefined): Eval {
  return typeof json === 'string' ? language.template(json) : () => json;
}

function deepList(items: readonly Eval[]): Eval {
  return (scope) => {
    scope.context.spend(items.length);
    return items.map((item) => item(scope) ?? null);
  };
}

/** Cost of adding a member to an object, in units of work. */
const MEMBER_COST = 3;

function deepObject(members: readonly (readonly [string, Eval])[]): Eval {
  return (scope) => {
    scope.context.spend(MEMBER_COST * members.length);
    const object: Record<string, Json> = {};
    for (const [name, evaluate] of members) setMember(object, name, evaluate(scope));
    return object;
  };
}

/** Sets an own member. A missing value sets nothing. `__proto__` would set the prototype, so it is left out. */
export function setMember(object: Record<string, Json>, name: string, value: Value): void {
  if (value !== undefined && name !== '__proto__') object[name] = value;
}

function fails(message: string): Eval {
  return () => {
    throw new LanguageError(message);
  };
}

/** A literal without templates is shared by all calls, because values are immutable. */
function isConstant(json: Json, depth = 0): boolean {
  if (typeof json === 'string') return !json.includes('{{');
  if (json === null || typeof json !== 'object') return true;
  if (depth > MAX_NESTING) return false;
  const items: readonly Json[] = Array.isArray(json) ? json : Object.values(json as JsonObject);
  return items.every((item) => isConstant(item, depth + 1));
}
