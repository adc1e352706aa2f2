/** Times as people say them. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago that was, roughly; what is further back than a week is told by its date. */
export function ago(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  if (Number.isNaN(passed)) return iso;
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  if (passed < 7 * DAY) return passed < 2 * DAY ? 'yesterday' : `${Math.floor(passed / DAY)} days ago`;
  return dayOf(iso);
}

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

export const twoDigits = (number: number) => String(number).padStart(2, '0');

/** By hand: the browser's own way takes 20 ms for the times of one page. */
function dayOf(iso: string): string {
  return `${shortDayOf(iso)} ${new Date(iso).getFullYear()}`;
}

function shortDayOf(iso: string): string {
  const date = new Date(iso);
  return `${date.getDate()} ${MONTHS[date.getMonth()]}`;
}

/** Hours, minutes and seconds where the reader is. */
export function clockTime(iso: string): string {
  const date = new Date(iso);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** Day and time where the reader is. */
export function localTime(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? iso : `${dayOf(iso)}, ${clockTime(iso)}`;
}

/** The time of day, with the date where that is another day. */
export function timeOfDay(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  if (Number.isNaN(passed) || passed >= 7 * DAY) return localTime(iso);
  const isToday = dayOf(iso) === dayOf(new Date(now).toISOString());
  return `${isToday ? '' : `${shortDayOf(iso)}, `}${clockTime(iso)}`;
}

/** The time of day and how long ago that was; what is further back than a week by day and time alone. */
export function timeAndAgo(iso: string, now: number): string {
  const time = timeOfDay(iso, now);
  return time === localTime(iso) ? time : `${time} · ${ago(iso, now)}`;
}

/** Day and time in UTC, as logs have it. */
export function utcTime(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? iso : `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Names of lengths of time, as they are typed and as pages say them. */
const LENGTHS = [
  [/^(s|sec|secs|seconds?)$/, 1_000],
  [/^(m|mins?|minutes?)$/, MINUTE],
  [/^(h|hrs?|hours?)$/, HOUR],
  [/^(d|days?)$/, DAY],
  [/^(w|weeks?)$/, 7 * DAY],
] as const;

/** How long ago, as it is typed: `2 h`, `1 h 46 min`, `3 days ago`, `yesterday`. */
export function lengthOf(typed: string): number | null {
  if (/^yesterday$/i.test(typed)) return DAY;
  const [, parts] = /^((?:\d{1,5}(?:\.\d{1,3})?\s*[a-z]+[\s,]*)+?)(?:\s*ago)?$/i.exec(typed) ?? [];
  if (parts === undefined) return null;
  const lengths = [...parts.matchAll(/([\d.]+)\s*([a-z]+)/gi)].map(([, count, unit = '']) => {
    const length = LENGTHS.find(([name]) => name.test(unit.toLowerCase()))?.[1];
    return length === undefined ? Number.NaN : Number(count) * length;
  });
  const sum = lengths.reduce((all, each) => all + each, 0);
  return Number.isNaN(sum) ? null : Math.round(sum);
}

/** Whether a moment is a revision, and no time. */
export function isRevision(moment: string): boolean {
  return /^\d+$/.test(moment);
}

/** What somebody typed as a moment, as routes take it: a revision, a local time (without a day: today's), or how long ago. `null`: none. */
export function momentOf(typed: string, now = Date.now()): string | null {
  const text = typed.trim();
  if (/^\d{1,16}$/.test(text)) return text;
  const length = lengthOf(text);
  if (length !== null) return timeBefore(length, now);
  const [, hour, rest] = /^(\d{1,2})(:\d{2}(?::\d{2})?)$/.exec(text) ?? [];
  if (hour !== undefined) return momentOf(`${new Date(now).toLocaleDateString('sv-SE')} ${hour.padStart(2, '0')}${rest}`);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  const time = Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T'));
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** A moment as one types it, where the reader is: `2026-11-27 18:30`. What does not lead back to the same moment stays as it is. */
export function typedMoment(moment: string): string {
  if (!/^\d{4}-\d{2}-\d{2}T/.test(moment) || Number.isNaN(Date.parse(moment))) return moment;
  const date = new Date(moment);
  const text =
    date.toLocaleString('sv-SE').replace(/:00$/, '') +
    (date.getMilliseconds() === 0 ? '' : `.${String(date.getMilliseconds()).padStart(3, '0')}`);
  return momentOf(text) === date.toISOString() ? text : moment;
}

/** What may be typed as a moment. */
export const MOMENT_FORMS = 'A revision, day and time as 2026-11-27 18:30, 18:30 of today, or how long ago: 2 h, 1 h 46 min, 3 days';

/** What is said of a moment that is typed and cannot be read; `null`: it can, or nothing is typed. */
export function unreadableMoment(typed: string): string | null {
  return mayBeMoment(typed.trim()) ? null : `This is no moment that can be read. Write one of these: ${MOMENT_FORMS.toLowerCase()}.`;
}

/** A moment as a sentence names it: a revision, or day and time where the reader is. */
export function momentText(moment: string): string {
  return isRevision(moment) ? `revision ${moment}` : localTime(moment);
}

/** A moment in few words: a revision, or day and time where the reader is, with the year where it is another. */
export function shortMoment(moment: string, now = Date.now()): string {
  if (isRevision(moment)) return momentText(moment);
  const time = new Date(moment);
  if (Number.isNaN(time.getTime())) return moment;
  const day = time.getFullYear() === new Date(now).getFullYear() ? dayOf(moment).replace(/ \d+$/, '') : dayOf(moment);
  return `${day}, ${[time.getHours(), time.getMinutes()].map(twoDigits).join(':')}`;
}

/** From when on something happened after a moment. */
export function sinceOf(moment: string): string {
  return isRevision(moment) ? String(Number(moment) + 1) : moment;
}

/** The time zone of the reader: `Berlin time`. */
export function zoneName(zone = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  const place = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
  return place === 'UTC' ? place : `${place} time`;
}

/** Whether what somebody typed may stand where a moment may be left out. */
export function mayBeMoment(typed: string): boolean {
  return typed === '' || momentOf(typed) !== null;
}

/** The time so many milliseconds ago, as routes take it. */
export function timeBefore(ms: number, now = Date.now()): string {
  return new Date(now - ms).toISOString();
}
