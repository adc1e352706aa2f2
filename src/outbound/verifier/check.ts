import type { Failure, FailureKind, PlayerVerifier, Verdict } from '../../app/ports/player-verifier.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';

/**
 * Checks one kind of proof. It gets an id and a token. It decides at once if it can, and otherwise sends requests through `service`. It may
 * throw.
 */
export type Check = (claim: { readonly platformId: string; readonly token: string }, service: Service) => Awaitable<Verdict>;

/** Access to an external service, with a timeout and a circuit breaker. */
export interface Service {
  /** Runs `work`, whose signal aborts at the timeout. Rejects with {@link ServiceUnavailable} if it may not be asked now. */
  ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Thrown if no request was sent to the service, so that nothing is known of the proof. */
export class ServiceUnavailable extends Error {
  override readonly name = 'Unasked';
}

export const VERIFIED: Verdict = { ok: true };

/** `until`: unix ms at which the proof expires. */
export function verifiedUntil(until: number): Verdict {
  return { ok: true, until };
}

export function failed(kind: FailureKind, message: string): Failure {
  return { ok: false, kind, message };
}

const UNSET =
  'No player can be verified here: this installation has no login to ask. Its operator sets VERIFIER to http, jwt or hmac; without a login, ' +
  'the project setting guestSignIn lets players in as guests';

/**
 * Verifies nobody. A project that demands proof then refuses every player, because it must fail closed.
 */
export const NO_VERIFIER: PlayerVerifier = {
  verify: async () => failed('unavailable', UNSET),
  rejected: () => undefined,
};
