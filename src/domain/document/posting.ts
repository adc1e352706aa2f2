import type { DomainEvent, Posting } from '../events.ts';
import { playerOfKey } from './key.ts';

type Posted = Extract<DomainEvent, { readonly type: 'ledger.posted' }>;

/**
 * The events of a commit, and behind them, if they change money, the one event that says so. Decisions call for entries event by event, and only
 * the whole commit knows who paid whom.
 */
export function withPosting(events: readonly DomainEvent[]): readonly DomainEvent[] {
  const posted = postingOf(events);
  return posted === null ? events : [...events, posted];
}

function postingOf(events: readonly DomainEvent[]): Posted | null {
  const postings: Posting[] = [];
  const balances: (string | undefined)[] = [];
  let space: Posted['data']['space'] | null = null;
  for (const [index, event] of events.entries()) {
    const { ledger } = event;
    if (ledger === undefined || ledger.entries.length === 0) continue;
    const document = documentOf(event);
    if (space !== null && space !== document.space) throw new Error('a commit changes money in one space alone');
    space = document.space;
    const { collection, key } = document;
    postings.push({ by: events.length - index, collection, key, player: playerOfKey(key), entries: ledger.entries });
    balances.push(ledger.balances);
  }
  return space === null ? null : { type: 'ledger.posted', data: { space, postings }, balances };
}

function documentOf({ type, data }: DomainEvent) {
  if (type === 'document.written' || type === 'document.deleted') return data;
  if (type === 'record.appended') return { space: data.space, collection: data.collection, key: data.recordId };
  throw new Error(`a ${type} changes no money`);
}
