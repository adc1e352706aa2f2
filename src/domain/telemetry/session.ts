import type { Json } from '../../kernel/json.ts';
import type { SessionMoment, TelemetryEvent } from './events.ts';
import { MAX_SESSION, momentOf } from './player.ts';

/** One play session of a player, as its events describe it. Times are unix ms. */
export interface PlaySession {
  /** Time of the join, or of the first heartbeat. */
  readonly startedAt: number | null;
  readonly lastHeartbeatAt: number | null;
  readonly endedAt: number | null;
  /** The greatest length that the game reported. */
  readonly seconds: number;
  /** The last frame rates. */
  readonly fps: Json;
}

/** What an event says of a play session. */
export interface SessionReport {
  readonly platformId: string;
  readonly sessionId: string;
  readonly moment: SessionMoment;
  readonly seconds: number;
  readonly fps: Json;
}

/** What the event says of a play session; `null`: nothing. `current`: the player's session before, for an event that names none. */
export function sessionReport(event: TelemetryEvent, current: string | null): SessionReport | null {
  if (event.type === 'save.failed' || event.type === 'telemetry.swept') return null;
  const { data } = event;
  const moment = momentIn(event);
  const sessionId = data.sessionId ?? current;
  if (moment === null || sessionId === null) return null;
  const duration = 'durationSeconds' in data ? data.durationSeconds : null;
  const seconds = Math.min(Math.max(data.sessionSeconds ?? 0, duration ?? 0, 0), MAX_SESSION);
  return { platformId: data.platformId, sessionId, moment, seconds, fps: data.fps };
}

function momentIn({ type, data }: TelemetryEvent): SessionMoment | null {
  if (type === 'heartbeat.received') return data.event;
  if (type === 'heartbeats.folded') return data.count === 0 ? null : 'heartbeat';
  return type === 'analytics.tracked' ? momentOf(data) : null;
}

const UNKNOWN: PlaySession = { startedAt: null, lastHeartbeatAt: null, endedAt: null, seconds: 0, fps: null };

/** A play session after one of its events. `at`: unix ms. */
export function evolveSession(before: PlaySession | null, { moment, seconds, fps }: SessionReport, at: number): PlaySession {
  const known = before ?? UNKNOWN;
  return {
    startedAt: known.startedAt ?? (moment === 'leave' ? null : at),
    lastHeartbeatAt: moment === 'heartbeat' ? at : known.lastHeartbeatAt,
    // Any event after a leave means that the session goes on.
    endedAt: moment === 'leave' ? at : null,
    seconds: Math.max(known.seconds, seconds),
    fps: fps ?? known.fps,
  };
}
