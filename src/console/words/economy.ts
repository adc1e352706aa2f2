import { addsUp, isSmaller, negated, sizeOf, sumOf } from './amount.ts';
import { capital } from './value.ts';

/** The economy by days, in UTC, as its pages have it. */

/** Days, both of them included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
/** Characters of `2026-11-27`. */
const DAY_LENGTH = 10;
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

const OF_CLASS: Readonly<Record<EntryClass, string>> = {
  faucet: 'that came from nowhere',
  sink: 'that went nowhere',
  transfer: 'that went from one place to another',
  correction: 'that put something right',
};

/** What a list of entries is of. */
export function entriesTitle({
  currency,
  source,
  endpoint,
  collection,
  field,
  player,
  direction,
  class: of,
  alarm,
}: EntriesFilter): string {
  // What came from nowhere came in.
  const isPlain = direction === undefined || of === 'faucet' || of === 'sink';
  const parts = [
    `entries of ${currency}`,
    of === undefined ? '' : OF_CLASS[of],
    isPlain ? '' : `${of === undefined ? '' : 'and '}that ${direction === 'in' ? 'came in' : 'went out'}`,
    source === undefined ? '' : `from ${source}`,
    endpoint === undefined ? '' : endpoint === NO_ENDPOINT ? 'written directly' : `by ${endpoint}`,
    field === undefined ? '' : `in ${collection ?? ''}.${field}`,
    player === undefined ? '' : `of ${player}`,
    alarm === undefined ? '' : 'that raised an alarm',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** The word for a class, as a heading. */
export function className(of: EntryClass): string {
  return of === 'correction' ? 'Corrected' : capital(of);
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

interface Raised {
  readonly revision: number;
  /** The day, or the hour, in UTC. */
  readonly window: string;
  readonly currency: string;
  readonly source: string | null;
  readonly player: string | null;
}

/** The entries that a raised alarm counts: what came from nowhere in its day, or what came in for a player in its hour. */
export function countedBy({ revision, window, currency, source, player }: Raised): EntriesFilter & Period {
  const day = window.slice(0, DAY_LENGTH);
  const of = player === null ? ({ class: 'faucet' } as const) : ({ player, direction: 'in' } as const);
  return { currency, from: day, to: day, ...(source === null ? {} : { source }), ...of, alarm: String(revision) };
}

/** An alarm as it is set: a name, a currency, perhaps a source, and one threshold. */
export interface AlarmSet {
  readonly name: string;
  readonly currency: string;
  readonly source?: string;
  readonly overMedian?: number;
  readonly perPlayerHour?: number;
}

/** When it is raised. */
export function thresholdText({ overMedian, perPlayerHour }: AlarmSet): string {
  if (overMedian !== undefined) return `more than ${overMedian} times the usual day`;
  return `more than ${perPlayerHour} for one player within an hour`;
}

/** The alarms of settings, as far as they are such. */
export function alarmsIn(settings: unknown): readonly AlarmSet[] {
  const { economyAlarms }: { readonly economyAlarms?: unknown } = Object(settings);
  return Array.isArray(economyAlarms) ? economyAlarms.filter((each): each is AlarmSet => typeof Object(each).name === 'string') : [];
}

export interface AlarmTyped {
  readonly name: string;
  readonly currency: string;
  readonly source: string;
  readonly threshold: 'overMedian' | 'perPlayerHour';
  readonly amount: string;
}

/** What was typed as an alarm; a text: what is wrong with it. */
export function alarmOf({ name, currency, source, threshold, amount }: AlarmTyped, others: readonly AlarmSet[]): AlarmSet | string {
  const number = Number(amount.trim().replace(',', '.'));
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return 'The name has letters, digits, - and _ alone, at most 64.';
  if (others.some((other) => other.name === name)) return `There is an alarm ${name} already.`;
  if (currency.trim() === '') return 'Name a currency.';
  const least = threshold === 'overMedian' ? 1 : 0;
  if (amount.trim() === '' || !Number.isFinite(number) || number <= least) return `The threshold is a number above ${least}.`;
  return { name, currency: currency.trim(), ...(source.trim() === '' ? {} : { source: source.trim() }), [threshold]: number };
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
