import type { Json, JsonObject, PrintedObject } from '../kernel/json.ts';
import type { PackedText } from './document/packed-text.ts';

/**
 * Every event of a project's stream, with its data. A published shape is never changed, only succeeded: a new shape gets a higher
 * `schemaVersion` and an upcast at the log's boundary (`src/log/upcasts.ts`).
 */

/** Where data lives: `live`, or `next{generation}` for what staged tests wrote. */
export type Space = 'live' | `next${number}`;

/** Who caused a commit. */
export interface Actor {
  readonly kind: 'public' | 'secret' | 'operator';
  readonly keyId?: string;
  readonly player?: string;
  readonly endpoint?: string;
}

/** Metadata of every event of `project-…`. Times are unix milliseconds, and never run backwards within a stream. */
export interface EventMetadata {
  readonly commandId: string;
  /** The use case, such as `document.write`. */
  readonly cause: string;
  readonly actor: Actor;
  readonly schemaVersion: number;
  readonly recordedAt: number;
  /** How many events of the same commit follow this one; absent for the last. Who stops between them sees half a commit. */
  readonly left?: number;
}

export interface ProjectCreated {
  readonly projectId: string;
  readonly name: string;
}

export type ProjectDeleted = Readonly<Record<string, never>>;

export interface SettingsChanged {
  /** Top-level members laid over the settings. */
  readonly changes: JsonObject;
}

export type KeyKind = 'public' | 'secret';

/** Scope → letters of `rwx`, or `none`. `null`: everything. */
export type Permissions = Readonly<Record<string, string>> | null;

export interface KeyIssued {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly label: string;
  /** SHA-256 (hex) of the key. */
  readonly hash: string;
  /** The key itself for a public one, else a display form. */
  readonly display: string;
  readonly permissions: Permissions;
}

export interface KeyChanged {
  readonly keyId: string;
  readonly enabled?: boolean;
  readonly permissions?: Permissions;
}

export interface KeyRevoked {
  readonly keyId: string;
}

/** What an editor told of the game's package. */
export interface PackageSynced {
  /** Members laid over the package; a `currentRevisionId` among them starts the grace clock anew. */
  readonly changes: JsonObject;
}

/** A piece of a definition's text; a publish refers to the whole by its hash. Content addressed, so storing it twice is harmless. */
export interface SourceStored {
  /** SHA-256 (hex) of the whole text. */
  readonly hash: string;
  readonly part: number;
  readonly parts: number;
  readonly text: string;
}

export type DefinitionKind = 'collection' | 'endpoint' | 'workflow' | 'library' | 'query' | 'game-values' | 'rate-limit-rules' | 'tests';

/** The single documents (game values, rules, tests) use this id. */
export const SINGLE_ID = '*';

export type PublishTarget = 'live' | 'next';

/** One definition put (hash of its stored JSON text) or deleted (`hash` null). */
export interface DefinitionChange {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly hash: string | null;
}

export interface DefinitionsPublished {
  readonly target: PublishTarget;
  readonly changes: readonly DefinitionChange[];
  /** Content hash of the target's whole set after this publish. */
  readonly hash: string;
}

export interface DefinitionsPromoted {
  /** What live becomes; `next` is empty afterwards and a new generation starts. */
  readonly changes: readonly DefinitionChange[];
  readonly hash: string;
  readonly generation: number;
}

export interface DefinitionsRolledBack {
  /** What live becomes; `next` stays, and a new generation starts. */
  readonly changes: readonly DefinitionChange[];
  readonly hash: string;
  readonly generation: number;
  /** Revision of the publish or promotion that live shows again; −1: the time before any. */
  readonly to: number;
}

/** A new generation of the data of `next` begins, and the definitions stay as they are: the project came to share its data, or to stop it. */
export interface DefinitionsNextRenewed {
  readonly generation: number;
  /** Content hash of `next`. */
  readonly hash: string;
}

/** One entry of a player's ledger. Numbers keep their exact value. */
export interface LedgerEntry {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
  readonly delta: Json;
  readonly source: string;
  readonly reason?: string;
}

/** What one write did to one window of one rate-limit rule. */
export interface WindowChange {
  /** Identity of the counter: rule, collection, field, subject and window, without the start. */
  readonly counter: string;
  readonly rule: string;
  readonly window: string;
  /** Start of the window, unix ms. */
  readonly start: number;
  readonly before: number;
  readonly after: number;
  /** True when this write is the first of the window to go over a `flag` rule. */
  readonly flagged?: boolean;
}

/** What a rule with action `clamp` left of a growth: `asked` and `granted` are amounts, `granted` the smaller one. */
export interface Clamp {
  readonly rule: string;
  readonly field: string;
  readonly asked: number;
  /** What this rule left of it; the write got what the tightest of its field left. */
  readonly granted: number;
}

/** Operation as it was asked for. */
export interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: Json;
  readonly match?: Json;
  readonly source?: string;
  readonly reason?: string;
}

/** A member path and the value it has afterwards. Paths are dotted; see `kernel/path.ts`. */
export type Change = readonly [path: string, value: Json];

export interface DocumentWritten {
  readonly space: Space;
  readonly collection: string;
  readonly key: string;
  /** Number of accepted writes to this document, this one included; not reset by a delete. */
  readonly version: number;
  /** The whole document, when it was replaced or newly made. Exactly one of `document` and `changes` is there. */
  readonly document?: JsonObject | undefined;
  readonly changes?: readonly Change[] | undefined;
  readonly ops?: readonly Operation[] | undefined;
  readonly ledger?: readonly LedgerEntry[] | undefined;
  readonly windows?: readonly WindowChange[] | undefined;
  /** The rules that lowered what this write asked for. */
  readonly clamps?: readonly Clamp[] | undefined;
  /** Content hash of the collection's definition that this was decided under. */
  readonly definition: string;
  /** The live state this subject was forked from: only in the first event of a subject in a `next` space. */
  readonly fork?: Fork | undefined;
  /**
   * What the ledger had said of the document before this event (`document/told.ts`), where the events before it in its space do not
   * tell: of a fork, and of a document that an earlier release wrote last. `null`: this is such an event, and what it leaves is not known.
   */
  readonly told?: JsonObject | null | undefined;
  readonly unique?: UniqueChange | undefined;
}

/** Whose values of unique fields change with a document's write: hashes of field and value (`document/unique.ts`). */
export interface UniqueChange {
  readonly taken: readonly string[];
  readonly freed: readonly string[];
}

/** Values that documents held when their field came to be unique. */
export interface UniqueClaimed {
  readonly space: Space;
  readonly collection: string;
  readonly claims: readonly (readonly [hash: string, key: string])[];
}

export interface Fork {
  readonly document: JsonObject | null;
  readonly version: number;
}

export interface DocumentDeleted {
  readonly space: Space;
  readonly collection: string;
  readonly key: string;
  readonly version: number;
  readonly ledger?: readonly LedgerEntry[];
  readonly definition: string;
  readonly fork?: Fork;
  /** As in {@link DocumentWritten}. */
  readonly told?: JsonObject | null;
  readonly unique?: UniqueChange;
}

/** Of builds that kept the answers of appends alone; today an {@link AnswerKept} follows the record. */
export interface IdempotencyFact {
  readonly caller: string;
  readonly key: string;
  /** SHA-256 (hex) of the canonical body. */
  readonly bodyHash: string;
}

/** A record of a global collection. The stored document is `{_id, _timestamp, _writerId, …document}`. */
export interface RecordAppended {
  readonly space: Space;
  readonly collection: string;
  readonly recordId: string;
  /** Unix ms; equals `_timestamp`. */
  readonly timestamp: number;
  readonly writerId: string;
  readonly document: JsonObject;
  readonly ledger?: readonly LedgerEntry[];
  readonly windows?: readonly WindowChange[];
  readonly idempotency?: IdempotencyFact;
  readonly definition: string;
  /** `null`: what the ledger said is not known, since an earlier release wrote it. */
  readonly told?: null;
  readonly unique?: UniqueChange;
}

/** One save slot. Times in unix ms; `updatedAt` is the entry's own, whatever was saved in the slot since. */
export interface SaveRecord {
  readonly recordId: string;
  readonly recordName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A save slot of a player. Its data is the document `{player}_{recordId}`, which this does not make. */
export interface RecordCreated {
  readonly space: Space;
  readonly collection: string;
  readonly player: string;
  readonly recordId: string;
  readonly recordName: string;
  /** Content hash of the collection's definition that this was decided under. */
  readonly definition: string;
  /** The live list this one was forked from: only in the first event of a list in a `next` space. */
  readonly fork?: readonly SaveRecord[];
}

/** The same members: the record's name afterwards. */
export type RecordRenamed = RecordCreated;

export type RecordDeleted = Omit<RecordCreated, 'recordName'>;

/** A call of an endpoint whose definition limits how often it may be called. It counts whatever it came to. */
export interface CallCounted {
  readonly space: Space;
  /** Its id. */
  readonly endpoint: string;
  readonly windows: readonly WindowChange[];
}

/** A write went over a rule whose action is `flag`; it was stored all the same. */
export interface WriteFlagged {
  readonly space: Space;
  readonly collection: string;
  readonly key: string;
  readonly rule: string;
  readonly window: string;
  readonly start: number;
  readonly subject: string;
  readonly amount: number;
  readonly limit: number;
}

/** An auth session, the first of its family: what is refreshed from it bears its id. */
export interface SessionCreated {
  readonly sessionId: string;
  readonly player: string;
  /** SHA-256 (hex) of the token, which is stored nowhere. */
  readonly hash: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** A new session beside the one it was refreshed from. */
export interface SessionRefreshed {
  /** Id of the family's first session. */
  readonly family: string;
  readonly sessionId: string;
  readonly from: string;
  readonly hash: string;
  readonly expiresAt: number;
}

export interface SessionRevoked {
  readonly family: string;
  /** The one that was asked for, then every session refreshed from it. */
  readonly sessionIds: readonly string[];
}

/** Whom a sealed request is bound to. */
export type RequestIdentityType = 'session' | 'platform';

/** A request id was used; it counts once for its identity. */
export interface RequestConsumed {
  readonly identityType: RequestIdentityType;
  readonly identity: string;
  readonly requestId: string;
  /** Unix ms. After it the id is too old under every setting, and nothing has to be known of it. */
  readonly until: number;
}

/** Sessions and request ids that had expired before this moment (unix ms) are forgotten. */
export interface AccessSwept {
  readonly before: number;
}

/** A refusal as it is kept: what makes the same answer again. */
export interface KeptRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Of the request that was refused: its answer names it. */
  readonly requestId: string;
  /** Members of `RefusalExtra`. */
  readonly extra?: JsonObject;
}

/** What a request with an `Idempotency-Key` came to. In the commit of what it did, so that both are there or neither. */
export interface AnswerKept {
  readonly space: Space;
  /** Within what the key names one request: `@{key id}`, or the collection that was appended to. */
  readonly scope: string;
  /** The player, or who appended; empty for nobody. */
  readonly caller: string;
  /** As it was sent. */
  readonly key: string;
  /** SHA-256 (hex) of what was asked for. */
  readonly request: string;
  /** Unix ms. From then on nothing is known of the key. */
  readonly until: number;
  /** Exactly one of `answer` and `refused` is there. */
  readonly answer?: Json;
  readonly refused?: KeptRefusal;
}

/** Answers that were kept until some time before this moment (unix ms) are forgotten. */
export interface AnswersSwept {
  readonly before: number;
}

/** What a page shows. */
export type PageContent =
  | { readonly pageType: 'markdown'; readonly contentMd: string }
  | { readonly pageType: 'keyvalue'; readonly kvData: JsonObject };

/** A page as it is afterwards. */
export type PageSaved = PageContent & { readonly slug: string; readonly title: string; readonly statusLevel?: string };

export interface PageRemoved {
  readonly slug: string;
}

export interface EventData {
  'project.created': ProjectCreated;
  'project.deleted': ProjectDeleted;
  'settings.changed': SettingsChanged;
  'key.issued': KeyIssued;
  'key.changed': KeyChanged;
  'key.revoked': KeyRevoked;
  'package.synced': PackageSynced;
  'source.stored': SourceStored;
  'definitions.published': DefinitionsPublished;
  'definitions.promoted': DefinitionsPromoted;
  'definitions.rolledBack': DefinitionsRolledBack;
  'definitions.nextRenewed': DefinitionsNextRenewed;
  'document.written': DocumentWritten;
  'document.deleted': DocumentDeleted;
  'record.appended': RecordAppended;
  'record.created': RecordCreated;
  'record.renamed': RecordRenamed;
  'record.deleted': RecordDeleted;
  'write.flagged': WriteFlagged;
  'call.counted': CallCounted;
  'unique.claimed': UniqueClaimed;
  'session.created': SessionCreated;
  'session.refreshed': SessionRefreshed;
  'session.revoked': SessionRevoked;
  'request.consumed': RequestConsumed;
  'access.swept': AccessSwept;
  'answer.kept': AnswerKept;
  'answers.swept': AnswersSwept;
  'page.saved': PageSaved;
  'page.removed': PageRemoved;
}

export type EventType = keyof EventData;

/** Schema versions this build writes, and the highest it can read. */
export const SCHEMA_VERSIONS: Readonly<Record<EventType, number>> = {
  'project.created': 1,
  'project.deleted': 1,
  'settings.changed': 1,
  'key.issued': 1,
  'key.changed': 1,
  'key.revoked': 1,
  'package.synced': 1,
  'source.stored': 1,
  'definitions.published': 1,
  'definitions.promoted': 1,
  'definitions.rolledBack': 1,
  'definitions.nextRenewed': 1,
  'document.written': 2,
  'document.deleted': 2,
  'record.appended': 2,
  'record.created': 1,
  'record.renamed': 1,
  'record.deleted': 1,
  'write.flagged': 1,
  'call.counted': 1,
  'unique.claimed': 1,
  'session.created': 1,
  'session.refreshed': 1,
  'session.revoked': 1,
  'request.consumed': 1,
  'access.swept': 1,
  'answer.kept': 1,
  'answers.swept': 1,
  'page.saved': 1,
  'page.removed': 1,
};

/** An event as a decider makes it. */
export type DomainEvent = { [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType] & {
  /**
   * What a `document.written` makes of its document, where this process decided it: nobody here has to work it out or print it again.
   * Never stored. A sealed event of a document stored whole has the text alone, and no `document` in its data: fold it with
   * `evolveDocument`.
   */
  readonly after?: PrintedObject | PackedText;
  /** What the ledger has said of the document after this event, where this process decided it: JSON text of `Told`. Never stored. */
  readonly told?: string | undefined;
};

/** An event of a project's stream, decoded. */
export type ProjectEvent = DomainEvent & {
  readonly revision: number;
  readonly id: string;
  readonly metadata: EventMetadata;
  /** The chain's hash over this event and all before it. */
  readonly hash: string;
};

/**
 * An event at its place in a stream. Written out, because it runs twice for every event that is stored: spreading one event into
 * another took nearly a tenth of a write.
 */
export function placed(event: DomainEvent, revision: number, id: string, metadata: EventMetadata, hash: string): ProjectEvent {
  const { type, data, after, told } = event;
  // Type and data come from one event, which the compiler cannot follow through two variables.
  return { type, data, after, told, revision, id, metadata, hash } as ProjectEvent;
}
