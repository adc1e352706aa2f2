/** Instants in text: ISO 8601 with date, time and zone, in the form that RFC 3339 and JavaScript print. */

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;
/** No longer text is an instant. Checked first, because texts of any length are compared. */
const MAX_LENGTH = 40;
const MINUTE = 60_000;

/**
 * The unix milliseconds of an instant, with fractions of them; `null`: the text is none, has no zone, or names a time that does not exist,
 * such as 30 February.
 */
export function instantOf(text: string): number | null {
  const parts = text.length > MAX_LENGTH ? null : INSTANT.exec(text);
  if (parts === null) return null;
  const part = (index: number) => Number(parts[index] ?? 0);
  const midnight = dayStart(part(1), part(2), part(3));
  const [hour, minute, second, zoneHours, zoneMinutes] = [part(4), part(5), part(6), part(9), part(10)] as const;
  if (midnight === null || hour > 23 || minute > 59 || second > 59 || zoneHours > 23 || zoneMinutes > 59) return null;
  const zone = (zoneHours * 60 + zoneMinutes) * (parts[8] === '-' ? -1 : 1);
  return midnight + (hour * 60 + minute - zone) * MINUTE + (second + part(7)) * 1000;
}

/** Unix milliseconds of midnight UTC; `null`: there is no such day. */
function dayStart(year: number, month: number, day: number): number | null {
  // `Date.UTC` takes years below 100 for those of the twentieth century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** Unix milliseconds of a time in a query: an instant, a date, which begins in UTC, or milliseconds; `null`: it is none. */
export function queryTimeOf(text: string): number | null {
  const time = /^-?\d{1,16}$/.test(text) ? Number(text) : instantOrDate(text);
  return time !== null && Math.abs(time) <= 8.64e15 ? time : null;
}

/** As {@link instantOf}; a date alone, `2026-03-29`, is its midnight in UTC. */
export function instantOrDate(text: string): number | null {
  return instantOf(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text);
}
