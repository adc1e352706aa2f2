import { ExactNumber } from './json-value.ts';

/**
 * Exact decimal arithmetic for numbers that doubles change. The value of a number is what its JSON text says; the text of a double is what
 * `JSON.stringify` prints. `value = digits × 10^exponent`, with no trailing zeros in the digits, so equal values have equal forms.
 */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: bigint;
}

/** A sum that needs more digits is refused: `1e999999999` is a short text and must stay a cheap one. */
const MAX_DIGITS = 10_000n;
/** Most digits of an exponent in calculations: BigInt takes ten seconds for one of eight million digits. */
const MAX_POWER = 1_000;

/** The result has more digits than a sum may have. */
export class NumberTooLong extends Error {
  override readonly name = 'NumberTooLong';
}

type NumberValue = number | ExactNumber;

/** The number of a JSON text: a double if printing it gives the same decimal value, else an {@link ExactNumber}. */
export function numberFromText(text: string): NumberValue {
  const double = Number(text);
  if (String(double) === text) return double;
  if (!Number.isFinite(double)) return new ExactNumber(text);
  const [written, held] = [form(text), form(String(double))];
  return written === held ? double : new ExactNumber(text);
}

/** The nearest double. May be infinite. */
export function toDouble(value: NumberValue): number {
  return typeof value === 'number' ? value : value.double;
}

/** Decimal equality. */
export function numbersEqual(a: NumberValue, b: NumberValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  return formOf(a) === formOf(b);
}

/** A text that is the same for numbers of the same decimal value. */
export function numberForm(value: NumberValue): string {
  return formOf(value);
}

/**
 * a + b. Exact if one of them is exact, or if an integer sum leaves the safe range; otherwise in doubles. Throws {@link NumberTooLong}.
 */
export function addNumbers(a: NumberValue, b: NumberValue): NumberValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (!Number.isInteger(a) || !Number.isInteger(b) || Number.isSafeInteger(sum)) return sum;
  }
  if (isInfinite(a) || isInfinite(b)) return toDouble(a) + toDouble(b);
  return addExactly(decimal(decimalText(a)), decimal(decimalText(b)));
}

/** a + b as decimals, as people add: 0.1 + 0.2 is 0.3. Throws {@link NumberTooLong}. */
export function addDecimals(a: NumberValue, b: NumberValue): NumberValue {
  if ((Number.isInteger(a) && Number.isInteger(b)) || isInfinite(a) || isInfinite(b)) return addNumbers(a, b);
  return addExactly(decimal(decimalText(a)), decimal(decimalText(b)));
}

/** a − b, by the rule of {@link addNumbers}. */
export function subtractNumbers(a: NumberValue, b: NumberValue): NumberValue {
  return addNumbers(a, typeof b === 'number' ? -b : new ExactNumber(negated(b.text)));
}

/** a − b as a finite double, to say how far a counter moved. Never throws. */
export function doubleDifference(a: NumberValue, b: NumberValue): number {
  return finite(typeof a === 'number' && typeof b === 'number' ? a - b : inexactly(a, b));
}

function inexactly(a: NumberValue, b: NumberValue): number {
  try {
    return toDouble(subtractNumbers(a, b));
  } catch (error) {
    if (error instanceof NumberTooLong) return toDouble(a) - toDouble(b);
    throw error;
  }
}

function finite(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value));
}

/** Negative, zero or positive; by decimal value if one is exact. Never throws. 0 if an exponent is too long to tell. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [toDouble(a), toDouble(b)];
  if (left !== right) return left < right ? -1 : 1;
  return compareForms(formOf(a), formOf(b));
}

/** Compares digit by digit, because one number may be a million times as long as the other when written out. */
function compareForms(a: string, b: string): number {
  const [left, right] = [magnitude(a), magnitude(b)];
  if (a === b || left === null || right === null) return 0;
  if (left.sign !== right.sign) return left.sign - right.sign;
  if (left.power !== right.power) return left.power < right.power ? -left.sign : left.sign;
  return left.digits < right.digits ? -left.sign : left.sign;
}

/** The sort key of a value: sign, power of ten of the first digit, digits. `null`: the exponent is too long. */
function magnitude(form: string): { readonly sign: number; readonly power: bigint; readonly digits: string } | null {
  const parts = partsOf(form);
  if (parts === null || isLongPower(parts.power)) return null;
  const { sign, whole: digits, power } = parts;
  return { sign: digits === '0' ? 0 : sign === '' ? 1 : -1, power: BigInt(power) + BigInt(digits.length), digits };
}

/** Infinite or NaN: not a JSON value, but an expression may yield one. */
function isInfinite(value: NumberValue): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function addExactly(a: Decimal, b: Decimal): NumberValue {
  if (a.digits === 0n) return fromDecimal(b);
  if (b.digits === 0n) return fromDecimal(a);
  if (a.exponent > b.exponent) return addExactly(b, a);
  return fromDecimal({ digits: a.digits + scaled(b, a.exponent), exponent: a.exponent });
}

/** The digits of the value at a lower exponent. */
function scaled(value: Decimal, exponent: bigint): bigint {
  const shift = value.exponent - exponent;
  if (shift > MAX_DIGITS) throw new NumberTooLong('The number is too long');
  return value.digits * 10n ** shift;
}

/** The number in plain notation if that is short, else with an exponent. */
function fromDecimal({ digits, exponent }: Decimal): NumberValue {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString();
  if (exponent > MAX_DIGITS || exponent < -MAX_DIGITS) return numberFromText(`${sign}${text}e${exponent}`);
  if (exponent >= 0n) return numberFromText(sign + text + '0'.repeat(text === '0' ? 0 : Number(exponent)));
  const padded = text.padStart(Number(-exponent) + 1, '0');
  const point = padded.length + Number(exponent);
  const fraction = withoutTrailingZeros(padded.slice(point));
  return numberFromText(sign + padded.slice(0, point) + (fraction === '' ? '' : `.${fraction}`));
}

function decimal(text: string): Decimal {
  const [digits = '0', exponent = '0'] = form(text).split(/e/i);
  if (digits.length > Number(MAX_DIGITS) || isLongPower(exponent)) throw new NumberTooLong('The number is too long');
  return { digits: BigInt(digits), exponent: BigInt(exponent) };
}

/**
 * The one text of a decimal value: `digits e exponent`, without leading or trailing zeros. Zero and −0 are `0e0`. A number with an exponent
 * too long to calculate with stays as written.
 */
function form(text: string): string {
  const parts = partsOf(text);
  if (parts === null) return text;
  const { sign, whole, fraction, power } = parts;
  const significant = withoutLeadingZeros(whole + fraction);
  const digits = withoutTrailingZeros(significant);
  if (digits === '') return '0e0';
  if (isLongPower(power)) return text;
  const exponent = BigInt(power) - BigInt(fraction.length) + BigInt(significant.length - digits.length);
  return `${sign}${digits}e${exponent}`;
}

function formOf(value: NumberValue): string {
  return typeof value === 'number' ? form(String(value)) : value.form(form);
}

interface Parts {
  readonly sign: '' | '-';
  readonly whole: string;
  readonly fraction: string;
  readonly power: string;
}

/**
 * The parts of a number's text; `null`: it is none (`Infinity`). Only single characters are searched for: an expression that repeats over
 * millions of digits was seen to run out of stack.
 */
function partsOf(text: string): Parts | null {
  const sign = text.startsWith('-') ? '-' : '';
  const [mantissa = '', power = '0', ...more] = text.slice(sign.length).split(/e/i);
  const [whole = '', fraction, ...points] = mantissa.split('.');
  const digits = [whole, fraction ?? '0', power.slice(/^[+-]/.test(power) ? 1 : 0)];
  const isNumber = more.length + points.length === 0 && digits.every((each) => each !== '' && !/\D/.test(each));
  return isNumber ? { sign, whole, fraction: fraction ?? '', power } : null;
}

function isLongPower(power: string): boolean {
  return power.length > MAX_POWER && withoutLeadingZeros(power.slice(/^[+-]/.test(power) ? 1 : 0)).length > MAX_POWER;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits.charCodeAt(start) === 48) start += 1;
  return digits.slice(start);
}

/** A loop, because `/0+$/` takes quadratic time on a long text with many zeros inside. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end -= 1;
  return digits.slice(0, end);
}

function decimalText(value: NumberValue): string {
  return typeof value === 'number' ? String(value) : value.text;
}

function negated(text: string): string {
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}
