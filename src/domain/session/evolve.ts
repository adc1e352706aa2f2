import type { ProjectEvent } from '../events.ts';
import type { AuthSession, SessionFamily } from '../states.ts';

/** Folds a family of auth sessions. Throws when the log contradicts itself, such as a refresh of a session that was never made. */
export function evolveSession(state: SessionFamily | null, event: ProjectEvent): SessionFamily | null {
  const at = event.metadata.recordedAt;
  switch (event.type) {
    case 'session.created': {
      const { sessionId, player, hash, expiresAt } = event.data;
      const first = { sessionId, hash, from: null, createdAt: at, expiresAt, revokedAt: null };
      return { player, sessions: new Map([[sessionId, first]]) };
    }
    case 'session.refreshed': {
      const { family, sessionId, hash, from, expiresAt } = event.data;
      const before = existing(state, family);
      const added = { sessionId, hash, from, createdAt: at, expiresAt, revokedAt: null };
      return { ...before, sessions: unexpired(before, at).set(sessionId, added) };
    }
    case 'session.revoked': {
      const before = existing(state, event.data.family);
      const sessions = unexpired(before, at);
      for (const id of event.data.sessionIds) {
        const session = sessions.get(id);
        if (session) sessions.set(id, { ...session, revokedAt: session.revokedAt ?? at });
      }
      return { ...before, sessions };
    }
    default:
      return state;
  }
}

function existing(state: SessionFamily | null, family: string): SessionFamily {
  if (state === null) throw new Error(`Corrupt log: a change of the unknown session ${family}`);
  return state;
}

/** An expired session can do nothing any more: without this a family that is refreshed for ever would grow for ever. */
function unexpired({ sessions }: SessionFamily, at: number): Map<string, AuthSession> {
  return new Map([...sessions].filter(([, session]) => session.expiresAt > at));
}

/** When the last of a family expires, unix ms. */
export function expiryOf({ sessions }: SessionFamily): number {
  let last = 0;
  for (const { expiresAt } of sessions.values()) last = Math.max(last, expiresAt);
  return last;
}
