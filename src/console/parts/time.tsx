import { ago, localTime, utcTime } from '../words/time.ts';

/** How long ago it was; the exact time when one points at it. */
export function Ago({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={`${localTime(at)} here\n${utcTime(at)}`}>
      {ago(at, Date.now())}
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
