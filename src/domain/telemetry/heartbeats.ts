import { stringifyJson } from '../../kernel/json.ts';
import type { HeartbeatReceived, HeartbeatsFolded } from './events.ts';
import { MAX_SECONDS, type PlayerStats, withHeartbeat } from './player.ts';

/**
 * Gathers the heartbeats of one player that only say that the player is still there, on the node that receives them. A game sends one every
 * 30 s; stored one by one they would be most of a log.
 *
 *   stored ──► gathering ──► folded (the time is over) ──► gathering …
 *                  └───────► folded (silence, or another play session, name, join, leave)
 *
 * The first heartbeat of a play session is stored as it is. Pure; times are unix ms.
 */
export interface Gathering {
  /** The last heartbeat received, stored or not. */
  readonly last: HeartbeatReceived;
  readonly lastAt: number;
  /** Number of heartbeats not stored yet; `firstAt`: time of the first of them. */
  readonly count: number;
  readonly firstAt: number;
  readonly seconds: number;
  /** When this node last stored an event of the player. */
  readonly storedAt: number;
  /** The player's stats, including heartbeats not stored yet; `null` if unknown here. */
  readonly stats: PlayerStats | null;
}

/** Starts gathering after a stored heartbeat. */
export function gatheringFrom(last: HeartbeatReceived, at: number, stats: PlayerStats | null): Gathering {
  return { last: withoutDetails(last, last.playerName), lastAt: at, count: 0, firstAt: at, seconds: 0, storedAt: at, stats };
}

/** Most characters of frame rates. A node keeps them for every player. */
const MAX_FPS = 512;

/** A heartbeat without `context` and `performance`, most of its length, which are stored only with the first one of a play session. */
function withoutDetails(heartbeat: HeartbeatReceived, playerName: string | null): HeartbeatReceived {
  const { fps } = heartbeat;
  const isShort = fps === null || stringifyJson(fps).length <= MAX_FPS;
  return { ...heartbeat, playerName, context: null, performance: null, fps: isShort ? fps : null };
}

/** Whether a heartbeat only says that the player is still there. */
export function repeats({ last, lastAt }: Gathering, heartbeat: HeartbeatReceived, at: number): boolean {
  if (heartbeat.event !== 'heartbeat' || heartbeat.sessionId !== last.sessionId) return false;
  return (heartbeat.playerName ?? last.playerName) === last.playerName && at - lastAt <= MAX_SECONDS * 1000;
}

/** The state after one more heartbeat that says nothing new. `at`: unix ms. */
export function gathered(before: Gathering, heartbeat: HeartbeatReceived, at: number): Gathering {
  const passed = before.count === 0 ? 0 : Math.max(0, Math.floor((at - before.lastAt) / 1000));
  return {
    last: withoutDetails(heartbeat, heartbeat.playerName ?? before.last.playerName),
    lastAt: Math.max(at, before.lastAt),
    count: before.count + 1,
    firstAt: before.count === 0 ? at : before.firstAt,
    seconds: before.seconds + passed,
    storedAt: before.storedAt,
    stats: before.stats === null ? null : withHeartbeat(before.stats, at),
  };
}

/** The event for what was gathered. `nextBy`: see {@link HeartbeatsFolded}. */
export function foldedEvent({ last, lastAt, count, firstAt, seconds }: Gathering, nextBy: number): HeartbeatsFolded {
  const { platformId, sessionId, sessionSeconds, playerName, source, fps } = last;
  return { platformId, sessionId, sessionSeconds, playerName, source, fps, count, firstAt, lastAt, seconds, nextBy };
}

/** The state after what was gathered has been sent to the log. */
export function nextGathering(before: Gathering, at: number): Gathering {
  return { ...before, count: 0, firstAt: before.lastAt, seconds: 0, storedAt: at };
}
