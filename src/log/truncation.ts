import { isTruncatable } from './streams.ts';

/** Checks a truncation, for every engine. Throws for a stream that is never truncated, and for a `before` that is not a revision. */
export function checkTruncation(stream: string, before: number): void {
  if (!isTruncatable(stream)) throw new TypeError(`${stream} is never truncated: its events are kept for good`);
  if (!Number.isSafeInteger(before) || before < 0) throw new TypeError(`not a revision: ${before}`);
}
