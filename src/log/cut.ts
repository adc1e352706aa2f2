import { isCuttable } from './streams.ts';

/** What every engine asks before it gives up events. Throws for a stream that is never cut, and for what is no revision. */
export function checkCut(stream: string, before: number): void {
  if (!isCuttable(stream)) throw new TypeError(`${stream} is never cut: its events are kept for good`);
  if (!Number.isSafeInteger(before) || before < 0) throw new TypeError(`no revision: ${before}`);
}
