import type { Failure, FailureKind, PlayerVerifier, Verdict } from '../../app/ports/player-verifier.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';

/**
 * One kind of proof, asked only for an id and a token that are there. What can be told here is told at once; whoever has to be asked for
 * it is asked through `service`. May throw.
 */
export type Check = (asked: { readonly platformId: string; readonly token: string }, service: Service) => Awaitable<Verdict>;

/** The way to a service elsewhere: bounded, and left alone while it is down. */
export interface Service {
  /** Runs `work`, whose signal aborts at the time limit. Rejects with {@link Unasked} where nobody is to be asked now. */
  ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Nobody was asked, so nothing is known of the service. */
export class Unasked extends Error {
  override readonly name = 'Unasked';
}

export const VERIFIED: Verdict = { ok: true };

/** `until`: unix ms; what proved it is over then. */
export function verifiedUntil(until: number): Verdict {
  return { ok: true, until };
}

export function failed(kind: FailureKind, message: string): Failure {
  return { ok: false, kind, message };
}

/** Without a verifier nobody is verified: a project that requires players to be fails closed (decision 14). */
export const NO_VERIFIER: PlayerVerifier = {
  verify: async () => failed('unavailable', 'Players cannot be verified: this installation has no player verifier (VERIFIER)'),
  rejected: () => undefined,
};
