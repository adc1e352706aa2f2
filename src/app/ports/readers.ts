import type { Actor, DefinitionChange, PublishTarget, Space } from '../../domain/events.ts';
import type { SubjectState } from '../../domain/states.ts';
import type { SubjectKey } from '../../domain/subjects.ts';
import type { PlayerProfile, PlayerStats } from '../../domain/telemetry/player.ts';
import type { Json } from '../../kernel/json.ts';

/**
 * What the use cases ask of the read models. Implemented under `projections/readers`, handed in by `src/compose`. Every answer carries the
 * revision of the project's log that it reflects, taken from the same database snapshot as the rows.
 */

/** A projection's place in one project's stream. `hash` is the chain hash of that event. */
export interface Checkpoint {
  readonly revision: number;
  readonly hash: string;
}

/** Keys of the documents of a collection, in their order, as of `revision`; `bytes` is what the documents take in the table, long ones packed. */
export interface DocumentKeys {
  readonly revision: number;
  readonly keys: readonly string[];
  readonly bytes: number;
}

/** Where a document stands in its project's table. */
export type DocumentPlace = readonly [space: string, collection: string, key: string];

/** Documents and the UTF-8 bytes of their texts in some rows, as of `revision`; `last`: of these rows, `null` at the end of the table. */
export interface CountedPage {
  readonly revision: number;
  readonly documents: number;
  readonly bytes: number;
  readonly last: DocumentPlace | null;
}

/** The state tables: what decisions load from. */
export interface StateReader {
  /** The lowest checkpoint of all state tables; `null` when nothing of the project was projected yet. */
  checkpoint(projectId: string): Promise<Checkpoint | null>;
  /**
   * The states of `subjects`, in their order; `null` for a subject without a row. `revision` is the lowest checkpoint of the tables
   * asked, from the same snapshot (−1 before the first event). Collection subjects are never asked for.
   */
  load(
    projectId: string,
    subjects: readonly SubjectKey[],
  ): Promise<{ readonly revision: number; readonly states: readonly (SubjectState | null)[] }>;
  /** The first `most` keys of a collection's documents; in a `next` space the live ones shine through. */
  documentKeys(projectId: string, space: Space, collection: string, most: number): Promise<DocumentKeys>;
  /** Counts the next `most` rows of all spaces and collections; no bytes where they are not asked for. */
  countDocuments(projectId: string, after: DocumentPlace | null, most: number, withBytes: boolean): Promise<CountedPage>;
}

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
}

export interface LedgerFilter {
  readonly space: Space;
  readonly collection: string;
  readonly platformId: string;
  /** Of one document of the player's; else of all of them. */
  readonly key?: string;
  readonly field?: string;
  /** Unix ms, inclusive. */
  readonly from?: number;
  /** Unix ms, exclusive. */
  readonly to?: number;
}

export interface LedgerPage {
  readonly revision: number;
  readonly entries: readonly LedgerRow[];
  /** Over everything the filter selects, not the page. Sums are exact numbers. */
  readonly summary: {
    readonly totalIncrease: Json;
    readonly totalDecrease: Json;
    readonly netChange: Json;
    readonly entryCount: number;
    /** Whether only the first entries were summed, because there are too many to sum for one read. */
    readonly truncated: boolean;
    readonly sources: readonly { readonly source: string; readonly count: number; readonly total: Json }[];
  };
  /** Opaque; `null` at the end. */
  readonly cursor: string | null;
  /** Whether any document of this player exists in the collection, now or once. */
  readonly known: boolean;
}

export interface RecordAsked {
  readonly limit: number;
  readonly before: { readonly timestamp: number; readonly sequence: number | null } | null;
  /** What the texts of a page may come to; one record is there however large it is. */
  readonly bytes: number;
}

export interface RecordPage {
  readonly revision: number;
  /** How far the list is, 0 to below 1, while it is being made and has nothing to show; else `null`. */
  readonly building: number | null;
  /** JSON texts as they are served, newest first. */
  readonly records: readonly string[];
  /** Timestamp and sequence of the last record of a page that more may follow, else `null`. `ambiguous`: the next record has the same timestamp. */
  readonly last: { readonly timestamp: number; readonly sequence: number; readonly ambiguous: boolean } | null;
}

export interface LeaderboardRow {
  readonly key: string;
  readonly value: number;
  /** The document's JSON text. */
  readonly document: string;
}

/** A query's definition, live or next, by which its board is found. */
export interface BoardQuery {
  readonly id: string;
  /** Content hash of the definition; see `domain/query/board-hash.ts`. */
  readonly hash: string;
}

export interface LeaderboardPage {
  readonly revision: number;
  readonly rows: readonly LeaderboardRow[];
  /** Documents that have a value. */
  readonly total: number;
  /** How far the board is, 0 to below 1, while it is being filled and has nothing to show; else `null`. */
  readonly building: number | null;
  /** Rows were left out: their documents are too large to be answered in one. Ask for them in pages. */
  readonly isCut: boolean;
}

/** What a publish brought over many documents, while it is being made. */
export interface Building {
  readonly project: string;
  readonly kind: 'query' | 'collection';
  /** The queries that wait for a board, or the collection whose list it is. */
  readonly ids: readonly string[];
  readonly fraction: number;
}

export interface LeaderboardStanding extends LeaderboardPage {
  /** `null`: the key has no row. */
  readonly rank: number | null;
  /** The key's row with those around it, in order of the board. */
  readonly rows: readonly LeaderboardRow[];
}

/** Takes rows page by page, each of about a quarter of a megabyte, in order of the board, and is waited for. What it throws ends it. */
export type TakeRows = (rows: readonly LeaderboardRow[], firstRank: number) => Promise<void>;

/** A row of a board without its document. `rank`: what rows are ordered by, ascending. */
export interface BoardRow {
  readonly key: string;
  readonly rank: number;
}

export interface ScannedDocument {
  readonly key: string;
  /** The document's JSON text. */
  readonly text: string;
}

/** A publish, promotion or rollback as its event tells of it, or the renewal of the data of `next`, which changes no definition. */
export interface PublishRow {
  readonly revision: number;
  readonly action: 'publish' | 'promote' | 'rollback' | 'renew';
  /** The layer that it changed. */
  readonly target: PublishTarget;
  readonly hash: string;
  /** Of all but publishes. */
  readonly generation: number | null;
  /** Of rollbacks: the revision that live shows again, −1 for none. */
  readonly restored: number | null;
  readonly changes: readonly DefinitionChange[];
  readonly actor: Actor;
  readonly cause: string;
  /** Unix ms. */
  readonly at: number;
}

export interface PublishPage {
  readonly revision: number;
  readonly publishes: readonly PublishRow[];
  /** `before` of the next page; `null` at the end. */
  readonly next: number | null;
}

/** A write that went over a rule whose action is `flag`. Times in unix ms. */
export interface FlagRow {
  readonly revision: number;
  readonly collection: string;
  readonly key: string;
  readonly rule: string;
  readonly window: string;
  /** Of the window. */
  readonly start: number;
  /** Whose limit it was; `*`: of all together. */
  readonly platformId: string;
  /** What the write asked for. */
  readonly amount: number;
  readonly limit: number;
  readonly at: number;
  readonly eventId: string;
}

export interface FlagFilter {
  readonly space: Space;
  /** `null`: of anybody. */
  readonly player: string | null;
  readonly before: number;
  readonly limit: number;
}

export interface FlagPage {
  readonly revision: number;
  readonly flags: readonly FlagRow[];
  /** `before` of the next page; `null` at the end. */
  readonly next: number | null;
}

/** What reads of views stand on; `documents` for what passes over them all. */
export type ViewTable = 'ledger' | 'records' | 'publishes' | 'flags' | 'leaderboards' | 'documents';

/** The views: what players and managers read, nothing exact is decided from them. */
export interface ViewReader {
  /** Resolves when all views of the project reflect `revision`, or after `timeoutMs`; answers whether they do. */
  caughtUp(projectId: string, revision: number, timeoutMs: number): Promise<boolean>;
  /**
   * Whether these tables have ever shown the project, and since this process began been where its log ended then. What has not would answer
   * as if there were nothing, or with a part.
   */
  hasShown(projectId: string, tables: ViewTable): Promise<boolean>;
  /** Oldest first. `after` is a cursor of an earlier page. */
  ledger(projectId: string, filter: LedgerFilter, page: { readonly limit: number; readonly after: string | null }): Promise<LedgerPage>;
  /** Newest first, below the revision `before`. */
  publishes(projectId: string, page: { readonly before: number; readonly limit: number }): Promise<PublishPage>;
  /** Newest first, below the revision `before`. */
  flags(projectId: string, filter: FlagFilter): Promise<FlagPage>;
  /** The revisions that changed a subject, newest first, below `before`; out of the index of subjects, which is a state table. */
  revisions(projectId: string, subject: SubjectKey, page: { readonly before: number; readonly limit: number }): Promise<readonly number[]>;
  /** Records of a global collection strictly older than `before`, newest first. */
  records(projectId: string, space: Space, collection: string, page: RecordAsked): Promise<RecordPage>;
  /**
   * Every live document of the collections, one collection after the other, each in order of its keys, all of one snapshot; `take` gets
   * the index of the collection with each page, of about a quarter of a megabyte, and is waited for. What it throws ends the scan.
   */
  scan(
    projectId: string,
    space: Space,
    collections: readonly string[],
    take: (collection: number, documents: readonly ScannedDocument[]) => Promise<void>,
  ): Promise<{ readonly revision: number }>;
  /** Live documents of one collection after a key (empty: from the first on), in order of their keys; at most `rows`, and about `bytes`. */
  documentsAfter(
    projectId: string,
    collection: string,
    after: string,
    page: { readonly rows: number; readonly bytes: number },
  ): Promise<readonly ScannedDocument[]>;
  /** Live documents of one collection; no more than `most` are counted. */
  documentCount(projectId: string, collection: string, most: number): Promise<number>;
  /** Fields that live ledgers of a collection tell of, as far as `most` of their entries say. */
  ledgerFields(projectId: string, collection: string, most: number): Promise<readonly string[]>;
  /** A page of a board. With `take` the rows go there, and none are answered; without it those are left out that come to too much. */
  leaderboard(
    projectId: string,
    space: Space,
    query: BoardQuery,
    page: { readonly order: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
    take?: TakeRows,
  ): Promise<LeaderboardPage>;
  /** What is being made of a project's boards and lists. */
  building(projectId: string): Promise<readonly Building[]>;
  /** Where one row stands, with up to `around` rows before and after it. Costs about the same on a board of any size. `take` as above. */
  standing(
    projectId: string,
    space: Space,
    query: BoardQuery,
    at: { readonly key: string; readonly around: number },
    take?: TakeRows,
  ): Promise<LeaderboardStanding>;
  /** All rows of a live board in their order, of one snapshot, a page at a time; `take` is waited for, and what it throws ends it. */
  board(projectId: string, query: BoardQuery, take: (rows: readonly BoardRow[]) => Promise<void>): Promise<{ readonly revision: number }>;
}

export type ProfileRow = Pick<PlayerProfile, 'playerName' | 'sessionCount' | 'sessionSeconds' | 'totalSeconds' | 'lastSeen'>;

/** What telemetry adds up to. `revision` is the place in the project's telemetry stream that it shows, −1 before the first event. */
export interface TelemetryReader {
  player(
    projectId: string,
    platformId: string,
  ): Promise<{ readonly revision: number; readonly stats: PlayerStats | null; readonly profile: ProfileRow | null }>;
  /** Presence of these players. */
  profiles(projectId: string, players: readonly string[]): Promise<ReadonlyMap<string, PlayerProfile>>;
}
