import type { JsonObject } from '../../kernel/json.ts';
import type { Change } from '../events.ts';
import { applyChanges } from './draft.ts';
import type { Move } from './moves.ts';
import type { ReadDocument } from './read-document.ts';
import { keepingDefaults, withClamped } from './store.ts';

/** What a write's body turns a document into. */
export interface DraftValues {
  readonly after: ReadDocument;
  /** `null`: the document is stored whole. */
  readonly changes: readonly Change[] | null;
  /** Upward moves of operations by path; empty for a plain document. */
  readonly increases: ReadonlyMap<string, number>;
  readonly moves: readonly Move[];
}

/**
 * A computed write. Nothing has yet checked whether it is allowed. It is made once and passed to the schema, the limits, the ledger and the
 * unique values.
 */
export class DocumentDraft implements DraftValues {
  readonly after: ReadDocument;
  readonly changes: readonly Change[] | null;
  readonly increases: ReadonlyMap<string, number>;
  readonly moves: readonly Move[];
  /** Whether there was no document before. */
  readonly isNew: boolean;
  readonly #begin: () => ReadDocument | null;

  /**
   * `begin` returns the document that the writer began from: an empty one for operations on a missing document. It returns the same
   * document at every call. It is a function because few writes need it.
   */
  constructor({ after, changes, increases, moves }: DraftValues, isNew: boolean, begin: () => ReadDocument | null) {
    this.after = after;
    this.changes = changes;
    this.increases = increases;
    this.moves = moves;
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
   * The draft with these values lowered. `read`: the document whose values they lower, either as it reads or as stored. A field inside an
   * object that is itself a default is stored with the whole object: stored alone it would hide the rest of the default.
   */
  lowered(lower: readonly Change[], read: JsonObject): DocumentDraft {
    if (lower.length === 0) return this;
    const { after } = this;
    const lowered =
      read === after.stored
        ? { after: after.becoming(applyChanges(after.stored, lower)), changes: lower }
        : keepingDefaults(after, { document: applyChanges(read, lower), changes: lower });
    const changes = this.changes === null ? null : withClamped(this.changes, lowered.changes, lowered.after.stored);
    const { increases, moves } = this;
    return new DocumentDraft({ after: lowered.after, changes, increases, moves }, this.isNew, this.#begin);
  }
}
