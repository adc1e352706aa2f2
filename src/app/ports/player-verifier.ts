import type { Awaitable } from '../../kernel/awaitable.ts';

/** Proves who a player is. The installation chooses which proof counts. */

/** What a request brings to prove its player. */
export interface Proof {
  readonly projectId: string;
  readonly platformId: string | null;
  /** Token that the player's platform, or the studio's own login, gave the game. */
  readonly token: string | null;
  /** The client's address; `null`: this machine, which is not counted. */
  readonly address: string | null;
}

/** `missing`, `rejected` and `mismatch` are about the player. The others are about the service, and say nothing about the player. */
export type FailureKind = 'missing' | 'rejected' | 'mismatch' | 'unavailable' | 'timeout' | 'rate_limited';

/** Why a player is not proven. */
export interface Failure {
  readonly ok: false;
  readonly kind: FailureKind;
  /** For the client. It holds nothing of the token, nor of the service's answer. */
  readonly message: string;
  /** Seconds after which another try makes sense. */
  readonly retryAfter?: number;
}

export type Verdict = Proven | Failure;

interface Proven {
  readonly ok: true;
  /** Unix ms; left out: unknown. */
  readonly until?: number;
}

export interface PlayerVerifier {
  /**
   * Whether the token proves the id; at once if no service has to be asked. Never throws or rejects: every error is a failure, because
   * nobody passes unproven.
   */
  verify(proof: Proof): Awaitable<Verdict>;
  /** Counts a refusal that was made without asking a service, such as of a bad signature. */
  rejected(sender: Pick<Proof, 'projectId' | 'address'>): void;
}
