import type { clause } from '../../contract/resources/condition.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { deferred, LanguageError, withFallback } from './errors.ts';
import { looksLikeMath } from './expression.ts';
import type { Language } from './language.ts';
import { compileOperator } from './operators.ts';
import { findTokens, isOneToken, literalOf, scanTop, unquoted } from './scan.ts';
import type { Check, Eval, Scope } from './scope.ts';
import { compileShallow } from './template.ts';
import { isTruthy, toNumber, type Value } from './value.ts';

/** Conditions: `{field, op, value}`, `{expression}`, `{all}`, `{any}`; true or false; or a template, which is an expression. */

export type Clause = Normal<typeof clause, typeof PART_SYNONYMS.clause>;

const MAX_NESTING = 32;

export function compileCondition(language: Language, written: Json | undefined, depth = 0): Check {
  if (typeof written === 'boolean') return () => written;
  if (typeof written === 'string' && written.includes('{{')) return compileExpressionCheck(language, written);
  if (!isObject(written)) throw new LanguageError('A condition must be an object.');
  if (depth > MAX_NESTING) throw new LanguageError('Conditions are nested too deeply.');
  const json: Clause = written;
  const { all, any, expression, field } = json;
  if (isArray(all)) return every(compileGroup(language, all, depth));
  if (isArray(any)) return some(compileGroup(language, any, depth));
  if (field !== undefined && field !== null) return compileFieldCheck(language, json, field);
  if (typeof expression === 'string') return compileExpressionCheck(language, expression);
  throw new LanguageError('A condition needs a field or an expression.');
}

/** A condition that does not compile fails when it is evaluated. If an earlier one decides the group, it never is. */
function compileGroup(language: Language, items: readonly Json[], depth: number): Check[] {
  return items.map((item) => deferred(() => compileCondition(language, item, depth + 1)));
}

function every(checks: readonly Check[]): Check {
  return (scope) => checks.every((check) => charged(scope) && check(scope));
}

function some(checks: readonly Check[]): Check {
  return (scope) => checks.some((check) => charged(scope) && check(scope));
}

/** Charges for a check. Checks without names cost nothing by themselves, and a group may hold thousands. */
function charged(scope: Scope): true {
  scope.context.spend(1);
  return true;
}

function compileFieldCheck(language: Language, json: Clause, field: Json): Check {
  const { op } = json;
  if (typeof op !== 'string') throw new LanguageError('A condition needs an op.');
  const left = compileField(language, field);
  const compare = compileOperator(op);
  const right = compileRight(language, json);
  return (scope) => compare(scope, left(scope), right(scope));
}

/** A field is the inside of a token, one token, or a mix that is interpolated to a path. The token compiler takes all three. */
function compileField(language: Language, field: Json): Eval {
  if (typeof field !== 'string') return () => field;
  return isOneToken(field, findTokens(field)) ? language.template(field) : language.token(field);
}

function compileRight(language: Language, { expression, value }: Clause): Eval {
  if (typeof expression === 'string') return language.math(expression);
  if (typeof expression === 'number') return () => expression;
  return compileShallow(language, value);
}

/** `left op right` in one text. Without an operator: whether the result is not 0. */
function compileExpressionCheck(language: Language, text: string): Check {
  const split = findComparison(text);
  if (split === null) {
    const evaluate = language.expression(text);
    return (scope) => isNotZero(scope.context.plain(evaluate(scope)));
  }
  const left = language.expression(text.slice(0, split.at));
  const compare = compileOperator(split.op);
  const right = compileRightText(language, text.slice(split.at + split.op.length).trim(), split.op);
  return (scope) => compare(scope, left(scope), right(scope));
}

function isNotZero(value: Value): boolean {
  return typeof value === 'number' ? value !== 0 : isTruthy(value) && toNumber(value) !== 0;
}

/** The first comparison outside tokens, quotes and brackets; `null`: there is none. */
export function findComparison(text: string): { readonly at: number; readonly op: string } | null {
  const at = scanTop(text, 0, (_char, position, depth) => depth === 0 && comparisonAt(text, position) !== '');
  return at < 0 ? null : { at, op: comparisonAt(text, at) };
}

function comparisonAt(text: string, at: number): string {
  return ['!=', '==', '<=', '>=', '<', '>'].find((op) => text.startsWith(op, at)) ?? '';
}

/**
 * The right side. A token keeps its type; quotes are removed; `true`, `false` and numbers are typed. Arithmetic is computed, but for
 * equality only if its tokens are numbers, since `{{a}} == {{x}}-{{y}}` may compare texts. Everything else is a text.
 */
function compileRightText(language: Language, text: string, op: string): Eval {
  const spans = findTokens(text);
  if (isOneToken(text, spans)) return language.template(text);
  const quoted = unquoted(text);
  if (quoted !== null) return language.template(quoted);
  const literal = literalOf(text) ?? (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined);
  if (literal !== undefined) return () => literal;
  const printed = language.template(text);
  if (!looksLikeMath(text) || (spans.length === 0 && !/[+*/%(]/.test(text))) return printed;
  const math = language.math(text);
  return op === '==' || op === '!=' ? withFallback(math, printed) : math;
}
