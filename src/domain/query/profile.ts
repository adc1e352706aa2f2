import type { JsonObject } from '../../kernel/json.ts';
import { firstText } from '../../kernel/json-read.ts';
import { playerOfKey } from '../document/key.ts';
import { isOnline, type PlayerProfile } from '../telemetry/player.ts';
import type { Row } from './evaluate.ts';

/** What queries show of a player. Times are ISO text; `null`: unknown. */
interface ShownProfile {
  readonly playerName: string | null;
  readonly isOnline: boolean | null;
  readonly lastSeen: string | null;
  readonly lastHeartbeat: string | null;
  readonly onlineSince: string | null;
  readonly sessionCount: number | null;
  readonly totalSeconds: number | null;
  readonly currentSessionSeconds: number | null;
  readonly lastEventType: string | null;
  readonly lastEndpointSlug: string | null;
}

const UNKNOWN: ShownProfile = {
  playerName: null,
  isOnline: null,
  lastSeen: null,
  lastHeartbeat: null,
  onlineSince: null,
  sessionCount: null,
  totalSeconds: null,
  currentSessionSeconds: null,
  lastEventType: null,
  lastEndpointSlug: null,
};

/** The player that a key names, or `null`. `pattern`: the form of player ids. */
export function plausiblePlayer(key: string, pattern: RegExp): string | null {
  const player = playerOfKey(key);
  return pattern.test(player) ? player : null;
}

/** The profile of a row's player. A profile without a name takes the one in the document. */
export function profileOf({ data }: Row, known: ShownProfile | null): JsonObject {
  const profile = known ?? UNKNOWN;
  return { ...profile, playerName: profile.playerName ?? firstText(data, 'playerName', 'name', 'PlayerName') ?? null };
}

/** A presence profile under the names of queries. A player without a heartbeat for a minute counts as offline. */
export function shownProfile(profile: PlayerProfile, now: number): ShownProfile {
  const online = isOnline(profile, now);
  return {
    playerName: profile.playerName,
    isOnline: online,
    lastSeen: isoTime(profile.lastSeen),
    lastHeartbeat: isoTime(profile.lastHeartbeat),
    onlineSince: online ? isoTime(profile.onlineSince) : null,
    sessionCount: profile.sessionCount,
    totalSeconds: Math.floor(profile.totalSeconds),
    currentSessionSeconds: Math.floor(profile.sessionSeconds),
    lastEventType: profile.lastType,
    lastEndpointSlug: profile.lastEndpointSlug,
  };
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
