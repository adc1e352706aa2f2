import { exactDigits } from './exact.ts';

/** Amounts of money as pages have them: numbers, or the digits of numbers that a page could not hold. Sums are exact. */

const FORM = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
/** Nothing longer is added up: a short text may stand for very many digits. */
const LONGEST = 2000;

/** A whole number of units, so many of which are 1 as there are powers of ten in `places`. */
interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

function decimalOf(amount: unknown): Decimal | null {
  const text = exactDigits(amount) ?? String(amount);
  const [, sign = '', whole = '', part = '', power = '0'] = FORM.exec(text) ?? [];
  if (whole === '' || text.length > LONGEST || Math.abs(Number(power)) > LONGEST) return null;
  const places = part.length - Number(power);
  const units = BigInt(`${sign}${whole}${part}`);
  return places >= 0 ? { units, places } : { units: units * 10n ** BigInt(-places), places: 0 };
}

function unitsAt({ units, places }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - places);
}

/** Whether what was, and what came in without what went out, is what is; `null`: an amount is not one. */
export function addsUp(opening: unknown, inflow: unknown, outflow: unknown, closing: unknown): boolean | null {
  const [was, came, went, is] = [opening, inflow, outflow, closing].map(decimalOf);
  if (was == null || came == null || went == null || is == null) return null;
  const places = Math.max(was.places, came.places, went.places, is.places);
  return unitsAt(was, places) + unitsAt(came, places) - unitsAt(went, places) === unitsAt(is, places);
}

/** What amounts come to; `null`: one of them is none. */
export function sumOf(amounts: readonly unknown[]): string | null {
  let sum: Decimal = { units: 0n, places: 0 };
  for (const amount of amounts) {
    const each = decimalOf(amount);
    if (each === null) return null;
    const places = Math.max(sum.places, each.places);
    sum = { units: unitsAt(sum, places) + unitsAt(each, places), places };
  }
  return textOf(sum);
}

/** The opposite amount; what is none stays. */
export function negated(amount: unknown): unknown {
  const known = decimalOf(amount);
  return known === null ? amount : textOf({ ...known, units: -known.units });
}

function textOf({ units, places }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const part = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}${places === 0 || part === '' ? '' : `.${part}`}`;
}

/** Whether one amount is less than another; not where one of them is no amount. */
export function isSmaller(one: unknown, other: unknown): boolean {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a === null || b === null) return false;
  const places = Math.max(a.places, b.places);
  return unitsAt(a, places) < unitsAt(b, places);
}

/** The amount as a plot has room for it. */
export function sizeOf(amount: unknown): number {
  const size = Number(exactDigits(amount) ?? amount);
  return Number.isFinite(size) ? size : 0;
}

/** A change of an amount, with its sign. */
export function changeText(amount: unknown): string {
  const text = amountText(amount);
  return text.startsWith('−') ? text : `+${text}`;
}

/** The amount as people read it: its thousands apart. */
export function amountText(amount: unknown): string {
  const text = exactDigits(amount) ?? String(amount);
  const [, sign = '', whole = '', part = '', power = ''] = FORM.exec(text) ?? [];
  if (whole === '' || power !== '') return text;
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, '\u202F');
  return `${sign === '' ? '' : '−'}${apart}${part === '' ? '' : `.${part}`}`;
}
