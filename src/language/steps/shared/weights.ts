import { isObject, type Json } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import type { Scope } from '../../expressions/scope.ts';
import { isNullish, toNumber } from '../../expressions/value.ts';

/** Weight of an item. A missing one counts as 1. One whose weight is not above 0 is chosen only if no other has such a weight. */
export function weightsOf(scope: Scope, item: Json, field: string): number {
  const weight = isObject(item) ? member(item, field) : undefined;
  if (isNullish(weight)) return 1;
  const number = toNumber(scope.context.plain(weight));
  return Number.isFinite(number) && number > 0 ? number : 0;
}

/** An index, as likely as its weight says; all are equal if no weight is above 0. −1 for an empty list, for which no number is drawn. */
export function drawIndex(scope: Scope, weights: readonly number[]): number {
  if (weights.length === 0) return -1;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const drawn = scope.context.call.random();
  if (!(total > 0 && Number.isFinite(total))) return Math.min(Math.floor(drawn * weights.length), weights.length - 1);
  let rest = drawn * total;
  const index = weights.findIndex((weight) => {
    rest -= weight;
    return weight > 0 && rest < 0;
  });
  return index >= 0 ? index : weights.findLastIndex((weight) => weight > 0);
}
