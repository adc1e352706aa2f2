import type { Failure, FailureKind, PlayerVerifier, Verdict } from '../../app/ports/player-verifier.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';

/**
 * Checks one kind of proof. It is called only with an id and a token. What it can decide itself it returns at once; it asks others through
 * `service`. It may throw.
 */
export type Check = (claim: { readonly platformId: string; readonly token: string }, service: Service) => Awaitable<Verdict>;

/** The way to an external service: bounded, and not used while the service is down. */
export interface Service {
  /** Runs `work`, whose signal aborts at the time limit. Rejects with {@link Unasked} when the service may not be asked now. */
  ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** The service was not asked, so nothing is known of the proof. */
export class Unasked extends Error {
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
 * Without a verifier nobody is verified. A project that requires verified players then refuses all of them, because it must fail closed.
 */
export const NO_VERIFIER: PlayerVerifier = {
  verify: async () => failed('unavailable', UNSET),
  rejected: () => undefined,
};
