import { ByAddress } from '../domain/document/by-address.ts';
import { DOCUMENT_KEY } from '../domain/document/key.ts';
import { applyOperations } from '../domain/document/operations.ts';
import { weightOf } from '../domain/document/weight.ts';
import type { Operation } from '../domain/events.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { PendingWrite, Reads, Target } from './run.ts';

/** The first documents that a call reads and changes are not charged by their size. Few calls have more. */
const UNWEIGHED_READS = 20;
const UNWEIGHED_CHANGES = 20;
/** Cost of each value of a changed document, in work: it is copied, checked and printed. With a ledger it may become an entry. */
const VALUE_COST = 8;
const LEDGER_VALUE_COST = 32;

/**
 * The documents of one call: what is stored, under the call's own writes. A later read sees them. Writes are queued in order; a write after
 * a delete starts from nothing.
 */
export class Documents {
  readonly writes: PendingWrite[] = [];
  /** Documents that writes bound last, by name. */
  readonly bound = new Map<string, JsonObject>();
  readonly #reads: Reads;
  readonly #spend: (units: number) => void;
  /** Documents as read, so that a loop fills in the defaults of one document only once. */
  readonly #stored = new ByAddress<JsonObject | null>();
  #readCount = 0;
  /** `null`: deleted. */
  readonly #changed = new ByAddress<JsonObject | null>();
  /** By collection, until the call writes in it. */
  readonly #scans = new Map<string, readonly JsonObject[]>();

  /** `spend` charges for work. */
  constructor(reads: Reads, spend: (units: number) => void) {
    this.#reads = reads;
    this.#spend = spend;
  }

  /** Every document of a collection in order of the keys, including those made by this call. */
  scan(collection: string): readonly JsonObject[] {
    const known = this.#scans.get(collection);
    if (known !== undefined) return known;
    const stored = this.#reads.keys(collection);
    const keys = [...new Set([...stored, ...this.#changed.keysIn(collection)])];
    this.#spend(keys.length);
    const rows = (keys.length === stored.length ? keys : keys.sort())
      .map((key) => this.read(collection, key))
      .filter((document) => document !== null);
    this.#scans.set(collection, rows);
    return rows;
  }

  read(collection: string, key: string): JsonObject | null {
    const changed = this.#changed.get(collection, key);
    if (changed !== undefined) return changed;
    const known = this.#stored.get(collection, key);
    return known === undefined ? this.#readStored(collection, key) : known;
  }

  #readStored(collection: string, key: string): JsonObject | null {
    const document = this.#reads.document(collection, key);
    this.#stored.set(collection, key, document);
    this.#readCount += 1;
    if (document !== null && this.#readCount > UNWEIGHED_READS) this.#spend(weightOf(document));
    return document;
  }

  /** Queues a write and returns the document after it. Throws `OperationError` for the first operation that cannot be applied. */
  write(stepId: string, target: Target, ops: readonly Operation[]): JsonObject {
    const { collection, key } = target;
    const to = this.read(collection, key) ?? this.#reads.blank(collection);
    const operated = applyOperations(to, ops, this.#spend);
    const write: PendingWrite = { kind: 'write', stepId, target, ops, applied: to === null ? null : { to, operated } };
    return this.#decided(write, operated.document) ?? operated.document;
  }

  delete(stepId: string, target: Target): void {
    this.#decided({ kind: 'delete', stepId, target }, null);
  }

  #decided(write: PendingWrite, document: JsonObject | null): JsonObject | null {
    const { collection, key } = write.target;
    // A delete costs what it removes, because its ledger entries reverse all of it.
    const removed = document === null && this.writes.length >= UNWEIGHED_CHANGES ? this.read(collection, key) : null;
    const stored = this.#reads.decide(write, document);
    if (this.writes.length >= UNWEIGHED_CHANGES) {
      const each = this.#reads.hasLedger(collection) ? LEDGER_VALUE_COST : VALUE_COST;
      this.#spend(each * weightOf(stored ?? removed));
    }
    this.#changed.set(collection, key, stored);
    this.#scans.delete(collection);
    this.writes.push(write);
    return stored;
  }
}

/** A resolved key in the form of document keys, without a trailing `_default`; `null`: it is not a valid key. */
export function documentKey(text: string): string | null {
  const key = text.endsWith('_default') ? text.slice(0, -'_default'.length) : text;
  return DOCUMENT_KEY.test(key) ? key : null;
}
