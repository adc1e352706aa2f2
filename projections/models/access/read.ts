import type { AuthSession, SessionFamily } from '../../../src/domain/states.ts';

/** A session as its row stores it: six values in a fixed order, and a seventh if a guest's device opened the family. */
type Kept = readonly [
  ...[id: string, hash: string, from: string | null, createdAt: number, expiresAt: number, revokedAt: number | null],
  device?: string,
];

export function sessionsText({ sessions, device }: SessionFamily): string {
  const kept = [...sessions.values()].map((one): Kept => {
    const row = [one.sessionId, one.hash, one.from, one.createdAt, one.expiresAt, one.revokedAt] as const;
    return device === undefined ? row : [...row, device];
  });
  return JSON.stringify(kept);
}

export function sessionFrom(text: string, player: string): SessionFamily {
  const kept = JSON.parse(text) as readonly Kept[];
  const sessions = kept.map(([sessionId, hash, from, createdAt, expiresAt, revokedAt]): [string, AuthSession] => {
    return [sessionId, { sessionId, hash, from, createdAt, expiresAt, revokedAt }];
  });
  const device = kept[0]?.[6];
  return { player, ...(device === undefined ? {} : { device }), sessions: new Map(sessions) };
}
