import type { EntriesFilter, Period } from './economy.ts';

/** The alarms of the economy: what is set, and what one that was raised counted. */

/** Characters of `2026-11-27`. */
const DAY_LENGTH = 10;

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
