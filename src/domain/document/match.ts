import {
  ExactNumber,
  isArray,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  jsonEquals,
  numberFromText,
  numbersEqual,
} from '../../kernel/json.ts';

/** Whether `pull` takes an item: an object by its members, anything else by `match.value` (spec: runtime 5.1). */
export function isMatch(item: Json, match: JsonObject): boolean {
  return isObject(item) ? hasMembers(item, match) : looselyEqual(item, match['value'] ?? null);
}

/** Whether `remove` takes an item. */
export function isRemoved(item: Json, value: Json): boolean {
  if (!isObject(item)) return looselyEqual(item, value);
  return isObject(value) && hasMembers(item, value);
}

/** An empty `members` fits every object. */
function hasMembers(item: JsonObject, members: JsonObject): boolean {
  return Object.entries(members).every(([name, value]) => {
    const own = Object.hasOwn(item, name) ? item[name] : undefined;
    return own !== undefined && jsonEquals(own, value);
  });
}

/** JavaScript's `==` for JSON scalars; numbers by decimal value; arrays and objects deeply. */
function looselyEqual(a: Json, b: Json): boolean {
  if (a === null || b === null) return a === b;
  if (isArray(a) || isArray(b) || isObject(a) || isObject(b)) return jsonEquals(a, b);
  if (typeof a === typeof b && !(a instanceof ExactNumber)) return a === b;
  const [left, right] = [asNumber(a), asNumber(b)];
  return left !== null && right !== null && numbersEqual(left, right);
}

/** Longer texts are no numbers anyone compares with. */
const NUMBER_TEXT = /^-?\d[\d.eE+-]{0,63}$/;

/** What `==` compares with: numbers as they are, texts by their number, blank text is 0. */
function asNumber(value: boolean | number | string | ExactNumber): number | ExactNumber | null {
  if (isNumber(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const text = value.trim();
  const double = Number(text);
  if (Number.isNaN(double)) return null;
  return NUMBER_TEXT.test(text) ? numberFromText(text) : double;
}
