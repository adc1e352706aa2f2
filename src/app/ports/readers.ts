import type { Space } from '../../domain/events.ts';
import type { SessionFamily } from '../../domain/states.ts';
import type { SubjectKey } from '../../domain/subjects.ts';
import type { ApprovalReader } from './approvals.ts';
import type { BoardReader } from './boards.ts';
import type { DocumentReader } from './documents.ts';
import type { EconomyReader } from './economy.ts';
import type { GrantReader } from './grants.ts';
import type { LedgerReader } from './ledger.ts';
import type { PublishReader } from './publishes.ts';

/**
 * What the use cases ask of the read models. Implemented in `projections/readers`, passed in by `src/compose`. Every answer carries the
 * revision of the project's log that it reflects, from the same database snapshot as the rows.
 */

export interface RecordRequest {
  readonly limit: number;
  readonly before: { readonly timestamp: number; readonly sequence: number | null } | null;
  /** The most bytes of a page's texts. One record is answered however large it is. */
  readonly bytes: number;
}

export interface RecordPage {
  readonly revision: number;
  /** Whether the tables list the collection, complete or not: they know a publish by which it is global. */
  readonly listed: boolean;
  /** While the list is being filled and cannot be shown, the part that is done (0 to below 1); else `null`. */
  readonly building: number | null;
  /** JSON texts as they are served, newest first. */
  readonly records: readonly string[];
  /** Place of the page's last record if more may follow, else `null`. `ambiguous`: the next record has the same timestamp. */
  readonly last: { readonly timestamp: number; readonly sequence: number; readonly ambiguous: boolean } | null;
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
export interface ViewReader extends LedgerReader, PublishReader, EconomyReader, DocumentReader, BoardReader, GrantReader, ApprovalReader {
  /** Waits until all views of the project reflect `revision`, or `timeoutMs` have passed. Answers whether they do. */
  caughtUp(projectId: string, revision: number, timeoutMs: number): Promise<boolean>;
  /**
   * Whether these tables have once reached the end that the project's log had when this process began. Tables that have not would answer as
   * if there were nothing, or with a part.
   */
  hasShown(projectId: string, tables: ViewTable): Promise<boolean>;
  /** Flagged writes below the revision `before`, newest first. */
  flags(projectId: string, filter: FlagFilter): Promise<FlagPage>;
  /** Revisions below `before` that changed a subject, newest first. They come from the index of subjects, which is a state table. */
  revisions(projectId: string, subject: SubjectKey, page: { readonly before: number; readonly limit: number }): Promise<readonly number[]>;
  /** The same above `after`, oldest first. */
  revisionsAfter(
    projectId: string,
    subject: SubjectKey,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly number[]>;
  /** Which of these commits, named by their last revisions, are undone, each with the revision of the event that says so. */
  undone(projectId: string, commits: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Records of a global collection strictly older than `before`, newest first. */
  records(projectId: string, space: Space, collection: string, page: RecordRequest): Promise<RecordPage>;
  /** Sessions of a player that are kept, the last to expire first. They come from a state table. */
  sessionsOf(
    projectId: string,
    player: string,
    page: { readonly before: SessionPlace | null; readonly limit: number },
  ): Promise<readonly SessionRow[]>;
}
