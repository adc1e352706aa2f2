import { categoryOf } from './analytics.ts';
import { calledSlug } from './endpoint-call.ts';
import type { AnalyticsTracked, HeartbeatReceived, HeartbeatsFolded, SessionMoment, TelemetryEvent } from './events.ts';

/**
 * What telemetry says of a player: the stats, which are the sum of the heartbeats, and the presence profile, which every event changes.
 * Pure folds, which the read model, a rebuild and the answer to a heartbeat share.
 */

export interface PlayerStats {
  /** Unix ms, as all times here. */
  readonly firstSeen: number;
  readonly lastHeartbeat: number;
  readonly totalSeconds: number;
}

export interface PlayerProfile {
  readonly playerName: string | null;
  readonly online: boolean;
  readonly onlineSince: number | null;
  readonly lastSeen: number;
  readonly lastHeartbeat: number | null;
  /** Until when the player counts as present; `null`: no node that gathers the player's heartbeats has said so. */
  readonly onlineUntil: number | null;
  readonly sessionId: string | null;
  /** Seconds of the current play session. */
  readonly sessionSeconds: number;
  /** Play time over all sessions, seconds. */
  readonly totalSeconds: number;
  readonly sessionCount: number;
  readonly lastType: string;
  /** Endpoint of the last call, in projects that record calls. */
  readonly lastEndpointSlug: string | null;
  /** Events reported of the player. */
  readonly events: number;
  /** When a heartbeat was last listed as an event. */
  readonly listedAt: number | null;
}

export interface Player {
  /** `null`: there never was a heartbeat. */
  readonly stats: PlayerStats | null;
  readonly profile: PlayerProfile;
}

const FIRST_SECONDS = 2;
/** Longest session length that is accepted, seconds: 30 years. */
export const MAX_SESSION = 1e9;
export const MAX_SECONDS = 120;
const MAX_PAUSE_SECONDS = 600;
/** Heartbeats of one player are listed at most this often; joins and leaves always. */
const LISTED_EVERY_MS = 10_000;
/** Without a heartbeat for this long a player counts as gone. */
export const ONLINE_MS = 60_000;

/** The stats after one more heartbeat at `at`. They do not depend on `sessionSeconds`. */
export function withHeartbeat(before: PlayerStats | null, at: number): PlayerStats {
  if (before === null) return { firstSeen: at, lastHeartbeat: at, totalSeconds: FIRST_SECONDS };
  const passed = Math.floor((at - before.lastHeartbeat) / 1000);
  const seconds = Math.min(Math.max(passed, 0), MAX_SECONDS);
  // Clocks of nodes differ: a heartbeat that seems older must not make the next one count twice.
  return { ...before, lastHeartbeat: Math.max(at, before.lastHeartbeat), totalSeconds: before.totalSeconds + seconds };
}

/** Whether a player counts as present at `now`. */
export function isOnline({ online, onlineUntil, lastHeartbeat, lastSeen }: PlayerProfile, now: number): boolean {
  return online && now <= Math.max(onlineUntil ?? 0, (lastHeartbeat ?? lastSeen) + ONLINE_MS);
}

/** Whether a heartbeat is listed among the events. It is not if another one of the player was listed a moment ago. */
export function isListed(before: Player | null, heartbeat: HeartbeatReceived, at: number): boolean {
  const last = before?.profile.listedAt ?? null;
  return heartbeat.event !== 'heartbeat' || last === null || at - last >= LISTED_EVERY_MS;
}

/** The player after an event that names one; unchanged by any other event. */
export function evolvePlayer(before: Player | null, event: TelemetryEvent): Player | null {
  const at = event.metadata.recordedAt;
  if (event.type === 'heartbeat.received') {
    const listed = isListed(before, event.data, at);
    const session = withSession(before?.profile ?? UNKNOWN, event.data, event.data.event, `session.${event.data.event}`, at);
    const profile = event.data.nextBy === undefined ? session : { ...session, onlineUntil: event.data.nextBy };
    return { stats: withHeartbeat(before?.stats ?? null, at), profile: listed ? { ...profile, listedAt: at } : profile };
  }
  if (event.type === 'heartbeats.folded') return withFolded(before, event.data);
  if (event.type !== 'analytics.tracked') return before;
  const moment = momentOf(event.data);
  const known = before?.profile ?? UNKNOWN;
  const profile = moment === null ? withOther(known, event.data, at) : withSession(known, event.data, moment, event.data.type, at);
  return { stats: before?.stats ?? null, profile };
}

/** The player after folded heartbeats, as if each were stored. The session's seconds: what the last one says, or the time until then. */
function withFolded(before: Player | null, folded: HeartbeatsFolded): Player {
  const known = before?.profile ?? UNKNOWN;
  const { count, lastAt, nextBy } = folded;
  // Another node has received a later heartbeat of the player.
  const onlineUntil = (known.lastHeartbeat ?? 0) > lastAt ? known.onlineUntil : nextBy;
  if (count === 0) return { stats: before?.stats ?? null, profile: { ...known, onlineUntil } };
  const profile = withSession(known, folded, 'heartbeat', 'session.heartbeat', lastAt);
  return {
    stats: withHeartbeats(before?.stats ?? null, folded),
    profile: { ...profile, events: known.events + count, listedAt: lastAt, onlineUntil },
  };
}

/** The profile with the heartbeats that a node has gathered and not stored yet: the last one, and when it came. */
export function withGathered(known: PlayerProfile, last: HeartbeatReceived, lastAt: number): PlayerProfile {
  const isOther = last.sessionId !== null && last.sessionId !== known.sessionId;
  // The tables show a later event already, or not yet the play session that is gathered.
  if (lastAt <= known.lastSeen || isOther) return known;
  return { ...withSession(known, last, 'heartbeat', 'session.heartbeat', lastAt), onlineUntil: known.onlineUntil };
}

/** The stats after folded heartbeats. Time that another node has counted already is not added again. */
function withHeartbeats(before: PlayerStats | null, { firstAt, lastAt, seconds }: HeartbeatsFolded): PlayerStats {
  const known = before !== null && before.lastHeartbeat > firstAt ? before : withHeartbeat(before, firstAt);
  const unknown = Math.max(0, Math.floor((lastAt - known.lastHeartbeat) / 1000));
  return {
    ...known,
    lastHeartbeat: Math.max(lastAt, known.lastHeartbeat),
    totalSeconds: known.totalSeconds + (known.lastHeartbeat > firstAt ? Math.min(seconds, unknown) : seconds),
  };
}

/** Whether an event starts or ends a session, or `null` for any other event. */
export function momentOf({ type }: AnalyticsTracked): SessionMoment | null {
  if (categoryOf(type) !== 'session') return null;
  const name = type.slice('session.'.length);
  return name === 'join' || name === 'leave' || name === 'heartbeat' ? name : null;
}

const UNKNOWN: PlayerProfile = {
  playerName: null,
  online: false,
  onlineSince: null,
  lastSeen: 0,
  lastHeartbeat: null,
  onlineUntil: null,
  sessionId: null,
  sessionSeconds: 0,
  totalSeconds: 0,
  sessionCount: 0,
  lastType: '',
  lastEndpointSlug: null,
  events: 0,
  listedAt: null,
};

interface SessionReport {
  readonly sessionId: string | null;
  readonly playerName: string | null;
  readonly sessionSeconds: number | null;
  readonly durationSeconds?: number | null;
}

/**
 * The profile after a join, leave or heartbeat. If the game reports a longer session than is known, that counts; else the elapsed time
 * does. Time that other events have added is part of the current session's seconds, so it is not counted twice.
 */
function withSession(known: PlayerProfile, report: SessionReport, moment: SessionMoment, type: string, at: number): PlayerProfile {
  const sessionId = report.sessionId ?? known.sessionId;
  const isNew = sessionId !== known.sessionId;
  const previous = isNew ? 0 : known.sessionSeconds;
  const explicit = Math.min(Math.max(report.sessionSeconds ?? 0, report.durationSeconds ?? 0, 0), MAX_SESSION);
  const passed = moment === 'join' || isNew ? 0 : elapsed(known, at);
  const current = explicit > previous ? explicit : previous + passed;
  const begins = moment === 'join' || (moment === 'heartbeat' && isNew);
  const left = moment === 'leave';
  return {
    ...withLastSeen(known, report.playerName, type, at),
    online: !left,
    onlineSince: left ? null : known.online && !begins ? known.onlineSince : at,
    lastHeartbeat: moment === 'heartbeat' ? at : known.lastHeartbeat,
    onlineUntil: null,
    sessionId: left ? null : sessionId,
    sessionSeconds: left ? 0 : current,
    totalSeconds: known.totalSeconds + Math.max(0, current - previous),
    sessionCount: known.sessionCount + (begins ? 1 : 0),
  };
}

function withOther(known: PlayerProfile, report: AnalyticsTracked, at: number): PlayerProfile {
  const passed = known.online ? elapsed(known, at) : 0;
  return {
    ...withLastSeen(known, report.playerName, report.type, at),
    lastEndpointSlug: calledSlug(report) ?? known.lastEndpointSlug,
    online: true,
    onlineSince: known.online ? known.onlineSince : at,
    sessionSeconds: known.sessionSeconds + passed,
    totalSeconds: known.totalSeconds + passed,
  };
}

function withLastSeen(known: PlayerProfile, playerName: string | null, lastType: string, at: number): PlayerProfile {
  return {
    ...known,
    playerName: playerName ?? known.playerName,
    lastSeen: Math.max(at, known.lastSeen),
    lastType,
    events: known.events + 1,
  };
}

/** Seconds since the player was last seen. */
function elapsed({ lastSeen }: PlayerProfile, at: number): number {
  if (lastSeen === 0) return 0;
  return Math.min(Math.max(at - lastSeen, 0) / 1000, MAX_PAUSE_SECONDS);
}
