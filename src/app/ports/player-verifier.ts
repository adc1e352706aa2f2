import type { Awaitable } from '../../kernel/awaitable.ts';

/** Proving who a player is, as the use cases see it (security 2.5). Which kind of proof counts is the installation's choice. */

/** What a request brings to prove its player. */
export interface Proof {
  readonly projectId: string;
  readonly platformId: string | null;
  /** What the player's platform, or the studio's own login, gave the game. */
  readonly token: string | null;
  /** Of the client; `null`: on this machine, and not counted. */
  readonly address: string | null;
}

/** `missing`, `rejected` and `mismatch` say something about the player; the others about the service, and nothing about the player. */
export type FailureKind = 'missing' | 'rejected' | 'mismatch' | 'unavailable' | 'timeout' | 'rate_limited';

/** Why a player is not proven. */
export interface Failure {
  readonly ok: false;
  readonly kind: FailureKind;
  /** For the client: holds nothing of the token, nor of what the service answered. */
  readonly message: string;
  /** Seconds after which it may go better. */
  readonly retryAfter?: number;
}

export type Verdict = Proven | Failure;

export interface Proven {
  readonly ok: true;
  /** Unix ms; absent: nothing said so. */
  readonly until?: number;
}

export interface PlayerVerifier {
  /**
   * Whether the token proves the id: at once where nobody has to be asked. Never throws nor rejects: whatever goes wrong is a failure,
   * because nobody passes unproven.
   */
  verify(proof: Proof): Awaitable<Verdict>;
  /** Counts what was refused before anybody was asked, such as a signature that does not hold. */
  rejected(sender: Pick<Proof, 'projectId' | 'address'>): void;
}
