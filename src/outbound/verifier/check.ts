import type { Failure, FailureKind, PlayerVerifier, Verdict } from '../../app/ports/player-verifier.ts';

/** One kind of proof, asked only for an id and a token that are there. `signal` aborts at the time limit. May throw. */
export type Check = (asked: { readonly platformId: string; readonly token: string }, signal: AbortSignal) => Promise<Verdict>;

export const VERIFIED: Verdict = { ok: true };

export function failed(kind: FailureKind, message: string): Failure {
  return { ok: false, kind, message };
}

/** Without a verifier nobody is verified: a project that requires players to be fails closed (decision 14). */
export const NO_VERIFIER: PlayerVerifier = {
  verify: async () => failed('unavailable', 'Players cannot be verified: this installation has no player verifier (VERIFIER)'),
  rejected: () => undefined,
};
