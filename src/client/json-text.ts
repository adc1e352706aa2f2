import { failure, type Result, SavepointError, success } from './errors.ts';
import { newIdempotencyKey } from './ids.ts';
import type { JsonCodec } from './options.ts';

/** Values that a game sends, as JSON. What would arrive as something else, or not at all, is refused, and the refusal names its path. */

/** Digits of numbers that doubles do not hold exactly, by those doubles. `null`: several numbers came to the same one. */
export type ExactNumbers = ReadonlyMap<number, string | null>;

interface Printing {
  /** Prints numbers that doubles do not hold. */
  readonly codec: JsonCodec | undefined;
  readonly exact: ExactNumbers | undefined;
}

/** Deeper values are refused: no server takes them, and the check has to end. */
const MAX_DEPTH = 500;
/** A text, so that numbers in it are passed over, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Numbers of fewer digits are exact. */
const MAY_BE_INEXACT = /\d[\d.]{15}/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The JSON text of a value. `exact`: numbers that keep the digits with which they were read. */
export function jsonText(value: unknown, codec?: JsonCodec, exact?: ExactNumbers): Result<string> {
  try {
    requireJson(value, { codec, exact }, '', 0);
    if (codec !== undefined) return success(codec.stringify(value));
    return success(exact === undefined ? JSON.stringify(value) : exactText(value, exact));
  } catch (cause) {
    if (cause instanceof SavepointError) return { ok: false, error: cause };
    return failure('INVALID_ARGUMENT', `This cannot be sent as JSON: ${String(cause)}`, { cause });
  }
}

/** A value that the game's codec may have read, as plain JSON, and its text if it holds numbers that doubles do not. */
export function plainOf(value: unknown, codec: JsonCodec | undefined): { readonly body: unknown; readonly text?: string } {
  if (codec === undefined) return { body: value };
  const text = codec.stringify(value);
  const body: unknown = JSON.parse(text);
  return inexactNumbers(text) === undefined ? { body } : { body, text };
}

/** The numbers of a JSON text that doubles do not hold exactly; `undefined`: there is none. */
export function inexactNumbers(text: string): ExactNumbers | undefined {
  if (!MAY_BE_INEXACT.test(text)) return undefined;
  const found = new Map<number, string | null>();
  const inexact = new Set<number>();
  for (const [token] of text.matchAll(TOKEN)) {
    const double = Number(token);
    if (token.startsWith('"') || double === 0) continue;
    const number = significant(token);
    if (number !== significant(String(double))) inexact.add(double);
    const before = found.get(double);
    found.set(double, before === undefined || (before !== null && significant(before) === number) ? token : null);
  }
  for (const double of found.keys()) if (!inexact.has(double)) found.delete(double);
  return found.size === 0 ? undefined : found;
}

/** Digits and exponent of a number, without zeros that say nothing. */
function significant(number: string): string {
  const [, sign, whole = '', fraction = '', power = 0] = NUMBER.exec(number) ?? [];
  const digits = (whole + fraction).replace(/0+$/, '');
  return `${sign}${digits.replace(/^0+/, '')}e${Number(power) + whole.length - digits.length}`;
}

/** Throws `INVALID_ARGUMENT`. */
function requireJson(value: unknown, printing: Printing, path: string, depth: number): void {
  const fault = depth > MAX_DEPTH ? 'nested too deeply, or within itself' : faultOf(value, printing);
  if (fault !== null)
    throw new SavepointError('INVALID_ARGUMENT', `${path === '' ? 'The value' : `\`${path}\``} cannot be sent: it is ${fault}`);
  if (typeof value !== 'object' || value === null) return;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') {
    requireJson(toJSON.call(value, ''), printing, path, depth + 1);
    return;
  }
  // `Array.from` shows holes, which are undefined.
  const members = Array.isArray(value)
    ? [...Array.from(value).entries()]
    : Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [name, member] of members) requireJson(member, printing, path === '' ? `${name}` : `${path}.${name}`, depth + 1);
}

function faultOf(value: unknown, { codec, exact }: Printing): string | null {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return String(value);
    return exact?.get(value) === null
      ? `read as ${value}, which it was not exactly: change other fields with operations, or give the client \`json\``
      : null;
  }
  if (typeof value === 'bigint') return codec === undefined ? 'a bigint, which needs the option `json`' : null;
  if (['function', 'symbol', 'undefined'].includes(typeof value)) return `of the type ${typeof value}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  // `JSON.stringify` empties or changes every other kind of object: a Map, a Date, an Error, bytes …
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return tag === 'Object' ? null : `a ${tag}`;
}

/** Prints numbers under marks, which are then replaced by their digits. Nobody can guess the marks. */
function exactText(value: unknown, exact: ExactNumbers): string {
  const mark = newIdempotencyKey();
  const marked = JSON.stringify(value, (_, member) => (exact.has(member) ? `${mark}${exact.get(member)}` : member));
  return marked.replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}
