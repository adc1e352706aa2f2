import { addDecimals, compareNumbers, ExactNumber, isNumber, type Json, subtractNumbers, toDouble } from '../../kernel/json.ts';

/** An amount of a currency: exact, however large. */
export type Amount = number | ExactNumber;

/** A longer number counts as the nearest double, as in the sums of ledgers: a short text can stand for a number that no column can hold. */
const LONGEST = 400;

/** What a ledger entry's `delta` counts for. A number that a double cannot hold, above or below, counts 0. */
export function amountOf(delta: Json): Amount {
  if (!isNumber(delta)) return 0;
  const double = toDouble(delta);
  if (!Number.isFinite(double) || double === 0) return 0;
  return delta instanceof ExactNumber && delta.text.length > LONGEST ? double : delta;
}

/** The sum of two amounts, as people add. */
export function plus(a: Amount, b: Amount): Amount {
  return addDecimals(a, b);
}

/** The difference of two amounts, as people subtract. */
export function minus(a: Amount, b: Amount): Amount {
  return addDecimals(a, subtractNumbers(0, b));
}

export function smaller(a: Amount, b: Amount): Amount {
  return compareNumbers(a, b) <= 0 ? a : b;
}

/** −1, 0 or 1. */
export function signOf(amount: Amount): number {
  return typeof amount === 'number' ? Math.sign(amount) : compareNumbers(amount, 0);
}

export function negated(amount: Amount): Amount {
  return subtractNumbers(0, amount);
}

/** JSON text, which is also a number of SQL. */
export function amountText(amount: Amount): string {
  return typeof amount === 'number' ? String(amount) : amount.text;
}
