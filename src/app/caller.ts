import type { Need } from '../contract/credentials.ts';
import type { Credential } from '../domain/access/credential.ts';
import type { Permissions } from '../domain/events.ts';
import type { ClientFacts } from '../domain/revision/status.ts';
import type { SessionToken } from '../domain/session/token.ts';
import type { AccessKey } from '../domain/states.ts';
import type { Json } from '../kernel/json.ts';
import type { RequestIds } from './request-ids.ts';

/** What a request presented, and the caller that it was resolved to. */

/** Credentials, claims and what the game says of itself, as the transport found them. Nothing in them is trusted. */
export interface PresentedCredentials extends ClientFacts {
  /** The key: from the first place that has one, in the order of the family of routes. */
  readonly key: string | null;
  /**
   * The person who asks, instead of a key: whoever is signed in to the console. It is asked for anew whenever an open stream is judged
   * again, and throws 401 SIGNED_OUT. `null` or left out: a key asks.
   */
  readonly person?: (() => Promise<Person>) | null;
  /** True on management routes: anything but a valid, enabled secret key gets 401. */
  readonly management: boolean;
  /** On queries: a secret key sent beside a public one. */
  readonly extraSecret: string | null;
  /** The refusal of a disabled key on this family of routes. */
  readonly disabledKey: 'KEY_DISABLED' | 'UNAUTHORIZED';
  /** The refusal of a disabled project on this family of routes. */
  readonly disabledProject: 'PROJECT_DISABLED' | 'DISABLED';
  /** The permission that a secret key needs. Without it 403 FORBIDDEN, checked after the key and before the state of the project. */
  readonly needs?: Need | null;
  /** The first claimed player id, or `null`. */
  readonly platformId: string | null;
  readonly onBehalfOf: string | null;
  /** Left out: the request has nothing that could prove a player. */
  readonly proof?: PlayerProof;
  /** The caller's watermark from `x-ns-position`: reads reflect at least this revision. */
  readonly position: number | null;
  /** The revision of the log that a change of a manager is made on, from `x-ns-base`. `null` or left out: none is named. */
  readonly base?: number | null;
  /** Why a manager publishes, from `?message=`. `null` or left out: it is not said. */
  readonly message?: string | null;
  /** Of the support desk, from `?ticket=`; the same. */
  readonly ticket?: string | null;
  /** The idempotency key. `null` or left out: the request has none. */
  readonly keyed?: IdempotentRequest | null;
  /** Left out: the commits of the request name none. */
  readonly request?: PresentedRequest;
}

/** A person of the installation who is signed in. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** What the person's role in a project permits; `undefined`: none there. */
  permissionsIn(projectId: string): Permissions | undefined;
}

/** The ids of a request. */
interface PresentedRequest {
  /** As its answer names it: the caller's own, or one that this node made. */
  readonly requestId: string;
  /** The one that this node made, unique and of characters that JSON need not escape; `null`: none. */
  readonly madeId: string | null;
}

/** The idempotency key of a request. Nothing in it is trusted. */
export interface IdempotentRequest {
  /** The text of the `Idempotency-Key` header. */
  readonly key: string;
  readonly requestId: string;
  /** SHA-256 (hex) of method, path, target and body. `body` replaces the body of the request. */
  request(body?: Json): string;
}

/** What a request sent to prove who plays. Nothing in it is trusted, and it is looked up only when asked for. */
export interface PlayerProof {
  /** Every claimed player id, in the order of precedence. */
  readonly claims: readonly string[];
  /** Token of the player's platform, or of the studio's own login. */
  readonly token: string | null;
  readonly sessionToken: string | null;
  /** Token of the player on whose behalf a host asks. */
  readonly onBehalfOfToken: string | null;
  readonly proxySignature: string | null;
  /** The client's address; `null`: this machine, which is not counted. */
  readonly address: string | null;
}

/** The device that proved a guest. */
export interface DeviceProof {
  readonly guest: string;
  /** Its id. */
  readonly device: string;
}

/** The device whose pass a host showed. */
export interface PassProof extends DeviceProof {
  /** Unix ms. */
  readonly expiresAt: number;
}

/** A resolved key or a signed-in person, and the player that it says it acts for. */
export interface Caller extends Credential {
  readonly projectId: string;
  readonly key: AccessKey;
  readonly position: number | null;
  readonly proof?: PlayerProof | undefined;
  readonly base?: number | null | undefined;
  readonly message?: string | null | undefined;
  readonly ticket?: string | null | undefined;
  /** Publishes what nobody approved, where only an owner may. */
  readonly breakGlass?: boolean;
  readonly keyed?: IdempotentRequest | null | undefined;
  /** A person who is shown no personal values: what is said of stored documents must not tell of any. */
  readonly isMasked?: true;
  readonly request?: RequestIds | undefined;
  /** Of a person: rejects once the session is over or the role another. It is asked right before what they asked for is decided. */
  readonly stillMay?: () => Promise<void>;
  /** The project accepts a player that is claimed without proof. Left out: it does not, or the key acts for itself. */
  readonly takesUnproven?: true;
  /** The device that proved it to be a guest. Decisions check that it still belongs to the guest. */
  readonly device?: DeviceProof;
  /** The same of the guest for whom a host asks, by its pass. */
  readonly passed?: PassProof;
  /** The session that helped to prove the player. Decisions check that it is still in force. */
  readonly session?: SessionToken;
}
