import { MONTHS, twoDigits } from './time.ts';

/** Times and numbers along the axes of plots. */

type Along = 'days' | 'moments';

const DAY = 86_400;
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number as an axis has room for it: 1.2K, 3M. */
export function plotText(value: number): string {
  return COMPACT.format(value).replace('-', '−');
}

/** The numbers along an axis. One that would be told as the one before it is left out. */
export function plotLabels(values: readonly number[], said: (value: number) => string): string[] {
  const labels = values.map(said);
  return labels.map((label, place) => (label === labels[place - 1] ? '' : label));
}

/** Places of values that no other is beside: a line through them would show nothing. */
export function lonePlaces(values: readonly (number | null | undefined)[]): number[] {
  const isKnown = (place: number) => (values[place] ?? null) !== null;
  return [...values.keys()].filter((place) => isKnown(place) && !isKnown(place - 1) && !isKnown(place + 1));
}

/** A time beside values that are pointed at. */
export function plotTime(seconds: number, along: Along): string {
  const { day, year, time } = partsOf(seconds, along);
  return along === 'days' ? `${day} ${year}` : `${day}, ${time}`;
}

/** A time below the axis, whose next one is `step` seconds later. */
export function plotTick(seconds: number, step: number, along: Along): string {
  if (along === 'days' && step < DAY && seconds % DAY !== 0) return '';
  const { day, time, second } = partsOf(seconds, along);
  if (step >= DAY || along === 'days') return day;
  return step < 60 ? `${time}:${second}` : time;
}

/** Days are those of UTC, moments those of the reader. By hand, as other times are: a plot and its table tell hundreds. */
function partsOf(seconds: number, along: Along) {
  const moment = new Date(seconds * 1000);
  const offset = along === 'days' ? 0 : moment.getTimezoneOffset() * 60_000;
  const date = new Date(moment.getTime() - offset);
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits);
  return { day: `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`, year: date.getUTCFullYear(), time: `${hour}:${minute}`, second };
}
