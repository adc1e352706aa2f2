import type { Actor, Space } from '../../domain/events.ts';
import type { Json } from '../../kernel/json.ts';

/** An entry of a ledger, as it is read. */
export interface LedgerRow {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
  readonly delta: Json;
  readonly source: string;
  readonly reason: string | null;
  /** Unix ms. */
  readonly at: number;
  readonly eventId: string;
  readonly actor: Actor;
  /** Of the key that the request came with, also of one that was revoked. */
  readonly label: string | null;
}

export interface LedgerFilter {
  readonly space: Space;
  readonly collection: string;
  readonly platformId: string;
  /** Key of one document of the player. Left out: all of them. */
  readonly key?: string;
  readonly field?: string;
  /** Unix ms, inclusive. */
  readonly from?: number;
  /** Unix ms, exclusive. */
  readonly to?: number;
  /** The last revision that counts. Left out: the newest. */
  readonly through?: number;
}

/** `asc`: oldest first. */
export type LedgerOrder = 'asc' | 'desc';

export interface LedgerRequest {
  readonly limit: number;
  /** A cursor of an earlier page in the same order. */
  readonly after: string | null;
  /** Left out: `asc`. */
  readonly order?: LedgerOrder;
}

export interface LedgerPage {
  readonly revision: number;
  readonly entries: readonly LedgerRow[];
  /** Sums over everything that the filter selects, not only the page. Sums are exact numbers. */
  readonly summary: {
    readonly totalIncrease: Json;
    readonly totalDecrease: Json;
    readonly netChange: Json;
    readonly entryCount: number;
    /** Whether only the first entries were summed, because there are too many for one read. */
    readonly truncated: boolean;
    readonly sources: readonly { readonly source: string; readonly count: number; readonly total: Json }[];
  };
  /** Opaque; `null` at the end. */
  readonly cursor: string | null;
  /** Whether the player has, or ever had, a document in the collection. */
  readonly known: boolean;
}

export interface LedgerReader {
  /** A page of ledger entries, in the order that it asks for. */
  ledger(projectId: string, filter: LedgerFilter, page: LedgerRequest): Promise<LedgerPage>;
  /** Fields with entries in a collection's live ledgers. Only `most` of its entries are searched. */
  ledgerFields(projectId: string, collection: string, most: number): Promise<readonly string[]>;
}
