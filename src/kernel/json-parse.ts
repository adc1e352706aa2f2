import { isUtf8 } from 'node:buffer';
import { parse as parseLossless } from 'lossless-json';
import { numberFromText } from './json-number.ts';
import { isArray, isObject, type Json, type JsonObject } from './json-value.ts';

/**
 * Parses JSON from outside. `JSON.parse` does nearly all of it; only a text with a number that a double might change goes to the lossless
 * library. Depth, text, names and duplicates (the last one wins) are checked alike for both: on the raw text before parsing, and on the
 * value afterwards.
 */
export interface JsonLimits {
  /** Arrays and objects inside each other. A scalar has depth 0. Default 64. */
  readonly maxDepth?: number;
  /** Whether numbers beyond the range of doubles are refused. */
  readonly finite?: boolean;
}

const DEFAULT_DEPTH = 64;

/**
 * `syntax`: not JSON. `depth`: nested too deeply. `text`: U+0000, a lone surrogate or invalid UTF-8, which databases do not keep. `name`: a
 * member `__proto__`, which would change the object that it is stored in. `range`: a number beyond doubles, which readers take for
 * infinite.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly kind: 'syntax' | 'depth' | 'text' | 'name' | 'range';

  constructor(kind: JsonError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Finds a number that a double may not represent: 16 or more digits, or an exponent. A double represents any fifteen significant digits.
 * The pattern may match inside a string, which only costs time, but an id in quotes does not match.
 */
const MAY_NEED_EXACT = /(?:^|[[:,\s-])\d(?:[\d.]{15}|[\d.]*[eE])/;
/** Digits and points from which {@link MAY_NEED_EXACT} matches a number without an exponent. */
const LONG_DIGITS = 16;
/** An exponent that may change a number with fewer digits: three digits, or a sign and two. Shorter ones never do. */
const LONG_EXPONENT = /\d[eE][+\d-]\d\d/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const ANY_SURROGATE = /[\ud800-\udfff]/;

/** Parses a text. Throws {@link JsonError}. */
export function parseJson(text: string, limits: JsonLimits = {}): Json {
  return judged(text, MAY_NEED_EXACT.test(text), limits);
}

function judged(text: string, exact: boolean, limits: JsonLimits): Json {
  if (ANY_SURROGATE.test(text) && LONE_SURROGATE.test(text)) throw badText();
  if (isDeeper(text, limits.maxDepth ?? DEFAULT_DEPTH)) throw new JsonError('depth', 'The JSON is nested too deeply');
  const value = parseText(text, exact, limits.finite === true ? numberInRange : numberFromText);
  // Bad text and a bad name need one of these two: an escape may spell either.
  if (text.includes('\\u') || text.includes('__proto__')) refuse(value);
  return value;
}

/** Parses a stored object, which was within all limits when it was written. */
export function parseStored(text: string): JsonObject {
  const value = parseText(text, MAY_NEED_EXACT.test(text));
  if (!isObject(value)) throw new Error('a stored document is not an object');
  return value;
}

/** Parses UTF-8 bytes; one byte order mark before the text is read over. Throws {@link JsonError}. */
export function parseJsonBytes(bytes: Buffer, limits: JsonLimits = {}): Json {
  if (!isUtf8(bytes)) throw new JsonError('text', 'The body is not valid UTF-8');
  // Some editors and Windows tools put a byte order mark before JSON.
  const text = bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  // Every body of a write passes here, and without a match this check takes a third of the time. It misses `1.e5` and numbers with a
  // shorter exponent, which JSON.parse reads as the library would.
  const exact = (LONG_EXPONENT.test(text) || hasLongDigits(bytes)) && MAY_NEED_EXACT.test(text);
  return judged(text, exact, limits);
}

/** `exact`: whether {@link MAY_NEED_EXACT} matches the text. */
function parseText(text: string, exact: boolean, parseNumber: typeof numberFromText = numberFromText): Json {
  try {
    if (!exact) return JSON.parse(text);
    // The library types its answer as unknown. With this number parser it holds JSON values only.
    return parseLossless(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as Json;
  } catch (error) {
    if (error instanceof JsonError) throw error;
    throw new JsonError('syntax', error instanceof Error ? error.message : 'The text is not JSON');
  }
}

function numberInRange(text: string): ReturnType<typeof numberFromText> {
  if (Number.isFinite(Number(text))) return numberFromText(text);
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  throw new JsonError('range', `The number ${shown} is beyond the range of numbers, ±1.79e308`);
}

/** Whether {@link LONG_DIGITS} digits and points stand in a row anywhere. If so, one of them stands at a multiple of that number. */
function hasLongDigits(bytes: Buffer): boolean {
  for (let at = LONG_DIGITS - 1; at < bytes.length; at += LONG_DIGITS) {
    if (!isDigitOrPoint(bytes[at])) continue;
    let start = at;
    while (start > 0 && isDigitOrPoint(bytes[start - 1])) start -= 1;
    while (at + 1 < bytes.length && isDigitOrPoint(bytes[at + 1])) at += 1;
    if (at + 1 - start >= LONG_DIGITS) return true;
  }
  return false;
}

function isDigitOrPoint(code: number | undefined): boolean {
  return code !== undefined && ((code >= 0x30 && code <= 0x39) || code === 0x2e);
}

/** Whether brackets nest deeper than `max`. It takes any text and runs before the recursive parser, which would overflow the stack. */
export function isDeeper(text: string, max: number): boolean {
  if (!hasMoreBrackets(text, max)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > max) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}

/** A cheap first test: most texts have no more brackets than the allowed number of levels. */
function hasMoreBrackets(text: string, max: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > max) return true;
    }
  }
  return false;
}

/** Index of the closing quote of the string that opens at `start`, or the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === 0x5c) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  return text.length;
}

function refuse(value: Json): void {
  if (typeof value === 'string') refuseText(value);
  else if (isArray(value)) value.forEach(refuse);
  else if (isObject(value)) refuseMembers(value);
}

function refuseMembers(object: JsonObject): void {
  for (const [name, item] of Object.entries(object)) {
    if (name === '__proto__') throw new JsonError('name', 'A member cannot be called __proto__');
    refuseText(name);
    refuse(item);
  }
}

function refuseText(text: string): void {
  if (text.includes('\0') || (ANY_SURROGATE.test(text) && LONE_SURROGATE.test(text))) throw badText();
}

function badText(): JsonError {
  return new JsonError('text', 'A text holds U+0000 or half a surrogate pair');
}
