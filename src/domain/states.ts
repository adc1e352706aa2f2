import type { z } from 'zod';
import type { grantOutcome, grantPhase } from '../contract/events/document.ts';
import type { RELEASE_ACTIONS } from '../contract/events/release.ts';
import type { POLICIES } from '../contract/policies.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { Actor, DefinitionKind, KeptRefusal, KeyKind, Operation, PageSaved, Parts, Permissions, SaveRecord } from './events.ts';

/**
 * The states that decisions read, one type per kind of subject. All are immutable; `evolve` makes the next one. `null`: no event has ever
 * changed the subject.
 */

/** A document or a global record. A deleted one keeps its version; in a `next` space it hides the live one. */
export interface DocumentState {
  /** `null`: deleted. */
  readonly document: JsonObject | null;
  readonly version: number;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** JSON text of the document as stored, if it exists already. */
  readonly text?: string | undefined;
  /** Its ledger balances, as JSON text of `LedgerBalances` (`document/balances.ts`); left out: none. */
  readonly balances?: string | undefined;
  /** What was stored in parts since an event carried the whole document; left out: nothing. */
  readonly parts?: Parts | undefined;
}

/** The counter of one window of a rate-limit rule. A later window starts from 0; `start` says which window this is. */
export interface WindowState {
  readonly start: number;
  readonly used: number;
  readonly flagged: boolean;
}

/** The kept answer or refusal of a request. */
export type KeptOutcome = { readonly answer: Json } | { readonly refused: KeptRefusal };

/** The outcome of a request with an `Idempotency-Key`. */
export interface KeptAnswer {
  /** SHA-256 (hex) of what was asked for. */
  readonly request: string;
  /** Unix ms from which the key is unknown again. */
  readonly until: number;
  readonly outcome: KeptOutcome;
}

/** A value of a unique field that a document holds. */
interface UniqueState {
  /** Key of the document. */
  readonly holder: string;
}

/** Whether what a commit did is undone. A commit whose undoing was undone itself is not. */
interface UndoneState {
  readonly undone: boolean;
}

/** An alarm of the economy that was raised for a window. */
interface AlarmState {
  readonly amount: number;
}

export type GrantPhase = z.output<typeof grantPhase>;

/** Why somebody asked for something. */
export interface Told {
  readonly reason: string;
  readonly ticket?: string;
}

/** What support gives to many players. */
export interface GrantState extends Told {
  readonly collection: string;
  readonly ops: readonly Operation[];
  /** How many its list has. */
  readonly players: number;
  readonly phase: GrantPhase;
  /** Who began it, in whose name its commits are made. */
  readonly actor: Actor;
  /** Unix ms. */
  readonly begunAt: number;
  /** Why it is undone, and by which policy. */
  readonly undo?: Told & { readonly policy: (typeof POLICIES)[number] };
}

/** What a grant did for one player; it is not there before. */
export interface GrantPlayerState {
  readonly is: z.output<typeof grantOutcome>;
}

/** A player's save records in one collection, oldest first. In a `next` space an emptied list hides the live one. */
export interface RecordListState {
  readonly records: readonly SaveRecord[];
}

/** An existing page. Times in unix ms. */
export interface PageState {
  readonly page: PageSaved;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ApiKey {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly label: string;
  readonly hash: string;
  readonly display: string;
  readonly enabled: boolean;
  readonly permissions: Permissions;
  readonly createdAt: number;
}

/** What a request is judged by: a key of the project, or the role of a person in it, whose id and name stand in place of a key's. */
export type AccessKey = Omit<ApiKey, 'kind'> & { readonly kind: KeyKind | 'person' };

/** The game's package as its editor sent it. Times in unix ms. */
export interface GamePackage {
  /** Members as sent. `currentRevisionId` and `latestRevisionId` are numbers if present. */
  readonly members: JsonObject;
  /** Since when the current revision is current. */
  readonly publishedAt: number;
  readonly syncedAt: number;
}

/** Project, settings, keys and game package. */
export interface AuthorityState {
  readonly projectId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly deleted: boolean;
  readonly settings: JsonObject;
  /** By key id, in order of issue. */
  readonly keys: ReadonlyMap<string, ApiKey>;
  readonly gamePackage: GamePackage | null;
}

export interface DefinitionItem {
  readonly kind: DefinitionKind;
  readonly id: string;
  /** SHA-256 (hex) of `text`. */
  readonly hash: string;
  /** Its stored JSON text. */
  readonly text: string;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Definitions by kind and id, in order of creation. */
export type Layer = Readonly<Record<DefinitionKind, ReadonlyMap<string, DefinitionItem>>>;

export interface DefinitionsState {
  readonly live: Layer;
  /** Staged definitions, over `live`. */
  readonly next: Layer;
  /** The present space of `next` data is `next{generation}`. */
  readonly generation: number;
  readonly liveHash: string;
  readonly nextHash: string;
  /** Texts by hash: all that the layers refer to, and stored ones without a reference yet. */
  readonly sources: ReadonlyMap<string, string>;
  /** Parts of texts that are not complete yet. */
  readonly partial: ReadonlyMap<string, readonly (string | undefined)[]>;
}

export type ReleaseAction = (typeof RELEASE_ACTIONS)[number];

/** Something that somebody did to what is to go live. */
export interface ReleaseStep {
  /** Without player and endpoint. */
  readonly by: Actor;
  /** Unix ms. */
  readonly at: number;
}

/** How an approval ended. `used`: what it was given for is live. `void`: that, or live, was changed. `bypassed`: nobody gave it. */
type ApprovalPhase = 'asked' | 'approved' | 'declined' | 'withdrawn' | 'void' | 'used' | 'bypassed';

/** A difference to live for which somebody asked for a second person. */
export interface ApprovalState {
  readonly id: string;
  readonly action: ReleaseAction;
  /** Of a rollback: the revision of the publish that live is to show again. */
  readonly to: number | null;
  readonly difference: string;
  readonly base: string;
  readonly phase: ApprovalPhase;
  readonly asked: ReleaseStep;
  /** Who approved or declined it. */
  readonly decided: ReleaseStep | null;
  /** What ended it otherwise: the publish that used or voided it, or who withdrew it. */
  readonly ended: (ReleaseStep & { readonly why: 'staged' | 'discarded' | 'live' | 'used' | 'withdrawn' }) | null;
}

/** How a scheduled promotion stands. `void`: what was staged then, or live, was changed. `missed`: it did not go live in time. */
type SchedulePhase = 'waiting' | 'withdrawn' | 'void' | 'used' | 'missed';

/** A promotion at a chosen time, of exactly what was staged when it was scheduled. */
export interface ScheduledPromotion {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly difference: string;
  readonly base: string;
  /** Why, and for which ticket, which the publish tells. */
  readonly message?: string;
  readonly ticket?: string;
  readonly phase: SchedulePhase;
  /** Who scheduled it, in whose name it is promoted. */
  readonly scheduled: ReleaseStep;
  readonly ended: ScheduleEnd | null;
}

interface ScheduleEnd extends ReleaseStep {
  readonly why: 'staged' | 'discarded' | 'live' | 'used' | 'withdrawn' | 'missed';
  /** Of one that was missed: the code of the refusal. */
  readonly code?: string;
  readonly reason?: string;
  readonly ticket?: string;
  /** Of one that is live: collections of which it was not looked whether documents fit personal fields. */
  readonly unseen?: readonly string[];
}

/** What stands between `next` and live: who staged what, and what a second person was asked about. */
export interface ReleaseState {
  /** By `kind/id` of what is staged: everybody who staged it since it was equal to live, each with the last time. */
  readonly stagedBy: Readonly<Record<string, readonly ReleaseStep[]>>;
  /** The newest of each action. */
  readonly approvals: Readonly<Record<ReleaseAction, ApprovalState | null>>;
  /** The last time that an owner went past it. */
  readonly bypass: ApprovalState | null;
  /** The newest promotion at a chosen time; left out: none was ever scheduled. */
  readonly schedule?: ScheduledPromotion;
}

/** One auth session. Times are unix ms. */
export interface AuthSession {
  readonly sessionId: string;
  /** SHA-256 (hex) of its token. */
  readonly hash: string;
  /** Id of the session that it was refreshed from; `null` for the first. */
  readonly from: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** A session and those refreshed from it, so that revoking one reaches its descendants. */
export interface SessionFamily {
  readonly player: string;
  /** Id of the guest's device that opened the session. If the device is revoked, the sessions end. */
  readonly device?: string;
  /** By session id, in order of issue, without those that had expired at the family's last event. */
  readonly sessions: ReadonlyMap<string, AuthSession>;
}

/** A device of a guest. */
export interface GuestDevice {
  /** SHA-256 (hex) of its secret. */
  readonly hash: string;
  /** Unix ms. */
  readonly joinedAt: number;
}

/** A guest: a player without an account, proven by its devices. */
export interface GuestState {
  /** In the order in which they came. */
  readonly devices: readonly GuestDevice[];
  /** SHA-256 (hex) of the recovery code, which may add one device; `null`: there is none. */
  readonly recovery: string | null;
  /** Hash of the secret of the device that asked for the code. Left out: there is none, or it is not known. */
  readonly recoveryOf?: string;
  /** The linked account, which may add devices; `null`: none is linked. */
  readonly account: string | null;
}

/** The guest that a recovery code or an account leads to. */
export interface GuestName {
  readonly guest: string;
}

/** A request id that was used. */
export interface UsedRequest {
  /** Unix ms. */
  readonly until: number;
}

/** The state of each kind of subject. */
export interface StateOf {
  readonly authority: AuthorityState;
  readonly definitions: DefinitionsState;
  readonly release: ReleaseState;
  readonly document: DocumentState;
  readonly window: WindowState;
  readonly unique: UniqueState;
  readonly idempotency: KeptAnswer;
  readonly records: RecordListState;
  readonly page: PageState;
  readonly session: SessionFamily;
  readonly guest: GuestState;
  readonly 'guest-name': GuestName;
  readonly request: UsedRequest;
  readonly undone: UndoneState;
  readonly alarm: AlarmState;
  readonly grant: GrantState;
  readonly 'grant-player': GrantPlayerState;
}

export type SubjectKind = keyof StateOf;
export type SubjectState = StateOf[SubjectKind];
