import type { AuthSession, SessionFamily } from '../../../src/domain/states.ts';

/** A session as its row holds it: six values without names. */
type Kept = readonly [id: string, hash: string, from: string | null, createdAt: number, expiresAt: number, revokedAt: number | null];

export function sessionsText({ sessions }: SessionFamily): string {
  const kept = [...sessions.values()].map((one): Kept => {
    return [one.sessionId, one.hash, one.from, one.createdAt, one.expiresAt, one.revokedAt];
  });
  return JSON.stringify(kept);
}

export function sessionFrom(text: string, player: string): SessionFamily {
  const kept = JSON.parse(text) as readonly Kept[];
  const sessions = kept.map(([sessionId, hash, from, createdAt, expiresAt, revokedAt]): [string, AuthSession] => {
    return [sessionId, { sessionId, hash, from, createdAt, expiresAt, revokedAt }];
  });
  return { player, sessions: new Map(sessions) };
}
