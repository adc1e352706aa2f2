import { ExactNumber, isArray, isObject, type Json } from '../../kernel/json.ts';
import { BOOLEAN, list, literal, merged, NULL, NUMBER, object, partsOf, STRING, type Type, typeKey, union } from './type.ts';

/** Types of JSON values. */

/** The type of a value that others may change: any text, any number. */
export function typeOfJson(json: Json): Type {
  if (json === null) return NULL;
  if (typeof json === 'string') return STRING;
  if (typeof json === 'number' || json instanceof ExactNumber) return NUMBER;
  if (typeof json === 'boolean') return BOOLEAN;
  if (isArray(json)) return list(typeOfItems(json));
  return isObject(json) ? object(Object.entries(json).map(([name, value]) => [name, typeOfJson(value)])) : NULL;
}

/** The common type of all items. Objects become one object, in which members that some lack may be missing. */
export function typeOfItems(items: readonly Json[]): Type {
  const parts = new Map(items.flatMap((item) => partsOf(typeOfJson(item))).map((part) => [typeKey(part), part]));
  const objects = [...parts.values()].filter((part) => part.kind === 'object');
  const others = [...parts.values()].filter((part) => part.kind !== 'object');
  return union(...others, ...(objects.length === 0 ? [] : [merged(objects)]));
}

/** The type of a value in a definition: texts and flags are literal types. */
export function typeOfLiteral(json: Json): Type {
  if (typeof json === 'string' || typeof json === 'boolean') return literal(json);
  return typeOfJson(json);
}
