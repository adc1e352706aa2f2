import type { Position } from '@eventstore/db-client';
import { LogUnavailable, type NewEvent, type RecordedEvent } from '../port.ts';
import type { Reader } from './read.ts';

export const PAGE_EVENTS = 1000;

/** The server's position of an event. It has two halves, which are equal for an event. */
export function exactly(position: bigint | null): Position | null {
  return position === null ? null : { commit: position, prepare: position };
}

/**
 * At most {@link PAGE_EVENTS} events of the whole log, from that of a position inclusive. Fewer: there were no more. `own` as in
 * {@link Reader.page}. Throws `LogUnavailable` for a position that the log does not reach, too.
 */
export async function nextPage(
  reader: Reader,
  position: bigint | null,
  signal: AbortSignal,
  own?: Map<string, NewEvent>,
): Promise<readonly RecordedEvent[]> {
  const page = await reader.page(exactly(position), PAGE_EVENTS, signal, own);
  if (page.length > 0 || position === null) return page;
  throw new LogUnavailable('the log is shorter than it was: was an older state restored?');
}
