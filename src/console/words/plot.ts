/** Times and numbers along the axes of plots. */

type Along = 'days' | 'moments';

const DAY = 86_400;
const zoneOf = (along: Along) => (along === 'days' ? { timeZone: 'UTC' } : {});
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
  const date = new Date(seconds * 1000);
  if (along === 'days') return date.toLocaleDateString('en-GB', { ...zoneOf(along), day: 'numeric', month: 'short', year: 'numeric' });
  return date.toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hour12: false });
}

/** A time below the axis, whose next one is `step` seconds later. */
export function plotTick(seconds: number, step: number, along: Along): string {
  const date = new Date(seconds * 1000);
  if (along === 'days' && step < DAY && seconds % DAY !== 0) return '';
  if (step < DAY && along === 'moments')
    return date.toLocaleTimeString('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      ...(step < 60 ? { second: '2-digit' } : {}),
      hour12: false,
    });
  return date.toLocaleDateString('en-GB', { ...zoneOf(along), day: 'numeric', month: 'short' });
}
