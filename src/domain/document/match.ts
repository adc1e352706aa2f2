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

/** Whether an item matches. Made once for a list, because the wanted value may be as long as the list. */
export type Meant = (item: Json) => boolean;

/** What `pull` removes: an object by its members, anything else by `match.value`. */
export function pulling(match: JsonObject): Meant {
  const hasMembers = membersEqualTo(match);
  const equals = looselyEqualTo(match['value'] ?? null);
  return (item) => (isObject(item) ? hasMembers(item) : equals(item));
}

/** What `remove` removes. An empty object matches every object. */
export function removing(value: Json): Meant {
  const hasMembers = isObject(value) ? membersEqualTo(value) : () => false;
  const equals = looselyEqualTo(value);
  return (item) => (isObject(item) ? hasMembers(item) : equals(item));
}

/** JavaScript's `==` for JSON scalars; numbers by decimal value; arrays and objects deeply. */
function looselyEqualTo(wanted: Json): Meant {
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

/** What `==` compares: a number as it is, a text by its number, blank text as 0. */
function asNumber(value: Json): ReturnType<typeof numberFromText> | null {
  if (isNumber(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const double = Number(text);
  if (Number.isNaN(double)) return null;
  return NUMBER_TEXT.test(text) ? numberFromText(text) : double;
}
