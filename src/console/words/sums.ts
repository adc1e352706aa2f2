import { addsUp, isSmaller, negated, sizeOf, sumOf } from './amount.ts';

/** What days and entries of the economy come to. */

/** Amounts as a page has them, which may be digits. */
interface Closed {
  readonly day: string;
  readonly opening: unknown;
  readonly inflow: unknown;
  readonly outflow: unknown;
  readonly closing: unknown;
}

/** Whether days, the newest first, add up: each by itself, and each to the one before it. */
export function checkOf(days: readonly Closed[]): { readonly isRight: boolean; readonly wrong: string | null } {
  for (const [place, { day, opening, inflow, outflow, closing }] of days.entries()) {
    const before = days[place + 1];
    const follows = before === undefined || addsUp(before.closing, 0, 0, opening) === true;
    if (!follows || addsUp(opening, inflow, outflow, closing) !== true) return { isRight: false, wrong: day };
  }
  return { isRight: true, wrong: null };
}

interface Moved {
  readonly delta: unknown;
  /** How much of it counts; left out: all. */
  readonly part?: unknown;
}

/** What came in and what went out by entries, to the last digit, as the sums do that open them; `null`: an amount is none. */
export function comeTo(entries: readonly Moved[]): { readonly inflow: string; readonly outflow: string } | null {
  const [went, came] = [entries.filter(({ delta }) => isSmaller(delta, 0)), entries.filter(({ delta }) => !isSmaller(delta, 0))];
  const inflow = sumOf(came.map(({ delta, part = delta }) => part));
  const outflow = sumOf(went.map(({ delta, part }) => part ?? negated(delta)));
  return inflow === null || outflow === null ? null : { inflow, outflow };
}

/** A share of 0 to 1 as people say it. */
export function percent(share: number): string {
  return `${(share * 100).toLocaleString('en-GB', { maximumFractionDigits: 1 })} %`;
}

/** Days on each side of a publish that are looked at. */
const AROUND = 7;

/**
 * What came in and went out on a day before a day and since, as means of the days on which something moved: `in 120 → 90, out 80 → 110`.
 * `null`: there are none on one side. `days`: newest first.
 */
export function aroundSaid(
  days: readonly Pick<Closed, 'day' | 'inflow' | 'outflow'>[],
  day: string,
  said: (amount: number) => string,
): string | null {
  const before = days.filter((each) => each.day < day).slice(0, AROUND);
  const since = days.filter((each) => each.day > day).slice(-AROUND);
  if (before.length === 0 || since.length === 0) return null;
  const mean = (of: typeof days, amount: 'inflow' | 'outflow') => said(of.reduce((sum, each) => sum + sizeOf(each[amount]), 0) / of.length);
  const both = (amount: 'inflow' | 'outflow') => `${mean(before, amount)} → ${mean(since, amount)}`;
  return `in ${both('inflow')}, out ${both('outflow')}`;
}
