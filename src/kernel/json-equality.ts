import { numbersEqual } from './json-number.ts';
import { isArray, isNumber, isObject, type Json, type JsonObject } from './json-value.ts';

/** Deep equality. The order of members does not count, exact numbers are compared by decimal value, and null equals only null. */
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

/**
 * Compares one value with many others, like {@link jsonEquals}. The cost of a comparison depends only on the other value, however large
 * `wanted` is: the members of a wide object are counted once for all comparisons.
 */
export function equalTo(wanted: Json): (value: Json) => boolean {
  if (isNumber(wanted)) return (value) => isNumber(value) && numbersEqual(value, wanted);
  if (isArray(wanted)) {
    const items = wanted.map(equalTo);
    return (value) => isArray(value) && value.length === items.length && value.every((item, index) => items[index]?.(item) === true);
  }
  if (!isObject(wanted)) return (value) => value === wanted;
  const members = membersEqualTo(wanted);
  const count = Object.keys(wanted).length;
  return (value) => isObject(value) && Object.keys(value).length === count && members(value);
}

/** Whether an object has all these members; it may have others. Stops at the first one that is missing. */
export function membersEqualTo(wanted: JsonObject): (value: JsonObject) => boolean {
  const members = Object.entries(wanted).map(([name, item]) => ({ name, equals: equalTo(item) }));
  return (value) =>
    members.every(({ name, equals }) => {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      return own !== undefined && equals(own);
    });
}
