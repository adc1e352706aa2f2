import type { JsonObject } from '../kernel/json.ts';

/** Turns the data of one schema version into the data of the next one. */
type Upcast = (data: JsonObject) => JsonObject;

/** Event type → the version it comes from → the step to the version after it. */
export type Upcasts = Readonly<Record<string, Readonly<Record<number, Upcast>>>>;

/** The shape of an event that was ever stored is never changed. A new version is added, and its step is here. */
export const UPCASTS: Upcasts = {
  // Version 1 did not record defaults in the ledger, and kept no ledger balances. `told: null` says that they are unknown.
  // Version 2 did not say which numbers a write changed.
  'document.written': { 1: withUnknownBalances, 2: (data) => data },
  'document.deleted': { 1: withUnknownBalances },
  'record.appended': { 1: withUnknownBalances },
  // Version 1 knew no guests.
  'session.created': { 1: (data) => data },
  // Version 1 does not say which device asked for a code.
  'guest.codeIssued': { 1: (data) => data },
  'guest.deviceRevoked': { 1: (data) => data },
};

function withUnknownBalances(data: JsonObject): JsonObject {
  return { ...data, told: null };
}
