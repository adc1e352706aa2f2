import type { z } from 'zod';
import type { keptRefusal, requestIdentityType } from '../contract/events/access.ts';
import type {
  change,
  clamp,
  fork,
  ledgerEntry,
  operation,
  posting,
  saveRecord,
  space,
  uniqueChange,
  windowChange,
} from '../contract/events/document.ts';
import { EVENTS, type EventData, type EventType, versionsOf } from '../contract/events/index.ts';
import type { DEFINITION_KINDS, definitionChange, keyKind, pageContent, permissions, publishTarget } from '../contract/events/project.ts';
import type { PrintedObject } from '../kernel/json.ts';

/**
 * Every event of a project's stream, with its data, as `src/contract/events` describes it. A published shape never changes. A new shape
 * gets a higher `schemaVersion`, and an upcaster reads the old one (`src/log/upcasts.ts`).
 */

/** Where data lives: `live`, or `next{generation}` for what staged tests wrote. */
export type Space = z.output<typeof space>;

/** Who caused a commit. */
export interface Actor {
  readonly kind: 'public' | 'secret' | 'operator' | 'person';
  readonly keyId?: string;
  /** Id of the person, of kind `person`. */
  readonly person?: string;
  readonly player?: string;
  readonly endpoint?: string;
}

/** Metadata of every event of `project-…`. Times are unix milliseconds, and never go back within a stream. */
export interface EventMetadata {
  readonly commandId: string;
  /** Of a commit's first event: the id that the caller gave the request. Left out where the command id is the request's. */
  readonly requestId?: string;
  /** The use case, such as `document.write`. */
  readonly cause: string;
  readonly actor: Actor;
  readonly schemaVersion: number;
  readonly recordedAt: number;
  /** How many events of the same commit follow this one; left out for the last. A reader that stops before the last sees half a commit. */
  readonly left?: number;
}

export type { EventType } from '../contract/events/index.ts';

/** Data of a type of event. */
type Data<T extends EventType> = EventData[T];

export type KeyKind = z.output<typeof keyKind>;
/** Scope → letters of `rwx`, or `none`. `null`: everything. */
export type Permissions = z.output<typeof permissions>;
export type DefinitionKind = (typeof DEFINITION_KINDS)[number];
export type PublishTarget = z.output<typeof publishTarget>;
export type DefinitionChange = z.output<typeof definitionChange>;
export type LedgerEntry = z.output<typeof ledgerEntry>;
export type Posting = z.output<typeof posting>;
export type WindowChange = z.output<typeof windowChange>;
export type Clamp = z.output<typeof clamp>;
export type Operation = z.output<typeof operation>;
export type Change = z.output<typeof change>;
export type Fork = z.output<typeof fork>;
export type UniqueChange = z.output<typeof uniqueChange>;
export type SaveRecord = z.output<typeof saveRecord>;
export type RequestIdentityType = z.output<typeof requestIdentityType>;
export type KeptRefusal = z.output<typeof keptRefusal>;
export type PageContent = z.output<typeof pageContent>;

export type KeyIssued = Data<'key.issued'>;
export type KeyChanged = Data<'key.changed'>;
export type SourceStored = Data<'source.stored'>;
export type DocumentWritten = Data<'document.written'>;
export type DocumentDeleted = Data<'document.deleted'>;
export type RecordAppended = Data<'record.appended'>;
export type RecordCreated = Data<'record.created'>;
export type UniqueClaimed = Data<'unique.claimed'>;
export type RequestConsumed = Data<'request.consumed'>;
export type AccessSwept = Data<'access.swept'>;
export type AnswerKept = Data<'answer.kept'>;
export type PageSaved = Data<'page.saved'>;
export type AlarmRaised = Data<'alarm.raised'>;

/** The id of definitions of which a project has only one (game values, rules, tests). */
export const SINGLE_ID = '*';

/** Schema versions that this build writes, and the highest it can read. */
export const SCHEMA_VERSIONS: Readonly<Record<EventType, number>> = versionsOf(EVENTS);

/**
 * How much of a document was stored in parts since an event carried the whole. A past state is folded from the last whole on, so parts have
 * bounds, in number and in bytes.
 */
export interface Parts {
  readonly events: number;
  /** About the bytes of their changes. */
  readonly bytes: number;
}

/** An event as a decider makes it. */
export type DomainEvent = { [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType] & {
  /**
   * The document after a `document.written` that this process decided, so this process need not compute or print it again. It is never
   * stored: only `data` is.
   */
  readonly after?: PrintedObject;
  /** Of a `document.written` that this process decided: see `DocumentState.parts`. Never stored. */
  readonly parts?: Parts | undefined;
  /** What the ledger says of an event of a document that this process decided. It is stored in the commit's `ledger.posted`. */
  readonly ledger?: LedgerChange | undefined;
  /** Of a `ledger.posted` that this process made, the balances after each posting: JSON texts of `LedgerBalances`. Never stored. */
  readonly balances?: readonly (string | undefined)[] | undefined;
};

/** The entries that an event makes, and the balances of its document after them: JSON text of `LedgerBalances`; `undefined`: none. */
export interface LedgerChange {
  readonly entries: readonly LedgerEntry[];
  readonly balances: string | undefined;
}

/** An event of a project's stream, decoded. */
export type ProjectEvent = DomainEvent & {
  readonly revision: number;
  readonly id: string;
  readonly metadata: EventMetadata;
  /** The chain's hash over this event and all before it. */
  readonly hash: string;
};

/**
 * An event with its revision, id, metadata and hash. The function runs twice for every stored event. Members are copied one by one, because
 * an object spread took nearly a tenth of the time of a write.
 */
export function projectEvent(event: DomainEvent, revision: number, id: string, metadata: EventMetadata, hash: string): ProjectEvent {
  const { type, data, after, parts, balances } = event;
  // Type and data come from one event, which the compiler cannot follow through two variables.
  return { type, data, after, parts, balances, revision, id, metadata, hash } as ProjectEvent;
}
