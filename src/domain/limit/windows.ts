import type { WindowName } from '../../contract/resources/rate-limits.ts';

/** Fixed windows in UTC. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** The epoch was a Thursday; weeks start on Monday. */
const FIRST_MONDAY = 4 * DAY;

/** Start of the window that holds `now`; both in unix ms. */
export function windowStart(window: WindowName, now: number): number {
  switch (window) {
    case 'perMinute':
      return now - modulo(now, MINUTE);
    case 'perHour':
      return now - modulo(now, HOUR);
    case 'perDay':
      return now - modulo(now, DAY);
    case 'perWeek':
      return now - modulo(now - FIRST_MONDAY, WEEK);
    case 'perMonth':
      return monthStart(now, 0);
    case 'perYear':
      return Date.UTC(new Date(now).getUTCFullYear(), 0);
  }
}

/** First unix ms after the window that holds `now`. */
export function windowEnd(window: WindowName, now: number): number {
  switch (window) {
    case 'perMinute':
      return windowStart(window, now) + MINUTE;
    case 'perHour':
      return windowStart(window, now) + HOUR;
    case 'perDay':
      return windowStart(window, now) + DAY;
    case 'perWeek':
      return windowStart(window, now) + WEEK;
    case 'perMonth':
      return monthStart(now, 1);
    case 'perYear':
      return Date.UTC(new Date(now).getUTCFullYear() + 1, 0);
  }
}

/** Whole seconds to the end of the window that began at `start`, at least 1. */
export function secondsLeft(window: WindowName, start: number, now: number): number {
  return Math.max(1, Math.ceil((windowEnd(window, start) - now) / 1000));
}

function monthStart(now: number, offset: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
