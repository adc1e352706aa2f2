import { isArray, isObject, type Json } from '../../kernel/json.ts';

/** Number of values in a value, itself included; a text counts by its length. It measures the cost of copying and printing. */
export function weightOf(value: Json): number {
  if (typeof value === 'string') return 1 + (value.length >> 3);
  if (!isArray(value) && !isObject(value)) return 1;
  let weight = 1;
  for (const item of isArray(value) ? value : Object.values(value)) weight += weightOf(item);
  return weight;
}
