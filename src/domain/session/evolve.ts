import type { ProjectEvent } from '../events.ts';
import type { AuthSession, SessionFamily } from '../states.ts';

/**
 * Folds a family of auth sessions. After a sweep the state is `null`, and events of the family change nothing: a node whose clock is behind
 * may still have accepted its last session, and its event must not make the fold fail.
 */
export function evolveSession(state: SessionFamily | null, event: ProjectEvent): SessionFamily | null {
  const at = event.metadata.recordedAt;
  switch (event.type) {
    case 'session.created': {
      const { sessionId, player, hash, expiresAt, device } = event.data;
      const first = { sessionId, hash, from: null, createdAt: at, expiresAt, revokedAt: null };
      return { player, ...(device === undefined ? {} : { device }), sessions: new Map([[sessionId, first]]) };
    }
    case 'session.refreshed': {
      if (state === null) return null;
      const { sessionId, hash, from, expiresAt } = event.data;
      const added = { sessionId, hash, from, createdAt: at, expiresAt, revokedAt: null };
      return { ...state, sessions: unexpired(state, at).set(sessionId, added) };
    }
    case 'session.revoked': {
      if (state === null) return null;
      const sessions = unexpired(state, at);
      for (const id of event.data.sessionIds) {
        const session = sessions.get(id);
        if (session) sessions.set(id, { ...session, revokedAt: session.revokedAt ?? at });
      }
      return { ...state, sessions };
    }
    default:
      return state;
  }
}

/**
 * Drops expired sessions, so that a family does not grow with every refresh. A session that was refreshed from a dropped one gets that
 * one's origin, so that revoking the origin still reaches it.
 */
function unexpired({ sessions }: SessionFamily, at: number): Map<string, AuthSession> {
  const kept = new Map<string, AuthSession>();
  for (const [id, session] of sessions) {
    if (session.expiresAt <= at) continue;
    const from = keptOrigin(sessions, session.from, at);
    kept.set(id, from === session.from ? session : { ...session, from });
  }
  return kept;
}

function keptOrigin(sessions: SessionFamily['sessions'], from: string | null, at: number): string | null {
  let origin = from === null ? undefined : sessions.get(from);
  while (origin !== undefined && origin.expiresAt <= at) origin = origin.from === null ? undefined : sessions.get(origin.from);
  return origin?.sessionId ?? null;
}

/** When the last session of a family expires, unix ms. */
export function expiryOf({ sessions }: SessionFamily): number {
  let last = 0;
  for (const { expiresAt } of sessions.values()) last = Math.max(last, expiresAt);
  return last;
}
