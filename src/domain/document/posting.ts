import type { DomainEvent, Posting, Space } from '../events.ts';
import { isDocumentEvent, keyOf } from './evolve.ts';
import { playerOfKey } from './key.ts';

type Posted = Extract<DomainEvent, { readonly type: 'ledger.posted' }>;

/**
 * The events of a commit, and behind them, if they change money, the one event that says so. Decisions call for entries event by event, and
 * only the whole commit knows who paid whom.
 */
export function withPosting(events: readonly DomainEvent[]): readonly DomainEvent[] {
  const posted = postingOf(events);
  return posted === null ? events : [...events, posted];
}

function postingOf(events: readonly DomainEvent[]): Posted | null {
  const postings: Posting[] = [];
  const balances: (string | undefined)[] = [];
  let space: Space | null = null;
  for (const [index, event] of events.entries()) {
    if (!isDocumentEvent(event) || event.ledger === undefined || event.ledger.entries.length === 0) continue;
    const { ledger, data } = event;
    if (space !== null && space !== data.space) throw new Error('a commit changes money in one space alone');
    space = data.space;
    const key = keyOf(event);
    postings.push({ by: events.length - index, collection: data.collection, key, player: playerOfKey(key), entries: ledger.entries });
    balances.push(ledger.balances);
  }
  return space === null ? null : { type: 'ledger.posted', data: { space, postings }, balances };
}
