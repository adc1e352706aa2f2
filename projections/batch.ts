import type { DocumentEvent } from '../src/domain/document/evolve.ts';
import type { ProjectEvent, Space } from '../src/domain/events.ts';
import type { DefinitionsState, DocumentState } from '../src/domain/states.ts';
import type { Catalog } from './catalog.ts';
import type { ProjectionName, Transaction } from './tables.ts';

/** What one batch of events makes of one document. */
export interface DocumentChange {
  readonly space: Space;
  readonly collection: string;
  readonly key: string;
  readonly state: DocumentState;
  /** Revision of the event that began the document's present life, as far as the batch knows it. */
  readonly createdRevision: number;
  /**
   * Where that beginning is stated. `here`: in `state.createdAt` and `createdRevision`. `live row`: in the row before the batch, if it
   * shows a document. `any row`: in the row before the batch, if there is one.
   */
  readonly begun: 'here' | 'live row' | 'any row';
  /**
   * Whether the batch leaves the document's ledger balances unchanged. The row before the batch, if there is one, then still holds them.
   */
  readonly balancesUnchanged: boolean;
  /**
   * The revisions at which it came to the numbers that queries sort by, by path. Unless it begins `here`, those in the row before the batch
   * count for other paths.
   */
  readonly reached: Readonly<Record<string, number>>;
  /** Revision of the last event that changed it. */
  readonly revision: number;
}

/** Consecutive events of one project, folded as far as several projections need them folded. */
export interface Batch {
  /** All events, for the read models that outlive the deletion of the project. */
  readonly all: readonly ProjectEvent[];
  /** The events after the last `project.deleted`. */
  readonly events: readonly ProjectEvent[];
  /** Whether the project was deleted. Its rows are then removed before `events` are projected. */
  readonly wiped: boolean;
  readonly documents: readonly DocumentChange[];
  readonly definitions: { readonly before: DefinitionsState | null; readonly after: DefinitionsState | null };
  /**
   * What the definitions ask of the views, before and after the batch. `before` is `null` for a view that catches up by itself: only its
   * tables say what it held.
   */
  readonly catalog: { readonly before: Catalog | null; readonly after: Catalog };
  /** The most documents from which a batch builds the list that a publish asks for. A longer list is filled in pages. */
  readonly atOnce: number;
}

/** How far the work in pages has come. */
export interface FillState {
  /** Names the list or board that is being filled or removed. */
  readonly of: string;
  readonly phase: string;
  readonly done: number;
  /** `null` until the documents were counted. */
  readonly total: number | null;
  /** `performance.now()` when the page had locked the row that batches wait for; `null` when it needed no lock. */
  readonly heldAt: number | null;
}

/** The work that a view does in pages instead of within a batch. */
export interface Filling {
  /**
   * Does one page of the work, `size` documents at most. Returns the progress, or `null` when there is nothing to do. The transaction
   * should end soon afterwards, because it blocks the batches of the project. `only`: does only the work of this name.
   */
  step(tx: Transaction, catalog: Pick<Catalog, 'boards'>, size: number, only?: string): Promise<FillState | null>;
  /** The number of boards or lists that are being filled. Those being removed do not count. */
  building(tx: Transaction): Promise<number>;
}

/** One read model: how batches of events become its rows. */
export interface Projection {
  readonly name: ProjectionName;
  /** Decisions load from state tables; a view may fail without harming them. */
  readonly kind: 'state' | 'view';
  /** Whether its rows follow from the rows of `documents` and `definitions` alone. */
  readonly derived: boolean;
  /** The work that it does in pages; see fills.ts. */
  readonly filling?: Filling;
  /** Brings the tables from the state before the batch to the state after it. The rows of a deleted project are removed before. */
  project(batch: Batch, tx: Transaction): Promise<void>;
}

/** An event of a document or a global record, as the stream has it. */
export type StoredDocumentEvent = ProjectEvent & DocumentEvent;
