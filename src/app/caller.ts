import type { Need } from '../contract/credentials.ts';
import type { ClientFacts, RevisionStatus } from '../domain/revision/status.ts';
import type { SessionToken } from '../domain/session/token.ts';
import type { ApiKey } from '../domain/states.ts';
import type { Json } from '../kernel/json.ts';

/** Who asks: what a request presented, and the caller that it was resolved to. */

/** Credentials, claims and what the game says of itself, as the transport found them; nothing in them is trusted. */
export interface Presented extends ClientFacts {
  /** The credential: first non-empty carrier of the route family. */
  readonly key: string | null;
  /** Routes of the management family: anything but a valid, enabled secret key is 401. */
  readonly management: boolean;
  /** Queries: a secret key sent beside a public primary key. */
  readonly extraSecret: string | null;
  /** What a disabled key answers on this family (security 1.3). */
  readonly disabledKey: 'KEY_DISABLED' | 'UNAUTHORIZED';
  /** What a disabled project answers on this family. */
  readonly disabledProject: 'PROJECT_DISABLED' | 'DISABLED';
  /** What a secret key must be permitted: 403 FORBIDDEN, after the key and before the project's state (security 1.3). */
  readonly needs?: Need | null;
  /** First non-empty claim, or `null`. */
  readonly platformId: string | null;
  readonly onBehalfOf: string | null;
  /** Not given: nothing that could prove a player. */
  readonly proof?: PlayerProof;
  /** Caller's watermark out of `x-ns-position`: reads reflect at least this revision. */
  readonly position: number | null;
  /** Not given, as `null`: what it asks for has no name of its own. */
  readonly intent?: Intent | null;
}

/** What a caller names a request by that is to happen once (decision 35). Nothing in it is trusted. */
export interface Intent {
  /** The text of its `Idempotency-Key`. */
  readonly key: string;
  readonly requestId: string;
  /** SHA-256 (hex) of method, path, target and body. `body`: what counts in place of the request's. */
  request(body?: Json): string;
}

/** What a request sent to prove who plays; nothing in it is trusted, and nothing is looked for before it is asked for. */
export interface PlayerProof {
  /** Every claim of the player's id, from the first that counts to the last. */
  readonly claims: readonly string[];
  /** Of the player's platform, or the studio's own login. */
  readonly token: string | null;
  readonly sessionToken: string | null;
  /** Of the player that a host asks for. */
  readonly onBehalfOfToken: string | null;
  readonly proxySignature: string | null;
  /** The client's address; `null`: on this machine, which is not counted. */
  readonly address: string | null;
}

/** A resolved key, and who it says it acts for. */
export interface Caller {
  readonly projectId: string;
  readonly key: ApiKey;
  readonly isSecret: boolean;
  /** The second key of queries; `null` when none was sent. */
  readonly extraSecret: ApiKey | 'invalid' | null;
  readonly platformId: string | null;
  readonly onBehalfOf: string | null;
  readonly position: number | null;
  /** How the game's revision stands to the current one; `null` where none is known or nothing is enforced. */
  readonly revision: RevisionStatus | null;
  readonly proof?: PlayerProof | undefined;
  readonly intent?: Intent | null | undefined;
  /** The player it acts for, once proven. */
  readonly verified?: string;
  /** The session that helped to prove it: decisions look whether it is still in force. */
  readonly session?: SessionToken;
}
