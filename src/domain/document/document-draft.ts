import type { JsonObject } from '../../kernel/json.ts';
import type { Change } from '../events.ts';
import { applyChanges } from './draft.ts';
import type { Origin } from './operations.ts';
import type { ReadDocument } from './read-document.ts';
import { withClamped, withLostDefaults } from './store.ts';

/** What a body makes of a document. */
export interface WorkedOut {
  readonly after: ReadDocument;
  /** `null`: the document is stored whole. */
  readonly changes: readonly Change[] | null;
  /** Upward moves of operations by path; empty for a plain document. */
  readonly increases: ReadonlyMap<string, number>;
  readonly origins: ReadonlyMap<string, Origin>;
}

/**
 * A computed write, before any check of whether it is allowed. It is made once, and passed to the schema, the limits, the ledger and the unique
 * values.
 */
export class DocumentDraft implements WorkedOut {
  readonly after: ReadDocument;
  readonly changes: readonly Change[] | null;
  readonly increases: ReadonlyMap<string, number>;
  readonly origins: ReadonlyMap<string, Origin>;
  /** Whether no document could be read before. */
  readonly isNew: boolean;
  readonly #begin: () => ReadDocument | null;

  /**
   * `begin`: the document that the writer began from, an empty one for operations on a missing document. It answers the same at every call, and
   * few writes call it.
   */
  constructor({ after, changes, increases, origins }: WorkedOut, isNew: boolean, begin: () => ReadDocument | null) {
    this.after = after;
    this.changes = changes;
    this.increases = increases;
    this.origins = origins;
    this.isNew = isNew;
    this.#begin = begin;
  }

  get stored(): JsonObject {
    return this.after.stored;
  }

  get asRead(): JsonObject {
    return this.after.asRead;
  }

  /** The document before; `null`: there was none. */
  get before(): ReadDocument | null {
    return this.isNew ? null : this.#begin();
  }

  /** The document before as it read; for operations on a missing document, the defaults. `null`: nothing. */
  get from(): JsonObject | null {
    return this.#begin()?.asRead ?? null;
  }

  /**
   * The draft with these values lowered. `read`: the document in which they were found, as it reads or as stored. A field inside an object that
   * is itself a default is stored with the whole object: stored alone it would hide the rest of the default.
   */
  lowered(cuts: readonly Change[], read: JsonObject): DocumentDraft {
    if (cuts.length === 0) return this;
    const { after } = this;
    const lowered =
      read === after.stored
        ? { after: after.becoming(applyChanges(after.stored, cuts)), changes: cuts }
        : withLostDefaults(after, { document: applyChanges(read, cuts), changes: cuts });
    const changes = this.changes === null ? null : withClamped(this.changes, lowered.changes, lowered.after.stored);
    const { increases, origins } = this;
    return new DocumentDraft({ after: lowered.after, changes, increases, origins }, this.isNew, this.#begin);
  }
}
