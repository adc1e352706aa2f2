import type { Space } from '../../domain/events.ts';
import type { BoardQuery } from './boards.ts';

/** What is read of documents by the collection: scans, lists in the order of an index, counts. */

export interface ScannedDocument {
  readonly key: string;
  /** The document's JSON text. */
  readonly text: string;
}

/** What a scan reads. */
export interface ScanSource {
  readonly collection: string;
  /** Path of the stored number that rows are sorted by; `null`: they are sorted by something else. */
  readonly sortedBy: string | null;
}

/** A document of a scan. */
export interface SortedDocument extends ScannedDocument {
  /** The revision at which it reached the number that rows are sorted by; where that is something else, of its last change. */
  readonly reached: number;
}

/** Where a walk through an index stands: a key; a time and what decides between equal ones; or rank, revision that reached it and key. */
export type WalkPlace = readonly (string | number)[];

/** Documents of a collection in the order of an index. */
export interface DocumentWalk {
  readonly space: Space;
  readonly collection: string;
  readonly by: { readonly kind: 'key' | 'time' } | { readonly kind: 'number'; readonly query: BoardQuery };
  /** Of the index: of a board by its rank. */
  readonly order: 'asc' | 'desc';
  /** `null`: from the first on. */
  readonly from: { readonly place: WalkPlace; readonly isIncluded: boolean } | null;
  /** The last key, time or rank that belongs to it; `null`: there is no end. */
  readonly until: string | number | null;
  readonly limit: number;
  /** Bytes of the documents of a page, as the table stores them. One document is answered however large it is. */
  readonly bytes: number;
}

export interface WalkedPage {
  readonly revision: number;
  /** While the board or the list is being filled, the part that is done (0 to below 1); else `null`. */
  readonly building: number | null;
  readonly documents: readonly WalkedDocument[];
  /** Where the next page begins, behind this place; `null`: at the end. There may be one also where few documents were found, or none. */
  readonly next: WalkPlace | null;
}

export interface WalkedDocument extends ScannedDocument {
  readonly version: number;
  /** Unix ms. */
  readonly updatedAt: number;
  /** Of its last change. */
  readonly revision: number;
}

/** Which rows of a collection: from a key on, or behind it. */
export interface DocumentRowsRequest {
  readonly key: string;
  readonly isIncluded: boolean;
  readonly rows: number;
  /** Of the documents, as the table stores them. One is answered however large it is. */
  readonly bytes: number;
}

/** A document that there is, or was. */
export interface DocumentRow extends Omit<WalkedDocument, 'text'> {
  /** `null`: it was deleted. */
  readonly text: string | null;
}

export interface OwnedAddress {
  readonly collection: string;
  readonly key: string;
}

export interface DocumentReader {
  /** A page of documents in the order of an index, however many there are. */
  walkDocuments(projectId: string, walk: DocumentWalk): Promise<WalkedPage>;
  /** Rows of a collection in the order of their keys, with those of deleted documents. */
  documentRows(projectId: string, space: Space, collection: string, page: DocumentRowsRequest): Promise<readonly DocumentRow[]>;
  /**
   * Reads every live document of the sources from one snapshot, one source after the other, in order of the keys. `take` gets pages of
   * about a quarter of a megabyte with the source's index. It is awaited, and what it throws ends the scan.
   */
  scan(
    projectId: string,
    space: Space,
    sources: readonly ScanSource[],
    take: (source: number, documents: readonly SortedDocument[]) => Promise<void>,
  ): Promise<{ readonly revision: number }>;
  /** Live documents of one collection after a key (empty: from the first), in order of the keys: at most `rows`, and about `bytes`. */
  documentsAfter(
    projectId: string,
    collection: string,
    after: string,
    page: { readonly rows: number; readonly bytes: number },
  ): Promise<readonly ScannedDocument[]>;
  /** Addresses of the documents that a player has or had in live in these collections, in their order, at most `limit`. */
  documentsOf(
    projectId: string,
    player: string,
    within: { readonly collections: readonly string[]; readonly limit: number; readonly after?: OwnedAddress },
  ): Promise<readonly OwnedAddress[]>;
  /** Number of live documents of one collection, counted up to `most`. */
  documentCount(projectId: string, collection: string, most: number): Promise<number>;
  /** Number of documents that a `next` space has of its own, counted up to `most`. */
  stagedDocumentCount(projectId: string, space: Space, most: number): Promise<number>;
}
