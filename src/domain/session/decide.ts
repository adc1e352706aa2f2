import { timingSafeEqual } from 'node:crypto';
import { Refusal, refusal } from '../../kernel/errors.ts';
import type { DomainEvent } from '../events.ts';
import type { AuthSession, SessionFamily } from '../states.ts';
import { formatToken, type SessionToken } from './token.ts';

/** Auth sessions. A new one ends no other. Revoking one also ends those that were refreshed from it, and no others. */

export interface NewSession {
  readonly ttlSeconds: number;
  /** `SESSION_RANDOM_BYTES` random bytes. */
  readonly random: Uint8Array;
  /** Unix ms. */
  readonly now: number;
  /** Id of the guest's device that opens the session. If the device is revoked, the session ends. */
  readonly device?: string | undefined;
}

export interface OpenedSession {
  readonly events: readonly DomainEvent[];
  readonly session: AuthSession;
  readonly player: string;
  /** The token's text. It is answered once and stored nowhere. */
  readonly token: string;
}

/** Most sessions of one family in force at once. A client that renews in time has two or three. */
const MAX_ACTIVE = 256;
const NONE: SessionFamily = { player: '', sessions: new Map() };

export function createSession(player: string, { ttlSeconds, random, now, device }: NewSession): OpenedSession {
  const { token, text } = formatToken(random, null, now + ttlSeconds * 1000);
  const { sessionId, expiresAt, hash } = token;
  const session = { sessionId, hash, from: null, createdAt: now, expiresAt, revokedAt: null };
  const data = { sessionId, player, hash, expiresAt, ...(device === undefined ? {} : { device }) };
  return { events: [{ type: 'session.created', data }], session, player, token: text };
}

/**
 * The session of a token, if it is in force. Refuses an expired one with 401 `AUTH_SESSION_EXPIRED`, and one that is unknown, forged or
 * revoked with 401 `AUTH_SESSION_INVALID`. `state`: of the token's family.
 */
export function sessionInForce(token: SessionToken, state: SessionFamily | null, now: number): AuthSession | Refusal {
  if (now >= token.expiresAt) return refusal('AUTH_SESSION_EXPIRED');
  const session = state?.sessions.get(token.sessionId);
  if (!session || !sameHash(session.hash, token.hash) || session.revokedAt !== null) return refusal('AUTH_SESSION_INVALID');
  return session;
}

/**
 * A new session beside the old one, which requests under way still use. Refuses as {@link sessionInForce}; 429 `RATE_LIMITED` if the family
 * has too many.
 */
export function refreshSession(token: SessionToken, state: SessionFamily | null, made: NewSession): OpenedSession | Refusal {
  const old = sessionInForce(token, state, made.now);
  if (old instanceof Refusal) return old;
  const { player, sessions } = state ?? NONE;
  const inForce = [...sessions.values()].filter(({ expiresAt }) => expiresAt > made.now).length;
  if (inForce >= MAX_ACTIVE) return refusal('RATE_LIMITED', 'This session was refreshed too often; create a new one');
  const { family } = token;
  const { token: fresh, text } = formatToken(made.random, family, made.now + made.ttlSeconds * 1000);
  const { sessionId, expiresAt, hash } = fresh;
  const data = { family, sessionId, from: old.sessionId, hash, expiresAt };
  const session = { sessionId, hash, from: old.sessionId, createdAt: made.now, expiresAt, revokedAt: null };
  return { events: [{ type: 'session.refreshed', data }], session, player, token: text };
}

export interface RevokedSession {
  readonly events: readonly DomainEvent[];
  readonly session: AuthSession;
  readonly player: string;
}

/** Revokes a session and all that were refreshed from it, for good. Refuses as {@link sessionInForce}. */
export function revokeSession(token: SessionToken, state: SessionFamily | null, now: number): RevokedSession | Refusal {
  const session = sessionInForce(token, state, now);
  if (session instanceof Refusal) return session;
  const { player, sessions } = state ?? NONE;
  const sessionIds = [session.sessionId];
  const reached = new Set(sessionIds);
  // Sessions are in order of issue, so each comes after the one that it was refreshed from.
  for (const { sessionId, from } of sessions.values()) {
    if (from === null || !reached.has(from) || reached.has(sessionId)) continue;
    reached.add(sessionId);
    sessionIds.push(sessionId);
  }
  const events: DomainEvent[] = [{ type: 'session.revoked', data: { family: token.family, sessionIds } }];
  return { events, session: { ...session, revokedAt: now }, player };
}

function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
