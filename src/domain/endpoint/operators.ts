import { isArray } from '../../kernel/json.ts';
import { LanguageError } from './errors.ts';
import { compilePattern } from './pattern.ts';
import type { Scope } from './scope.ts';
import { isNullish, looselyEqual, toNumber, toText, type Value } from './value.ts';

/** The comparisons of conditions and `where` clauses (spec: endpoint-language 6). */
export type Compare = (scope: Scope, left: Value, right: Value) => boolean;

/** A missing or non-numeric side counts as 0, so a missing balance is less than any price. */
function order(value: Value): number {
  const number = value === undefined ? 0 : toNumber(value);
  return Number.isNaN(number) ? 0 : number;
}

function contains(scope: Scope, whole: Value, part: Value): boolean {
  if (isArray(whole)) {
    scope.context.spend(whole.length);
    return whole.some((item) => looselyEqual(item, part));
  }
  return typeof whole === 'string' && !isNullish(part) && whole.includes(toText(part));
}

function startsWith(left: Value, right: Value): boolean {
  return typeof left === 'string' && left.startsWith(toText(right));
}

const OPERATORS: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['==', (_scope, left, right) => looselyEqual(left, right)],
  ['!=', (_scope, left, right) => !looselyEqual(left, right)],
  ['>', (_scope, left, right) => order(left) > order(right)],
  ['<', (_scope, left, right) => order(left) < order(right)],
  ['>=', (_scope, left, right) => order(left) >= order(right)],
  ['<=', (_scope, left, right) => order(left) <= order(right)],
  ['contains', contains],
  ['not_contains', (scope, left, right) => !contains(scope, left, right)],
  ['in', (scope, left, right) => contains(scope, right, left)],
  ['not_in', (scope, left, right) => !contains(scope, right, left)],
  ['starts_with', (_scope, left, right) => startsWith(left, right)],
  ['not_starts_with', (_scope, left, right) => !startsWith(left, right)],
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
]);

/** Throws a {@link LanguageError} for an operator that is not one. */
export function compileOperator(op: string): Compare {
  if (op === 'matches') return matching();
  const compare = OPERATORS.get(ALIASES.get(op) ?? op);
  if (compare === undefined) throw new LanguageError(`Unsupported operator: "${op}".`);
  return compare;
}

export function isOperator(op: string): boolean {
  return op === 'matches' || OPERATORS.has(ALIASES.get(op) ?? op);
}

function matching(): Compare {
  let pattern: Value;
  const test = compilePattern(() => pattern);
  return (scope, left, right) => {
    pattern = right;
    return test(scope, left);
  };
}
