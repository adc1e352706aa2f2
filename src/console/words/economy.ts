/** The economy by days, in UTC, as its pages have it. */

/** Days, both of them included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
/** Days that a page shows where nobody asked for others. */
const DAYS_SHOWN = 30;
/** The longest period that a page shows. */
const MOST_DAYS = 366;

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Whether a text is a day, `2026-11-27`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

export function dayAfter(day: string): string {
  return dateOf(Date.parse(day) + DAY_MS);
}

/** The last so many days up to a day. */
export function lastDays(days: number, to: string): Period {
  return { from: dateOf(Date.parse(to) - (days - 1) * DAY_MS), to };
}

interface PeriodAsked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The period that an address asks for: the last 30 days up to today, or up to the day of `at`, the time that is looked at. */
export function periodOf({ from, to }: PeriodAsked, at: string | undefined, now: number): Period {
  const time = at === undefined ? Number.NaN : Date.parse(at);
  const isThen = !Number.isNaN(time);
  const last = isThen ? dateOf(time) : dateOf(now);
  const end = to !== undefined && isDay(to) && !(isThen && to > last) ? to : last;
  if (from === undefined || !isDay(from) || from > end) return lastDays(DAYS_SHOWN, end);
  const earliest = lastDays(MOST_DAYS, end).from;
  return { from: from < earliest ? earliest : from, to: end };
}

/** The currencies of rows, by name. A page shows the first where nobody asked for another. */
export function currenciesOf(rows: readonly { readonly currency: string }[]): readonly string[] {
  return [...new Set(rows.map(({ currency }) => currency))].sort();
}

/** The endpoint of what none wrote, in addresses, which hold no empty value. No slug is called so. */
export const NO_ENDPOINT = '(none)';

/** What entries are narrowed by. */
export interface EntriesFilter {
  readonly currency: string;
  readonly source?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly collection?: string | undefined;
  readonly field?: string | undefined;
  readonly player?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly class?: EntryClass | undefined;
  /** The revision at which an alarm was raised: what it counted. The others then say what that is. */
  readonly alarm?: string | undefined;
}

export const ENTRY_CLASSES = ['faucet', 'sink', 'transfer', 'correction'] as const;
export type EntryClass = (typeof ENTRY_CLASSES)[number];
