import { ExactNumber, isArray, isNumber, isObject, type Json, numberFromText, numbersEqual } from '../../kernel/json.ts';
import { LanguageError } from './errors.ts';

/** A JSON value, or `undefined` for a name that does not exist, which differs from null. */
export type Value = Json | undefined;

/** Longest text of a template or a printed value. No document or answer can hold a longer one. */
export const MAX_TEXT = 262_144;
/** Depth to which the language visits values. Bodies and documents have a much lower bound. */
export const MAX_DEPTH = 64;

/** Longest text that is read as a number or boolean. Longer ones would take too long to compare. */
const MAX_NUMBER_TEXT = 400;

export function isNullish(value: Value): value is null | undefined {
  return value === null || value === undefined;
}

/** The number that JavaScript makes of a value, as the nearest double; NaN if it makes none. */
export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (value instanceof ExactNumber) return value.double;
  const plain = isArray(value) || isObject(value) ? toText(value) : value;
  return typeof plain === 'string' && plain.length > MAX_NUMBER_TEXT ? Number.NaN : Number(plain);
}

/** The text that JavaScript makes of a value. Items of lists are joined by `,`; missing and null are empty. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value.text;
  if (isArray(value)) return bounded(listText(value, 0));
  if (isObject(value)) return '[object Object]';
  return String(value);
}

function listText(list: readonly Json[], depth: number): string {
  if (depth > MAX_DEPTH) throw new LanguageError('A value is nested too deeply.');
  const parts: string[] = [];
  let length = 0;
  for (const item of list) {
    const part = isNullish(item) ? '' : isArray(item) ? listText(item, depth + 1) : toText(item);
    length += part.length + 1;
    if (length > MAX_TEXT) throw new LanguageError('A text exceeds the maximum length.');
    parts.push(part);
  }
  return parts.join(',');
}

/** The text. Throws {@link LanguageError} if it is longer than {@link MAX_TEXT}. */
export function bounded(text: string): string {
  if (text.length > MAX_TEXT) throw new LanguageError('A text exceeds the maximum length.');
  return text;
}

/** Whether JavaScript takes a value for true. An exact number is always true. */
export function isTruthy(value: Value): boolean {
  if (value instanceof ExactNumber) return true;
  return Boolean(value);
}

/**
 * The `==` of the language. It differs from JavaScript's in two ways: a boolean equals a text that spells it, and numbers beyond doubles
 * compare by decimal value, because player ids are sent as numbers and must never match a neighbour.
 */
export function looselyEqual(left: Value, right: Value): boolean {
  if (isNullish(left) || isNullish(right)) return isNullish(left) && isNullish(right);
  if (left instanceof ExactNumber || right instanceof ExactNumber) return exactlyEqual(left, right);
  if (typeof left === typeof right) return left === right;
  if (typeof left === 'object') return looselyEqual(toText(left), right);
  if (typeof right === 'object') return looselyEqual(left, toText(right));
  if (typeof left === 'boolean') return booleanEquals(left, right);
  if (typeof right === 'boolean') return booleanEquals(right, left);
  return toNumber(left) === toNumber(right);
}

function booleanEquals(flag: boolean, other: Json): boolean {
  const spelled = typeof other === 'string' && other.length <= MAX_NUMBER_TEXT ? other.trim().toLowerCase() : '';
  if (spelled === 'true' || spelled === 'false') return flag === (spelled === 'true');
  return Number(flag) === toNumber(other);
}

function exactlyEqual(left: Json, right: Json): boolean {
  const a = numberOf(left);
  const b = numberOf(right);
  return a !== null && b !== null && numbersEqual(a, b);
}

/** A number, or a text that spells one; `null` for anything else. */
function numberOf(value: Json): number | ExactNumber | null {
  if (isNumber(value)) return value;
  const text = typeof value === 'string' && value.length <= MAX_NUMBER_TEXT ? value.trim() : '';
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,6})?$/.test(text) ? numberFromText(text) : null;
}

/** `{{-x}}`: missing and null give 0, numeric text counts, anything else cannot be negated. */
export function negate(value: Value): Value {
  if (isNullish(value)) return 0;
  if (typeof value === 'number') return 0 - value;
  if (value instanceof ExactNumber) return new ExactNumber(value.text.startsWith('-') ? value.text.slice(1) : `-${value.text}`);
  if (typeof value === 'string' && value.length <= MAX_NUMBER_TEXT && value.trim() !== '') {
    const number = toNumber(value);
    if (!Number.isNaN(number)) return 0 - number;
  }
  throw new LanguageError('Cannot negate non-numeric value.');
}

/** A list from a value: an object gives the list of its values; missing and null give an empty one. */
export function toList(value: Value, what: string): readonly Json[] {
  if (isNullish(value)) return [];
  if (isArray(value)) return value;
  if (isObject(value)) return Object.values(value);
  throw new LanguageError(`${what} expects a list.`);
}
