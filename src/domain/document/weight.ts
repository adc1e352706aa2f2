import { isArray, isObject, type Json } from '../../kernel/json.ts';

/** Values in a value, itself included, a text by its length: what copying and printing it takes. */
export function weightOf(value: Json): number {
  if (typeof value === 'string') return 1 + (value.length >> 3);
  if (!isArray(value) && !isObject(value)) return 1;
  let weight = 1;
  for (const item of isArray(value) ? value : Object.values(value)) weight += weightOf(item);
  return weight;
}
