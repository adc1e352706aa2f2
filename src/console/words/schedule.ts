import { type ActorSaid, VOIDING, whoActed } from './approval.ts';
import { lengthOf, localTime, momentOf, utcTime } from './time.ts';

/** A promotion at a chosen time, in words. */

interface Step {
  readonly by: ActorSaid;
  readonly at: string;
}

export interface ScheduleSaid {
  readonly phase: 'waiting' | 'withdrawn' | 'void' | 'used' | 'missed';
  readonly scheduled: Step;
  readonly ended: (Step & { readonly why: string; readonly reason?: string; readonly unseen?: readonly string[] }) | null;
}

const CHANGED: Readonly<Record<string, string>> = VOIDING;

/** What did not go live, and why; `null`: nobody has to be told. */
export function notLive({ phase, scheduled, ended }: ScheduleSaid): string | null {
  if (ended === null) return null;
  const whose = `What ${whoActed(scheduled.by)} scheduled`;
  if (phase === 'missed') return `${whose} did not go live: ${ended.reason ?? 'it was refused'}.`;
  return phase === 'void'
    ? `${whose} is void: ${whoActed(ended.by)} ${CHANGED[ended.why] ?? 'changed it'}. It has to be scheduled anew.`
    : null;
}

/** How long it is told what was not looked at before something went live, ms. */
const TOLD_MS = 86_400_000;

/** What was scheduled and went live without a look at all that is stored; `null`: nothing has to be told. */
export function wentUnseen({ scheduled, ended }: ScheduleSaid, now: number): string | null {
  const { unseen = [], at = '' } = ended ?? {};
  if (unseen.length === 0 || now - Date.parse(at) > TOLD_MS) return null;
  return `What ${whoActed(scheduled.by)} scheduled is live. Whether documents of ${unseen.join(', ')} fit personal fields was not looked at, as no reason was given.`;
}

const MINUTE = 60_000;
const UNITS = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
] as const;

/** How far ahead a time is: `in 3 hours`. */
export function ahead(at: string, now: number): string {
  const left = Date.parse(at) - now;
  const [unit, size] = UNITS.find(([, each]) => left >= each) ?? ['minute', MINUTE];
  const count = Math.floor(left / size);
  return count < 1 ? 'within a minute or two' : `in ${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** What may be typed as a time ahead. */
export const TIME_FORMS = 'day and time as 2027-01-31 18:30, tomorrow 9:00, friday 18:30, or in 2 hours';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * The time ahead that somebody typed, where the reader is, as routes take it: day and time, a day by its name and a time, or how far
 * ahead, to the minute. `null`: it is something else.
 */
export function typedTime(typed: string, now = Date.now()): string | null {
  const text = typed.trim().toLowerCase();
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return momentOf(typed);
  const [, length] = /^in (.*[a-z])$/.exec(text) ?? [];
  if (length !== undefined) {
    const left = /\bago$/.test(length) ? null : lengthOf(length);
    return left === null ? null : new Date(Math.ceil((now + left) / MINUTE) * MINUTE).toISOString();
  }
  const [, day = '', hour, minute] = /^([a-z]+),? (?:at )?(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  const date = new Date(now);
  const time = [Number(hour), Number(minute)] as const;
  if (hour === undefined || time[0] > 23 || time[1] > 59) return null;
  const weekday = DAYS.indexOf(day);
  const later = day === 'today' ? 0 : day === 'tomorrow' ? 1 : weekday === -1 ? null : (weekday - date.getDay() + 7) % 7;
  if (later === null) return null;
  date.setDate(date.getDate() + later);
  date.setHours(...time, 0, 0);
  // A day by its name is the next one of that name.
  if (weekday !== -1 && date.getTime() <= now) date.setDate(date.getDate() + 7);
  return date.toISOString();
}

/** A time ahead, as whoever typed it can see whether it is meant: here, in UTC, and how far ahead. */
export function timeSaid(at: string, now: number): string {
  return `${localTime(at).replace(/:00$/, '')} here, ${utcTime(at).replace(/:00 UTC$/, ' UTC')}: ${Date.parse(at) < now ? 'that is over' : ahead(at, now)}`;
}
