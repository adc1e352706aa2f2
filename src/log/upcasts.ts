import type { JsonObject } from '../kernel/json.ts';

/** Turns the data of one schema version into the data of the next one. */
export type Upcast = (data: JsonObject) => JsonObject;

/** Event type → the version it comes from → the step to the version after it. */
export type Upcasts = Readonly<Record<string, Readonly<Record<number, Upcast>>>>;

/** A published event shape is never changed, only succeeded: every succession has its step here. */
export const UPCASTS: Upcasts = {
  // Version 1 left defaults out of the ledger, and nobody kept account of what it had said.
  'document.written': { 1: untold },
  'document.deleted': { 1: untold },
  'record.appended': { 1: untold },
};

function untold(data: JsonObject): JsonObject {
  return { ...data, told: null };
}
