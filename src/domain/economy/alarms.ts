import type { EconomyAlarm } from '../../contract/resources/settings.ts';
import { dayOf, startOfDay } from './fold.ts';

/** Alarms of a project: when what came in of a currency is too much. */

const HOUR_MS = 3_600_000;
/** Characters of `2026-03-01`, and of `2026-03-01T10`. */
const DAY_NAME = 10;
const HOUR_NAME = 13;
/** The days before a day that its median is of. */
export const MEDIAN_DAYS = 14;

/** What an alarm looks at: a day of all players, or an hour of one. */
export interface AlarmWindow {
  /** Names it within the alarm: `2026-03-01`, or `2026-03-01T10`. */
  readonly name: string;
  /** Unix ms, inclusive. */
  readonly from: number;
  /** Unix ms, exclusive. */
  readonly to: number;
}

/** The window of this name. */
export function windowNamed(name: string): AlarmWindow {
  const isDay = name.length === DAY_NAME;
  const from = Date.parse(isDay ? name : `${name}:00Z`);
  return { name, from, to: from + (isDay ? startOfDay(1) : HOUR_MS) };
}

/**
 * The windows that a look at `now` judges: the one under way, and the one before, of which the last moments may not have been judged.
 */
export function windowsOf(alarm: EconomyAlarm, now: number): readonly AlarmWindow[] {
  const isDay = alarm.overMedian !== undefined;
  const length = isDay ? startOfDay(1) : HOUR_MS;
  const start = isDay ? startOfDay(dayOf(now)) : Math.floor(now / HOUR_MS) * HOUR_MS;
  return [start - length, start].map((from) => windowNamed(new Date(from).toISOString().slice(0, isDay ? DAY_NAME : HOUR_NAME)));
}

/** The middle of some amounts; of an even number of them, the mean of the two in the middle. */
export function medianOf(amounts: readonly number[]): number {
  const sorted = [...amounts].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
}

/**
 * What a day's faucet may be: so many times the median of the days before, of which one without entries counts 0. `null` where the median
 * is 0, as of a game that has just begun: nothing is known of what is usual.
 */
export function dayThreshold(times: number, before: readonly number[]): number | null {
  const days = Array.from({ length: MEDIAN_DAYS }, (_, at) => before[at] ?? 0);
  const median = medianOf(days);
  return median > 0 ? times * median : null;
}
