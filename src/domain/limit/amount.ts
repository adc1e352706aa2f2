import { type ExactNumber, isArray, isNumber, type Json, numberFromText } from '../../kernel/json.ts';

/** Longer texts are not read as numbers. */
const MAX_LENGTH = 400;
const DECIMAL = /^-?\d[\d.eE+-]*$/;

/**
 * What a rule counts of a value: a number, or what an endpoint would take for a number (a text, a boolean, a list with one of these).
 * Anything else is 0. Without this, an untyped field with `"999999"` would be worth that much in conditions, and count towards no limit.
 */
export function countedAs(value: Json | undefined): number | ExactNumber {
  if (isNumber(value)) return value;
  if (typeof value === 'boolean') return Number(value);
  if (isArray(value) && value.length === 1) return countedAs(value[0]);
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return 0;
  const text = value.trim();
  const double = Number(text);
  if (Number.isNaN(double)) return 0;
  return DECIMAL.test(text) ? numberFromText(text) : double;
}
