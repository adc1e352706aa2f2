import {
  equalTo,
  isArray,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  membersEqualTo,
  numberFromText,
  numbersEqual,
} from '../../kernel/json.ts';

/** Whether an item of a list matches. A matcher is made once for a list, because the value to compare with may be as long as the list. */
export type Matcher = (item: Json) => boolean;

/** Matches what `pull` removes: an object by its members, anything else by `match.value`. */
export function pullMatcher(match: JsonObject): Matcher {
  const hasMembers = membersEqualTo(match);
  const equals = looselyEqualTo(match['value'] ?? null);
  return (item) => (isObject(item) ? hasMembers(item) : equals(item));
}

/** Matches what `remove` removes. An empty object matches every object. */
export function removeMatcher(value: Json): Matcher {
  const hasMembers = isObject(value) ? membersEqualTo(value) : () => false;
  const equals = looselyEqualTo(value);
  return (item) => (isObject(item) ? hasMembers(item) : equals(item));
}

/** JavaScript's `==` for JSON scalars; numbers by decimal value; arrays and objects deeply. */
function looselyEqualTo(wanted: Json): Matcher {
  if (wanted === null || typeof wanted === 'object') {
    const equals = equalTo(wanted);
    if (!isNumber(wanted)) return equals;
  }
  const number = asNumber(wanted);
  return (item) => {
    if (item === null || isArray(item) || isObject(item)) return false;
    if (typeof item === typeof wanted && !isNumber(item)) return item === wanted;
    const other = asNumber(item);
    return number !== null && other !== null && numbersEqual(number, other);
  };
}

/** Longer texts are not compared as numbers. */
const NUMBER_TEXT = /^-?\d[\d.eE+-]{0,63}$/;

/** The number that `==` compares: of a text the number that it spells, of a blank text 0. `null`: it is not a number. */
function asNumber(value: Json): ReturnType<typeof numberFromText> | null {
  if (isNumber(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const double = Number(text);
  if (Number.isNaN(double)) return null;
  return NUMBER_TEXT.test(text) ? numberFromText(text) : double;
}
