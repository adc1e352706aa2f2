import type { PublishDifference } from '../../domain/definition/release/publish-difference.ts';
import type { Actor, DefinitionChange, PublishTarget, Space } from '../../domain/events.ts';
import type { ApprovalState, SessionFamily, SubjectState } from '../../domain/states.ts';
import type { Subject, SubjectKey } from '../../domain/subjects.ts';
import type { ListedEvent } from '../../domain/telemetry/listing.ts';
import type { PlayerProfile, PlayerStats } from '../../domain/telemetry/player.ts';
import type { Json } from '../../kernel/json.ts';
import type { ApprovalReader } from './approvals.ts';
import type {
  AlarmPage,
  EconomyDayRow,
  EconomyDays,
  EconomyEntries,
  EconomyEntryPage,
  EconomyFlowRow,
  EconomyFlows,
  EconomyHourQuery,
  EconomyHourRow,
  EconomyMovers,
  EconomyPage,
  EconomyPlayerRow,
  EconomySupplyQuery,
  EconomySupplyRow,
} from './economy.ts';
import type { GrantReader } from './grants.ts';
import type { LedgerRow } from './ledger.ts';

/**
 * What the use cases ask of the read models. Implemented in `projections/readers`, passed in by `src/compose`. Every answer carries the revision
 * of the project's log that it reflects, from the same database snapshot as the rows.
 */

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
 * Number of documents in some rows and the UTF-8 bytes of their texts, as of `revision`. `last`: the last of these rows, `null` at the end of
 * the table.
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
   * The states of `subjects`, in their order; `null` for a subject without a row. `revision` is the lowest checkpoint of the tables read, from
   * the same snapshot (−1 before the first event). Nobody asks for collection subjects.
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

export interface RecordRequest {
  readonly limit: number;
  readonly before: { readonly timestamp: number; readonly sequence: number | null } | null;
  /** The most bytes of a page's texts. One record is answered however large it is. */
  readonly bytes: number;
}

export interface RecordPage {
  readonly revision: number;
  /** While the list is being filled and cannot be shown, the part that is done (0 to below 1); else `null`. */
  readonly building: number | null;
  /** JSON texts as they are served, newest first. */
  readonly records: readonly string[];
  /** Timestamp and sequence of the page's last record if more may follow, else `null`. `ambiguous`: the next record has the same timestamp. */
  readonly last: { readonly timestamp: number; readonly sequence: number; readonly ambiguous: boolean } | null;
}

export interface LeaderboardRow {
  readonly key: string;
  readonly value: number;
  /** The document's JSON text. */
  readonly document: string;
}

/** A query's definition, live or next, which identifies its board. */
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
  /** While the board is being filled and cannot be shown, the part that is done (0 to below 1); else `null`. */
  readonly building: number | null;
  /** Rows were left out, because their documents are too large for one answer. Ask for them in pages. */
  readonly isPartial: boolean;
}

/** A fill that is under way after a publish. */
export interface Building {
  readonly project: string;
  readonly kind: 'query' | 'collection';
  /** The queries that wait for a board, or the collection whose list it is. */
  readonly ids: readonly string[];
  readonly fraction: number;
}

export interface LeaderboardNeighbours extends LeaderboardPage {
  /** `null`: the key has no row. */
  readonly rank: number | null;
  /** The key's row and those around it, in the board's order. */
  readonly rows: readonly LeaderboardRow[];
}

/** Takes rows page by page, each of about a quarter of a megabyte, in the board's order. It is awaited, and what it throws ends the read. */
export type TakeRows = (rows: readonly LeaderboardRow[], firstRank: number) => Promise<void>;

/** A row of a board without its document. Rows are ordered by `rank`, ascending, then by `reached`, then by key. */
export interface BoardRow {
  readonly key: string;
  readonly rank: number;
  /** The revision at which the row reached its value. */
  readonly reached: number;
}

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

/** Where a walk through an index stands: a key; a time and what decides between equal ones; or a rank, the revision that reached it and a key. */
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

/** A publish, promotion or rollback as its event describes it; or a new generation of the data of `next`, which changes no definition. */
export interface PublishRow {
  readonly revision: number;
  readonly action: 'publish' | 'promote' | 'rollback' | 'renew';
  /** The target that it changed. */
  readonly target: PublishTarget;
  readonly hash: string;
  /** `null` for a publish. */
  readonly generation: number | null;
  /** For a rollback: the revision that live shows again, −1 for none. */
  readonly restored: number | null;
  readonly changes: readonly DefinitionChange[];
  /** One for each change; `null`: none are kept. */
  readonly differences: readonly PublishDifference[] | null;
  readonly actor: Actor;
  /** Of the key that did it, also of one that was revoked; `null`: no key did. */
  readonly label: string | null;
  readonly cause: string;
  /** Why; `null`: nobody said. */
  readonly message: string | null;
  /** What a second person agreed to, or what an owner went past; `null`: the project asked for nobody. */
  readonly approval: ApprovalState | null;
  /** Unix ms. */
  readonly at: number;
}

export interface PublishPage {
  readonly revision: number;
  readonly publishes: readonly PublishRow[];
  /** `before` of the next page; `null` at the end. */
  readonly next: number | null;
}

/** A write that exceeded a rule whose action is `flag`. Times in unix ms. */
export interface FlagRow {
  readonly revision: number;
  readonly collection: string;
  readonly key: string;
  readonly rule: string;
  readonly window: string;
  /** Start of the window. */
  readonly start: number;
  /** Whose limit it was; `*`: the limit of all players together. */
  readonly platformId: string;
  /** The amount that the write asked for. */
  readonly amount: number;
  readonly limit: number;
  readonly at: number;
  readonly eventId: string;
}

export interface FlagFilter {
  readonly space: Space;
  /** `null`: of any player. */
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

export interface OwnedAddress {
  readonly collection: string;
  readonly key: string;
}

/** Where a session stands in the order of a player's sessions. */
export interface SessionPlace {
  /** Unix ms. */
  readonly expiresAt: number;
  readonly family: string;
}

/** A session, with all that were refreshed from it. */
export interface SessionRow extends SessionPlace {
  readonly state: SessionFamily;
}

/** The tables that a read of views needs; `documents` for a scan. */
export type ViewTable = 'ledger' | 'records' | 'publishes' | 'flags' | 'economy' | 'leaderboards' | 'documents';

/** The views, which players and managers read. No decision depends on them. */
export interface ViewReader extends GrantReader, ApprovalReader {
  /** Waits until all views of the project reflect `revision`, or `timeoutMs` have passed. Answers whether they do. */
  caughtUp(projectId: string, revision: number, timeoutMs: number): Promise<boolean>;
  /**
   * Whether these tables have once reached the end that the project's log had when this process began. Tables that have not would answer as if
   * there were nothing, or with a part.
   */
  hasShown(projectId: string, tables: ViewTable): Promise<boolean>;
  /** A page of ledger entries, in the order that it asks for. */
  ledger(projectId: string, filter: LedgerFilter, page: LedgerRequest): Promise<LedgerPage>;
  /** Publishes below the revision `before`, newest first. */
  publishes(projectId: string, page: { readonly before: number; readonly limit: number }): Promise<PublishPage>;
  /** Flagged writes below the revision `before`, newest first. */
  flags(projectId: string, filter: FlagFilter): Promise<FlagPage>;
  /** Days of currencies, the newest first. */
  economyDays(projectId: string, query: EconomyDays): Promise<EconomyPage<EconomyDayRow>>;
  economyFlows(projectId: string, query: EconomyFlows): Promise<EconomyPage<EconomyFlowRow>>;
  /** Players by what they moved, the largest first. */
  economyMovers(projectId: string, query: EconomyMovers): Promise<EconomyPage<EconomyPlayerRow>>;
  /** Entries of ledgers of all players, the newest first. */
  economyEntries(projectId: string, query: EconomyEntries): Promise<EconomyEntryPage>;
  /** The player for whom most of a currency came in within an hour, if it is more than `over`; of live. */
  economyHour(projectId: string, query: EconomyHourQuery): Promise<EconomyPage<EconomyHourRow>>;
  /** Raised alarms below the revision `before`, newest first. */
  alarms(projectId: string, page: { readonly before: number; readonly limit: number }): Promise<AlarmPage>;
  /** A currency as it is now: one row. */
  economySupply(projectId: string, query: EconomySupplyQuery): Promise<EconomyPage<EconomySupplyRow>>;
  /** Revisions below `before` that changed a subject, newest first. They come from the index of subjects, which is a state table. */
  revisions(projectId: string, subject: SubjectKey, page: { readonly before: number; readonly limit: number }): Promise<readonly number[]>;
  /** The same above `after`, oldest first. */
  revisionsAfter(
    projectId: string,
    subject: SubjectKey,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly number[]>;
  /** Records of a global collection strictly older than `before`, newest first. */
  records(projectId: string, space: Space, collection: string, page: RecordRequest): Promise<RecordPage>;
  /** A page of documents in the order of an index, however many there are. */
  walkDocuments(projectId: string, walk: DocumentWalk): Promise<WalkedPage>;
  /** Rows of a collection in the order of their keys, with those of deleted documents. */
  documentRows(projectId: string, space: Space, collection: string, page: DocumentRowsRequest): Promise<readonly DocumentRow[]>;
  /**
   * Reads every live document of the sources from one snapshot, one source after the other, in order of the keys. `take` gets pages of about a
   * quarter of a megabyte with the source's index. It is awaited, and what it throws ends the scan.
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
  /** Sessions of a player that are kept, the last to expire first. They come from a state table. */
  sessionsOf(
    projectId: string,
    player: string,
    page: { readonly before: SessionPlace | null; readonly limit: number },
  ): Promise<readonly SessionRow[]>;
  /** Number of live documents of one collection, counted up to `most`. */
  documentCount(projectId: string, collection: string, most: number): Promise<number>;
  /** Number of documents that a `next` space has of its own, counted up to `most`. */
  stagedDocumentCount(projectId: string, space: Space, most: number): Promise<number>;
  /** Fields with entries in a collection's live ledgers. Only `most` of its entries are searched. */
  ledgerFields(projectId: string, collection: string, most: number): Promise<readonly string[]>;
  /**
   * A page of a board. With `take` the rows go there and none are answered. Without it, rows that would make the answer too large are left out.
   */
  leaderboard(
    projectId: string,
    space: Space,
    query: BoardQuery,
    page: { readonly order: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
    take?: TakeRows,
  ): Promise<LeaderboardPage>;
  /** The fills under way for a project's boards and lists. */
  building(projectId: string): Promise<readonly Building[]>;
  /** Rank of one row, with up to `around` rows before and after it. Costs about the same on a board of any size. `take` as above. */
  neighbours(
    projectId: string,
    space: Space,
    query: BoardQuery,
    at: { readonly key: string; readonly around: number },
    take?: TakeRows,
  ): Promise<LeaderboardNeighbours>;
  /** All rows of a live board in order, from one snapshot, in pages. `take` is awaited, and what it throws ends the read. */
  board(projectId: string, query: BoardQuery, take: (rows: readonly BoardRow[]) => Promise<void>): Promise<{ readonly revision: number }>;
}

/** What telemetry adds up to. `revision`: that of the project's telemetry stream which is shown, −1 before the first event. */
export interface TelemetryReader {
  player(
    projectId: string,
    platformId: string,
  ): Promise<{ readonly revision: number; readonly stats: PlayerStats | null; readonly profile: PlayerProfile | null }>;
  /** Presence of these players. */
  profiles(projectId: string, players: readonly string[]): Promise<ReadonlyMap<string, PlayerProfile>>;
  /** Players of live whose name begins so, whatever the letter case, in the order of their names. */
  named(projectId: string, beginning: string, limit: number): Promise<readonly NamedPlayer[]>;
  /** What was reported of a player before a place and not before a time, newest first. */
  reports(projectId: string, platformId: string, page: ReportPage): Promise<readonly ReportRow[]>;
}

/** Reports are in the order of their times, and of one time in that of the stream. */
export interface ReportPlace {
  /** Unix ms. */
  readonly at: number;
  readonly revision: number;
}

interface ReportPage {
  readonly before: ReportPlace;
  /** Unix ms. */
  readonly from: number;
  readonly limit: number;
}

/** A listed event of telemetry. `revision`: of the project's telemetry stream. */
export interface ReportRow extends Omit<ListedEvent, 'category'> {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
}

interface NamedPlayer {
  readonly platformId: string;
  readonly name: string;
  /** Unix ms. */
  readonly lastSeen: number;
  /** `null`: offline. */
  readonly onlineUntil: number | null;
}
