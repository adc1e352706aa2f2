import type { Space } from '../../domain/events.ts';
import type { SubjectState } from '../../domain/states.ts';
import type { Subject } from '../../domain/subjects.ts';

/** What decisions load from, and what is read of the state tables beside it. */

/** How far a projection is in one project's stream. `hash` is the chain hash of that event. */
export interface Checkpoint {
  readonly revision: number;
  readonly hash: string;
}

/** Keys of a collection's documents, in order, as of `revision`. `bytes`: size of the documents in the table, with long ones compressed. */
export interface DocumentKeys {
  readonly revision: number;
  readonly keys: readonly string[];
  readonly bytes: number;
}

/** A document's key in its project's table. */
export type DocumentRowKey = readonly [space: string, collection: string, key: string];

/**
 * Number of documents in some rows and the UTF-8 bytes of their texts, as of `revision`. `last`: the last of these rows, `null` at the end
 * of the table.
 */
export interface CountedPage {
  readonly revision: number;
  readonly documents: number;
  readonly bytes: number;
  readonly last: DocumentRowKey | null;
}

/** The state tables, which decisions load from. */
export interface StateReader {
  /** The lowest checkpoint of all state tables; `null` if nothing of the project has been projected. */
  checkpoint(projectId: string): Promise<Checkpoint | null>;
  /**
   * The states of `subjects`, in their order; `null` for a subject without a row. `revision` is the lowest checkpoint of the tables read,
   * from the same snapshot (−1 before the first event). Nobody asks for collection subjects.
   */
  load(
    projectId: string,
    subjects: readonly Subject[],
  ): Promise<{ readonly revision: number; readonly states: readonly (SubjectState | null)[] }>;
  /** The first `most` keys of a collection's documents. A `next` space also shows the live ones that it does not hide. */
  documentKeys(projectId: string, space: Space, collection: string, most: number): Promise<DocumentKeys>;
  /** Counts the documents of live and of the space `staged` among the next `most` rows of the project. Counts bytes only if asked to. */
  countDocuments(projectId: string, staged: Space, after: DocumentRowKey | null, most: number, withBytes: boolean): Promise<CountedPage>;
}
