import type { DocumentEvent } from '../src/domain/document/evolve.ts';
import type { ProjectEvent, Space } from '../src/domain/events.ts';
import type { DefinitionsState, DocumentState } from '../src/domain/states.ts';
import type { Catalog } from './catalog.ts';
import type { ProjectionName, Session } from './tables.ts';

/** What one batch of events makes of a document. */
export interface DocumentChange {
  readonly space: Space;
  readonly collection: string;
  readonly key: string;
  readonly state: DocumentState;
  /** Revision of the event that the document's present life began with, as far as the batch knows. */
  readonly createdRevision: number;
  /**
   * Whether it began where `state.createdAt` and `createdRevision` say (`here`), or where the row before the batch says, if that shows
   * a document (`live row`), or if there is one (`any row`).
   */
  readonly begun: 'here' | 'live row' | 'any row';
  /** Whether the ledger said nothing new of it, and the row before the batch, if there is one, knows what was said. */
  readonly toldAsBefore: boolean;
  /** Revision of the last event that changed it. */
  readonly revision: number;
}

/** Consecutive events of one project, folded as far as several projections need it. */
export interface Batch {
  /** All of them, for what survives a deleted project. */
  readonly all: readonly ProjectEvent[];
  /** Those after the last `project.deleted`. */
  readonly events: readonly ProjectEvent[];
  /** Whether the project was deleted: its rows went before `events`. */
  readonly wiped: boolean;
  readonly documents: readonly DocumentChange[];
  readonly definitions: { readonly before: DefinitionsState | null; readonly after: DefinitionsState | null };
  /** What the definitions ask of the views, before and after; before is \`null\` where a view catches up by itself, and only its tables know. */
  readonly catalog: { readonly before: Catalog | null; readonly after: Catalog };
  /** Of so many documents a list that a publish brings may be made within the batch. */
  readonly atOnce: number;
}

/** How far a page has come. */
export interface FillState {
  /** A name of what is being made or taken away. */
  readonly of: string;
  readonly phase: string;
  readonly done: number;
  /** `null` until they were counted. */
  readonly total: number | null;
}

/** What a view has left to pages, and how it makes them. */
export interface Filling {
  /**
   * One page of the work that is to do: `size` documents at most. Answers how it now stands, `null` when there is nothing to do. The
   * transaction should end soon after: it holds up the batches of the project. `only`: of this name.
   */
  step(session: Session, catalog: Pick<Catalog, 'boards'>, size: number, only?: string): Promise<FillState | null>;
  /** What is being made, and not taken away. */
  building(session: Session): Promise<number>;
}

export interface Projection {
  readonly name: ProjectionName;
  /** Decisions load from state tables; a view may fail without harming them. */
  readonly kind: 'state' | 'view';
  /** Whether its rows follow from the rows of `documents` and `definitions` alone. */
  readonly derived: boolean;
  /**
   * The event types it folds came with it. A build without it stops at such an event, so what was projected without it held none: it
   * stands where the others do, and has nothing to catch up.
   */
  readonly broughtEvents?: true;
  /** What it leaves to pages; see fills.ts. */
  readonly filling?: Filling;
  /** Brings the tables from the state before the batch to the state after it. Rows of a wiped project are gone already. */
  project(batch: Batch, session: Session): Promise<void>;
}

/** An event of a document or a global record, as the stream has it. */
export type StoredDocumentEvent = ProjectEvent & DocumentEvent;

/** The key of the document that it is of. */
export function keyOf({ data }: DocumentEvent): string {
  return 'recordId' in data ? data.recordId : data.key;
}
