import { numbersEqual } from './json-number.ts';
import { isArray, isNumber, isObject, type Json, type JsonObject } from './json-value.ts';

/** Deep equality: the order of members does not count, exact numbers are compared by decimal value, null is only null. */
export function jsonEquals(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (isNumber(a)) return isNumber(b) && numbersEqual(a, b);
  if (isArray(a)) return isArray(b) && arraysEqual(a, b);
  return isObject(a) && isObject(b) && objectsEqual(a, b);
}

function arraysEqual(a: readonly Json[], b: readonly Json[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((item, index) => {
    const other = b[index];
    return other !== undefined && jsonEquals(item, other);
  });
}

function objectsEqual(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [mine, theirs] = [a[name], Object.hasOwn(b, name) ? b[name] : undefined];
    return mine !== undefined && theirs !== undefined && jsonEquals(mine, theirs);
  });
}
