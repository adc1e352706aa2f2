import type { RecordedEvent } from '../port.ts';
import type { Reader } from './read.ts';

const MAX_EVENTS = 1000;
const FEWEST_EVENTS = 16;
const PAGE_BYTES = 4 * 1024 * 1024;

export interface NextPage {
  readonly events: readonly RecordedEvent[];
  /** Everything up to this position was looked at. */
  readonly position: number;
  /** The log's last position at that time. */
  readonly head: number;
}

export interface Pages {
  /** The page after `after`, of at most `most` positions. Throws `LogUnavailable`. */
  next(after: number, most?: number): Promise<NextPage>;
}

/** Reads the log in pages of about `PAGE_BYTES`. The size of the last page's events decides how many events the next one may have. */
export function createPages(reader: Reader, prefix: string): Pages {
  let limit = 200;
  return {
    async next(after, most = MAX_EVENTS) {
      const requested = Math.min(limit, most);
      const { head, events } = await reader.page(after, requested, prefix);
      const bytes = events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 1);
      const fitting = Math.floor((PAGE_BYTES * Math.max(1, events.length)) / bytes);
      limit = Math.min(MAX_EVENTS, Math.max(FEWEST_EVENTS, fitting));
      return { events, head, position: Math.max(after, Math.min(head, after + requested)) };
    },
  };
}
