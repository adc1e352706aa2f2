/**
 * The client library: games call a Savepoint server with it. It has no dependencies, and runs in browsers, workers, Node 20, Deno and Bun.
 * docs/client.md says how to use it.
 */

export type {
  GameValues,
  GlobalRecord,
  GlobalRecords,
  Ledger,
  Page,
  PlayerStats,
  Publishes,
  RateLimits,
  SaveRecords,
  SecurityConfig,
  ServerInfo,
} from '../contract/answers.ts';
export { type Analytics, analyticsOf, type PlaySession, type Report, type SessionOptions } from './analytics.ts';
export { type AnalyticsSwitches, analyticsSwitches } from './analytics-switches.ts';
export { type Client, createClient, type ValuesOf, type ValueTable } from './client.ts';
export { type Configuration, configurationOf, type ProjectMode } from './configuration.ts';
export { credentials } from './credentials.ts';
export type { DocumentAddress, Documents, LedgerOptions, ReadOptions, SaveOptions, Versioned } from './documents.ts';
export { type ClientCode, type ErrorCode, type ErrorFacts, type Result, SavepointError, type StepFailure, unwrap } from './errors.ts';
export type {
  AnswerOf,
  AnyGame,
  AnyJson,
  DocumentOf,
  EndpointTypes,
  GameTypes,
  InputOf,
  OperationOf,
  RefusalsOf,
} from './game.ts';
export { type GuestRequest, guestRelay, type HostAnswer, type RelayOptions } from './guest.ts';
export {
  type Account,
  forgetGuest,
  type GuestDevice,
  type GuestFacts,
  type GuestPlayer,
  type GuestProof,
  recoverGuest,
  signInGuest,
  tryForgetGuest,
  tryRecoverGuest,
  trySignInGuest,
} from './guest-player.ts';
export type { GuestOptions } from './guest-secret.ts';
export { answerGuest } from './host.ts';
export { newIdempotencyKey } from './ids.ts';
export { type Change, type FollowOptions, type Live, type OnValue, openLive, type Subscription } from './live.ts';
export { compareLobby, type Lobby, type LobbyMetadata, type LobbyOptions, type LobbyRevision, lobbyMetadata, readLobby } from './lobby.ts';
export {
  type GlobalCollection,
  globalRecords,
  type ListOptions,
  readPage,
  readRateLimits,
  readStats,
  tryReadPage,
  tryReadRateLimits,
  tryReadStats,
} from './more-routes.ts';
export { inc, merge, type Operation, pull, push, remove, set, setIfNull } from './operations.ts';
export type {
  CallOptions,
  ClientOptions,
  ClientType,
  Credentials,
  Fetch,
  FilteredReport,
  JsonCodec,
  LogEntry,
  Player,
  PublishTarget,
  ReportFilter,
  RequestOptions,
  WriteOptions,
} from './options.ts';
export type { AnyResult, Leaderboard, QueryOptions, Ranked } from './queries.ts';
export { openQueue, type Queue, type Queued, type QueuedWrite, type QueueOptions, type QueueState } from './queue.ts';
export type { OfPlayer, Records } from './records.ts';
export type { Relay } from './relay.ts';
export { type Revision, type RevisionSettings, revisionOf } from './revision.ts';
export { openRevisionPrompt, type PromptOptions, type PromptState, type RevisionPrompt } from './revision-prompt.ts';
export type { RevisionOutdated, RevisionPolicy, RevisionStatus } from './revision-status.ts';
export { type SaveState, type SaveStatus, saveState } from './save-state.ts';
export { createEncryptedRequestId, parseEncryptedRequestId } from './seal.ts';
export type { Security } from './security.ts';
export type { Session, Sessions } from './sessions.ts';
export { fileStorage, memoryStorage, type QueueStorage } from './storage.ts';
export { LIBRARY_VERSION, MIN_SERVER_VERSION } from './version.ts';
