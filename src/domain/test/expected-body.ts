import { isArray, isObject, type Json, jsonEquals, stringifyJson } from '../../kernel/json.ts';

/**
 * Compares an answer's body with the expected one. Every member that the test names must be present and equal; other members do not count.
 * Lists and scalars are compared whole. Returns the first difference as a sentence; an empty text if there is none.
 */
export function bodyDifference(expected: Json, found: Json): string {
  return difference(expected, found, 'body');
}

/** Most characters of a value in a reason. */
const MAX_LENGTH = 200;

function difference(expected: Json, found: Json | undefined, path: string): string {
  if (found === undefined) return `Expected ${path} to be ${shown(expected)}; it is missing.`;
  if (!isObject(expected)) return jsonEquals(expected, found) ? '' : unequal(expected, found, path);
  if (!isObject(found)) return unequal(expected, found, path);
  for (const [name, value] of Object.entries(expected)) {
    const inner = difference(value, Object.hasOwn(found, name) ? found[name] : undefined, `${path}.${name}`);
    if (inner !== '') return inner;
  }
  return '';
}

/** Of lists of equal length only the first item that differs is shown: two long texts may be cut off before their difference. */
function unequal(expected: Json, found: Json, path: string): string {
  if (isArray(expected) && isArray(found) && expected.length === found.length) {
    const at = expected.findIndex((item, index) => !jsonEquals(item, found[index] ?? null));
    return unequal(expected[at] ?? null, found[at] ?? null, `${path}[${at}]`);
  }
  const lengths = isArray(expected) && isArray(found) ? ` (${expected.length} items, not ${found.length})` : '';
  return `Expected ${path} to be ${shown(expected)}, got ${shown(found)}${lengths}.`;
}

function shown(value: Json): string {
  const text = stringifyJson(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
