import type { RecordedEvent } from '../src/log/port.ts';

/** The intended size of a page of events, in characters of their data. */
const CHARACTERS = 1024 * 1024;
/** The fewest events of a page, even of large ones. */
const FEWEST = 16;

/** The most events of a page where players do not have to wait for it. */
export const LARGE_PAGE = 1_000;
/** The most events of a page beside players, and of the first page, when the size of the events is not yet known. */
export const SMALL_PAGE = 500;

/** How many events the page after `page` may have: about a megabyte if they are as large as those of `page`, and at most `most`. */
export function eventsAfter(page: readonly Pick<RecordedEvent, 'data'>[], most: number): number {
  const characters = page.reduce((sum, { data }) => sum + data.length, 1);
  const fitting = Math.floor((CHARACTERS * page.length) / characters);
  return Math.min(most, Math.max(FEWEST, fitting));
}
