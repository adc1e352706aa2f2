import { isNumber, type Json, type JsonObject, stringifyJson, toDouble } from '../../kernel/json.ts';
import { truncateText } from '../document/truncate-text.ts';

/** Reads bodies of telemetry. A member may have several names. What does not fit is left out, not refused. */

/** The first of these members that holds a text that is not empty, cut to `length`. */
export function stringIn(body: JsonObject, names: readonly string[], length: number): string | null {
  return first(body, names, (value) => (typeof value === 'string' && value.trim() !== '' ? truncateText(value, length) : null));
}

/** The first of these members that holds a finite number. */
export function numberOf(body: JsonObject, names: readonly string[]): number | null {
  return first(body, names, (value) => {
    const number = isNumber(value) ? toDouble(value) : Number.NaN;
    return Number.isFinite(number) ? number : null;
  });
}

/** The first of these members that is present and not null. */
export function anyOf(body: JsonObject, names: readonly string[]): Json {
  return first(body, names, (value) => value);
}

/** The result of `read` for the first of these members that it can read. */
function first<T>(body: JsonObject, names: readonly string[], read: (value: Json) => T | null): T | null {
  for (const name of names) {
    const found = read(body[name] ?? null);
    if (found !== null) return found;
  }
  return null;
}

/** The value, or null if its JSON text has more than `length` characters. */
export function nullIfLonger(value: Json, length: number): Json {
  return value !== null && stringifyJson(value).length > length ? null : value;
}
