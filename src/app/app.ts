import type { Awaitable } from '../kernel/awaitable.ts';
import type { Caller, PresentedCredentials } from './caller.ts';
import type { Buttons } from './correction/buttons.ts';
import type { Corrections } from './correction/corrections.ts';
import type { Grants } from './correction/grants.ts';
import type { Economy } from './economy/economy.ts';
import type { Endpoints } from './endpoints/endpoints.ts';
import type { Commits } from './history/commits.ts';
import type { DefinitionHistory } from './history/definition-history.ts';
import type { Explain } from './history/explain.ts';
import type { FindNames } from './history/named.ts';
import type { PastReads } from './history/past-reads.ts';
import type { ShowPlayer } from './history/player.ts';
import type { SaveRecordHistory } from './history/save-record-history.ts';
import type { ShowTimeline } from './history/timeline.ts';
import type { Live } from './live/live.ts';
import type { Looks } from './looking/looks.ts';
import type { Approvals } from './management/approvals.ts';
import type { GamePackage } from './management/game-package.ts';
import type { History } from './management/history.ts';
import type { Manage } from './management/manage.ts';
import type { Manifest } from './management/manifest.ts';
import type { Purge } from './management/purge.ts';
import type { Schedules } from './management/schedules.ts';
import type { Settings } from './management/settings.ts';
import type { Tests } from './management/tests.ts';
import type { Guests } from './security/guests.ts';
import type { SecurityConfig } from './security/security-config.ts';
import type { Sessions } from './security/sessions.ts';
import type { Support } from './security/support.ts';
import type { DocumentLists } from './storage/document-list.ts';
import type { Documents } from './storage/documents.ts';
import type { Flags } from './storage/flags.ts';
import type { Pages } from './storage/pages.ts';
import type { Queries } from './storage/queries.ts';
import type { Records } from './storage/records.ts';
import type { SaveRecords } from './storage/save-records.ts';
import type { Values } from './storage/values.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

export type { Address, CollectionAddress, ManageAnswer, Positioned, ReadAnswer, RecordAddress } from './answers.ts';
export type { Caller, IdempotentRequest, PlayerProof, PresentedCredentials } from './caller.ts';
export type { EndpointAnswer, EndpointRequest } from './endpoints/endpoint-request.ts';
export type { AnswerOfPast } from './history/moments.ts';
export type { PastView } from './history/past-reads.ts';
export type { LiveEvent, Room } from './live/subscriber.ts';
export type { Shared } from './looking/looks.ts';
export type { ListingOf } from './management/listings.ts';
export type { IssuerSignIn } from './people/issuer-sign-in.ts';
export type { PeopleDesk } from './people/people-desk.ts';
export type { SignedIn, SignIn } from './people/sign-in.ts';
export {
  type CallCursor,
  type CallGroup,
  type CallGroups,
  type CallTable,
  type CallWindow,
  isOfFailures,
  type NewCall,
  type NewRow,
  type ReadTo,
  type RequestFilter,
  type ServedRequest,
  type StoredRequest,
} from './ports/call-table.ts';
export type { Piece, ProcessNow } from './ports/processes.ts';
export type { SessionRow } from './ports/sign-in-store.ts';
export type { GuestAnswer } from './security/guests.ts';
export type { SessionAnswer } from './security/sessions.ts';

/**
 * The use cases, as the transports see them. The interface of each group lies beside its implementation. Every method throws a `Refusal`
 * for what it will not do; anything else thrown is a fault. `create-app.ts` makes it.
 */
export interface App {
  /**
   * Resolves the key of a request. Throws 401 UNAUTHORIZED for a missing or unknown key and for an unknown or deleted project: one answer
   * for all, so nobody can probe for projects. Throws 403 or 401 for a disabled key (`disabledKey`), and 403 for a disabled project.
   */
  authenticate(projectId: string, presented: PresentedCredentials): Awaitable<Caller>;
  readonly securityConfig: SecurityConfig;
  readonly documents: Documents;
  readonly documentLists: DocumentLists;
  readonly past: PastReads;
  readonly saveRecordHistory: SaveRecordHistory;
  readonly definitionHistory: DefinitionHistory;
  readonly records: Records;
  readonly saveRecords: SaveRecords;
  readonly pages: Pages;
  readonly endpoints: Endpoints;
  readonly values: Values;
  readonly queries: Queries;
  readonly live: Live;
  readonly sessions: Sessions;
  readonly guests: Guests;
  readonly support: Support;
  readonly manage: Manage;
  readonly approvals: Approvals;
  readonly schedules: Schedules;
  readonly manifest: Manifest;
  readonly flags: Flags;
  readonly commits: Commits;
  readonly explain: Explain;
  readonly findNames: FindNames;
  readonly showPlayer: ShowPlayer;
  readonly showTimeline: ShowTimeline;
  readonly economy: Economy;
  readonly looks: Looks;
  readonly history: History;
  readonly tests: Tests;
  readonly purge: Purge;
  readonly corrections: Corrections;
  readonly buttons: Buttons;
  readonly grants: Grants;
  readonly gamePackage: GamePackage;
  readonly settings: Settings;
  readonly telemetry: Telemetry;
}
