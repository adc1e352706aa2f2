import { isUnreadable, type Unreadable } from '../../src/log/decode.ts';
import type { RecordedEvent } from '../../src/log/port.ts';

/**
 * The most events of one batch; a posting comes with another event of its commit and does not count, unless postings are most of them.
 * Larger batches cost more in garbage collection than they save in statements (measured), and block the event loop longer.
 */
export const BATCH_EVENTS = 500;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** The number of these events that follow each other without a gap and fit into one batch; at least one. */
export function batchLength(events: readonly RecordedEvent[]): number {
  const start = events[0]?.revision ?? 0;
  let characters = 0;
  let counted = 0;
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    if (event === undefined || event.revision !== start + i) return i;
    if (event.type !== 'ledger.posted') counted += 1;
    if (counted > BATCH_EVENTS || i === 2 * BATCH_EVENTS) return i;
    characters += event.data.length;
    if (characters > BATCH_CHARACTERS) return Math.max(i, 1);
  }
  return events.length;
}

/** The decoded events before the first that `decode` does not know, or that breaks the chain. They can still be written. */
export function decoded<E>(
  recorded: readonly RecordedEvent[],
  decode: (event: RecordedEvent) => E,
): { readonly events: readonly E[]; readonly unknown: Unreadable | null } {
  const events: E[] = [];
  for (const event of recorded) {
    try {
      events.push(decode(event));
    } catch (error) {
      if (isUnreadable(error)) return { events, unknown: error };
      throw error;
    }
  }
  return { events, unknown: null };
}
