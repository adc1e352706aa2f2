import type { JsonObject } from '../../kernel/json.ts';
import { DOCUMENT_KEY } from '../document/key.ts';
import { applyOperations } from '../document/operations.ts';
import type { Operation } from '../events.ts';
import type { PendingWrite, Reads } from './run.ts';

/**
 * The documents of one call: what is stored, under the call's own writes (decision 4). Writes are queued in order; a write after a
 * delete starts from nothing.
 */
export class Documents {
  readonly writes: PendingWrite[] = [];
  readonly #reads: Reads;
  /** By collection and key; `null` is deleted. */
  readonly #changed = new Map<string, JsonObject | null>();

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  read(collection: string, key: string): JsonObject | null {
    const changed = this.#changed.get(address(collection, key));
    return changed === undefined ? this.#reads.document(collection, key) : changed;
  }

  /** Throws `OperationError` for the first operation that cannot be applied. */
  write(stepId: string, collection: string, key: string, ops: readonly Operation[]): void {
    const { document } = applyOperations(this.read(collection, key), ops);
    this.#changed.set(address(collection, key), document);
    this.writes.push({ kind: 'write', stepId, collection, key, ops });
  }

  delete(stepId: string, collection: string, key: string): void {
    this.#changed.set(address(collection, key), null);
    this.writes.push({ kind: 'delete', stepId, collection, key });
  }
}

function address(collection: string, key: string): string {
  return `${collection}/${key}`;
}

/** A resolved key as documents have it: without a trailing `_default`; `null` when it names nothing. */
export function documentKey(text: string): string | null {
  const key = text.endsWith('_default') ? text.slice(0, -'_default'.length) : text;
  return DOCUMENT_KEY.test(key) ? key : null;
}
