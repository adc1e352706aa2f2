import { ago, localTime, timeAndAgo, timeOfDay, utcTime } from '../words/time.ts';
import { useNow } from './now.ts';

/** How long ago it was; the exact time when one points at it. */
export function Ago({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={`${localTime(at)} here\n${utcTime(at)}`}>
      {ago(at, useNow())}
    </time>
  );
}

/** The time of day and how long ago it was, for rows that are told apart by it. */
export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={`${localTime(at)} here\n${utcTime(at)}`}>
      {timeAndAgo(at, useNow())}
    </time>
  );
}

/** The time of day, with the date where that is another day. */
export function Clock({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {timeOfDay(at, Date.now())}
    </time>
  );
}

/** Day and time; in UTC when one points at it. */
export function At({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {localTime(at)}
    </time>
  );
}
