import { type ExactNumber, isArray, isNumber, type Json, numberFromText } from '../../kernel/json.ts';

/** Longer texts are read as numbers by nobody. */
const LONGEST = 400;
const DECIMAL = /^-?\d[\d.eE+-]*$/;

/**
 * What a rule counts of a value: a number, and whatever an endpoint would take for one, as texts, booleans and lists of one of them.
 * Anything else is 0. An untyped field that held `"999999"` was worth that to every condition, and had cost nothing of any limit.
 */
export function countedAs(value: Json | undefined): number | ExactNumber {
  if (isNumber(value)) return value;
  if (typeof value === 'boolean') return Number(value);
  if (isArray(value) && value.length === 1) return countedAs(value[0]);
  if (typeof value !== 'string' || value.length > LONGEST) return 0;
  const text = value.trim();
  const double = Number(text);
  if (Number.isNaN(double)) return 0;
  return DECIMAL.test(text) ? numberFromText(text) : double;
}
