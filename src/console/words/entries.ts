import { type EntriesFilter, type EntryClass, NO_ENDPOINT } from './economy.ts';
import { capital } from './value.ts';

/** Entries of the economy in words. */

const OF_CLASS: Readonly<Record<EntryClass, string>> = {
  faucet: 'that came from nowhere',
  sink: 'that went nowhere',
  transfer: 'that went from one place to another',
  correction: 'that put something right',
};

/** What a list of entries is of. */
export function entriesTitle({
  currency,
  source,
  endpoint,
  collection,
  field,
  player,
  direction,
  class: of,
  alarm,
}: EntriesFilter): string {
  // What came from nowhere came in.
  const isPlain = direction === undefined || of === 'faucet' || of === 'sink';
  const parts = [
    `entries of ${currency}`,
    of === undefined ? '' : OF_CLASS[of],
    isPlain ? '' : `${of === undefined ? '' : 'and '}that ${direction === 'in' ? 'came in' : 'went out'}`,
    source === undefined ? '' : `from ${source}`,
    endpoint === undefined ? '' : endpoint === NO_ENDPOINT ? 'written directly' : `by ${endpoint}`,
    field === undefined ? '' : `in ${collection ?? ''}.${field}`,
    player === undefined ? '' : `of ${player}`,
    alarm === undefined ? '' : 'that raised an alarm',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** The word for a class, as a heading. */
export function className(of: EntryClass): string {
  return of === 'correction' ? 'Corrected' : capital(of);
}
