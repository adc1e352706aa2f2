import { instantOf } from '../../kernel/instant.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { LanguageError } from './errors.ts';
import { compilePattern } from './pattern.ts';
import type { Scope } from './scope.ts';
import { isNullish, looselyEqual, toNumber, toText, type Value } from './value.ts';

/** The comparisons of conditions and `where` clauses. */
export type Compare = (scope: Scope, left: Value, right: Value) => boolean;

type Holds = (left: number, right: number) => boolean;

const ORDERS = new Map<string, Holds>([
  ['>', (left, right) => left > right],
  ['<', (left, right) => left < right],
  ['>=', (left, right) => left >= right],
  ['<=', (left, right) => left <= right],
]);

export const ORDER_SYMBOLS: readonly string[] = [...ORDERS.keys()];

/**
 * A comparison by order. Two instants compare by time, null is before every instant, and everything else compares as numbers. `missing`:
 * what counts for a side that is missing or no number; if that is a number, what is missing counts as null. In a project with strict
 * comparisons, a side that is no number is an error.
 */
export function orderBy(symbol: string, missing: number): Compare {
  const holds = ORDERS.get(symbol) ?? (() => false);
  return (scope, left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return holds(left, right);
    const side = (value: Value) => (value === undefined && !Number.isNaN(missing) ? null : scope.context.plain(value));
    const [a, b] = [side(left), side(right)];
    const [aTime, bTime] = [timeBeside(a, b), timeBeside(b, a)];
    if (aTime !== null && bTime !== null) return holds(aTime, bTime);
    const { strictComparisons } = scope.context.call;
    return holds(numberOr(missing, a, strictComparisons), numberOr(missing, b, strictComparisons));
  };
}

/** A side as a time, if it is an instant, or null beside one; else `null`. */
function timeBeside(value: Value, other: Value): number | null {
  if (typeof value === 'string') return instantOf(value);
  return value === null && typeof other === 'string' && instantOf(other) !== null ? Number.NEGATIVE_INFINITY : null;
}

function numberOr(missing: number, value: Value, strict: boolean): number {
  if (value === undefined) return missing;
  if (strict && !isOrdered(value)) throw new LanguageError(unordered(value));
  const number = toNumber(value);
  return Number.isNaN(number) ? missing : number;
}

/** Whether a value has a place in an order by numbers: a text must spell one. */
export function isOrdered(value: Json): boolean {
  if (typeof value === 'string' && value.trim() === '') return false;
  return !isObject(value) && !Number.isNaN(toNumber(value));
}

/** Says why a value cannot be compared by order. */
export function unordered(value: Json): string {
  return `${shown(value)} has no order: <, <=, > and >= compare numbers, or two ISO times with a zone.`;
}

function shown(value: Json): string {
  if (typeof value === 'string') return `"${value.slice(0, MAX_SHOWN)}"`;
  if (isObject(value)) return 'An object';
  return isArray(value) ? 'A list' : String(value);
}

const MAX_SHOWN = 60;

/** `==`. A list beside a text or number is compared by its own text. */
export function isEqual(scope: Scope, left: Value, right: Value): boolean {
  if (isArray(left) && isPlain(right)) return looselyEqual(scope.context.plain(left), right);
  if (isArray(right) && isPlain(left)) return looselyEqual(left, scope.context.plain(right));
  scope.context.compared(left, right);
  return looselyEqual(left, right);
}

function isPlain(value: Value): boolean {
  return typeof value !== 'object' && value !== undefined;
}

/** Number of characters that are searched for one unit of work. */
const SEARCHED = 1024;
/** Longest text that V8 finds in one pass. For a longer one it may compare at every position. */
const QUICKLY_FOUND = 250;

/** Cost of reading an item as a number or as a text, where the wanted value is of the other kind. */
const ITEM_COST = 4;

function contains(scope: Scope, whole: Value, part: Value): boolean {
  if (isArray(whole)) {
    scope.context.spend(ITEM_COST * whole.length);
    return whole.some((item) => isEqual(scope, item, part));
  }
  if (typeof whole !== 'string' || isNullish(part)) return false;
  const text = toText(scope.context.plain(part));
  scope.context.spend(Math.floor((whole.length * (text.length > QUICKLY_FOUND ? text.length : 1)) / SEARCHED));
  return whole.includes(text);
}

function startsWith(scope: Scope, left: Value, right: Value): boolean {
  if (typeof left !== 'string') return false;
  const beginning = toText(scope.context.plain(right));
  scope.context.compared(left, beginning);
  return left.startsWith(beginning);
}

const OPERATORS: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['==', isEqual],
  ['!=', (scope, left, right) => !isEqual(scope, left, right)],
  ...ORDER_SYMBOLS.map((symbol) => [symbol, orderBy(symbol, 0)] as const),
  ['contains', contains],
  ['not_contains', (scope, left, right) => !contains(scope, left, right)],
  ['in', (scope, left, right) => contains(scope, right, left)],
  ['not_in', (scope, left, right) => !contains(scope, right, left)],
  ['starts_with', startsWith],
  ['not_starts_with', (scope, left, right) => !startsWith(scope, left, right)],
  ['exists', (_scope, left) => !isNullish(left)],
  ['not_exists', (_scope, left) => isNullish(left)],
]);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['eq', '=='],
  ['equals', '=='],
  ['neq', '!='],
  ['ne', '!='],
  ['gt', '>'],
  ['lt', '<'],
  ['gte', '>='],
  ['ge', '>='],
  ['lte', '<='],
  ['le', '<='],
  ['includes', 'contains'],
  ['has', 'contains'],
  ['not_includes', 'not_contains'],
  ['not_has', 'not_contains'],
  ['notcontains', 'not_contains'],
  ['notin', 'not_in'],
  ['startswith', 'starts_with'],
  ['notstartswith', 'not_starts_with'],
  ['not_exist', 'not_exists'],
  ['notexists', 'not_exists'],
  ['is_null', 'not_exists'],
  ['is_not_null', 'exists'],
]);

/** Compiles an operator. Throws a {@link LanguageError} for an unknown one. */
export function compileOperator(op: string): Compare {
  if (op === 'matches') return matching();
  const compare = OPERATORS.get(ALIASES.get(op) ?? op);
  if (compare === undefined) throw new LanguageError(`Unsupported operator: "${op}"; supported are ${OPERATOR_NAMES.join(', ')}.`);
  return compare;
}

/** All operators, without their aliases. */
export const OPERATOR_NAMES: readonly string[] = [...OPERATORS.keys(), 'matches'];

export function isOperator(op: string): boolean {
  return op === 'matches' || OPERATORS.has(ALIASES.get(op) ?? op);
}

/** The operator by the first of its names. */
export function standardOperator(op: string): string {
  return ALIASES.get(op) ?? op;
}

/** Whether it looks only at the left side. */
export function isUnary(op: string): boolean {
  return ['exists', 'not_exists'].includes(standardOperator(op));
}

function matching(): Compare {
  let pattern: Value;
  const test = compilePattern(() => pattern);
  return (scope, left, right) => {
    pattern = right;
    return test(scope, left);
  };
}
