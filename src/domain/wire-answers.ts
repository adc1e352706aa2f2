import type { Ledger, SaveRecords } from '../contract/answers.ts';
import { wireNames } from './wire-names.ts';

/** Answers whose parts have published names, too. Requests and live streams share these functions, so they spell the names alike. */

const names = wireNames('published');

/** A ledger under the published names: its own members and those of its entries. */
export function publishedLedger(ledger: Ledger): Ledger {
  return names.body({ ...ledger, entries: ledger.entries.map((entry) => names.body(entry)) });
}

export function publishedSlots(slots: SaveRecords): SaveRecords {
  return { ...slots, records: slots.records.map((entry) => names.saveRecord(entry)) };
}
