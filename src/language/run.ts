import type { AppliedOperations } from '../domain/document/operations.ts';
import type { Operation } from '../domain/events.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/**
 * Input and output of an endpoint run. Running is pure and synchronous: it reads documents through `Reads`, and the caller repeats the
 * whole run if a document had to be loaded first. So a run must do nothing outside its own memory.
 */

/** Most documents of one collection that a step may look through. */
export const MAX_SCANNED = 1000;

/** What a run reads: the documents at the start of the call, and the decisions on its own writes. */
export interface Reads {
  /**
   * The stored document with schema defaults, or `null`. `collection` is an id or a name in any letter case. May throw to have the document
   * loaded first, which must not be caught.
   */
  document(collection: string, key: string): JsonObject | null;
  /** The document that operations on a missing one start from: the defaults of its schema. */
  blank(collection: string): JsonObject | null;
  /**
   * Decides a write or delete when its step runs. Returns the document as it then reads: with defaults, and with as much growth as its
   * rate-limit rules grant. `document`: the result of the operations; `null`: deleted. Throws its `Refusal`.
   */
  decide(write: PendingWrite, document: JsonObject | null): JsonObject | null;
  /** Whether a ledger follows fields of the collection's documents. */
  hasLedger(collection: string): boolean;
  /** Keys of a collection's documents, each once and in order. Some may have no document. May throw to have them found first. */
  keys(collection: string): readonly string[];
}

/** The document that a step names. */
export interface Target {
  readonly collection: string;
  readonly key: string;
  /** The collection as the author wrote it: its name, or its id in another letter case. */
  readonly named: string;
  /** The key as its template gave it, possibly ending in `_default`. */
  readonly keyText: string;
}

/** A document that the call writes or deletes, with its operations resolved. */
export type PendingWrite =
  | {
      readonly kind: 'write';
      readonly stepId: string;
      readonly target: Target;
      readonly ops: readonly Operation[];
      /** The operations as the call sees them, before rules and limits. */
      readonly applied: AppliedOperations | null;
    }
  | { readonly kind: 'delete'; readonly stepId: string; readonly target: Target };

export interface EndpointResult {
  readonly status: number;
  /** The rendered response body, sent as it is. */
  readonly body: Json;
  readonly writes: readonly PendingWrite[];
}
