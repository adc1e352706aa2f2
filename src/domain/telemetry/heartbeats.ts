import { stringifyJson } from '../../kernel/json.ts';
import type { HeartbeatReceived, HeartbeatsFolded } from './events.ts';
import { credited, MOST_SECONDS, type PlayerStats } from './player.ts';

/**
 * Heartbeats of one player that only say "still here", gathered by the node that received them: a game sends one every 30 s, and stored
 * one by one they would be most of a log.
 *
 *     stored ──► gathering ──► folded (the time is over) ──► gathering …
 *                    └────────► folded (silence, or another session, name, join, leave)
 *
 * The first of a session is stored as it is. Pure; times are unix ms.
 */
export interface Gathering {
  /** The last that was received, stored or not. */
  readonly last: HeartbeatReceived;
  readonly lastAt: number;
  /** Of those that are not stored yet; `firstAt` of the first of them. */
  readonly count: number;
  readonly firstAt: number;
  readonly seconds: number;
  /** When the log last heard of the player from here. */
  readonly toldAt: number;
  /** What the player's stats come to, those not stored counted in; `null` where they are not known here. */
  readonly stats: PlayerStats | null;
}

/** After a heartbeat that was stored. */
export function gatheringFrom(last: HeartbeatReceived, at: number, stats: PlayerStats | null): Gathering {
  return { last: slim(last, last.playerName), lastAt: at, count: 0, firstAt: at, seconds: 0, toldAt: at, stats };
}

/** Characters of what is told of frames; a node holds it for every player. */
const LONGEST_FPS = 512;

/** Without what is stored with the first heartbeat of a session alone: most of its length. */
function slim(heartbeat: HeartbeatReceived, playerName: string | null): HeartbeatReceived {
  const { fps } = heartbeat;
  const isShort = fps === null || stringifyJson(fps).length <= LONGEST_FPS;
  return { ...heartbeat, playerName, context: null, performance: null, fps: isShort ? fps : null };
}

/** Whether a heartbeat says nothing but that the player is still there. */
export function saysNothingNew({ last, lastAt }: Gathering, heartbeat: HeartbeatReceived, at: number): boolean {
  if (heartbeat.event !== 'heartbeat' || heartbeat.sessionId !== last.sessionId) return false;
  return (heartbeat.playerName ?? last.playerName) === last.playerName && at - lastAt <= MOST_SECONDS * 1000;
}

export function gathered(before: Gathering, heartbeat: HeartbeatReceived, at: number): Gathering {
  const passed = before.count === 0 ? 0 : Math.max(0, Math.floor((at - before.lastAt) / 1000));
  return {
    last: slim(heartbeat, heartbeat.playerName ?? before.last.playerName),
    lastAt: Math.max(at, before.lastAt),
    count: before.count + 1,
    firstAt: before.count === 0 ? at : before.firstAt,
    seconds: before.seconds + passed,
    toldAt: before.toldAt,
    stats: before.stats === null ? null : credited(before.stats, at),
  };
}

/** The event that stands for what was gathered. `nextBy`: see {@link HeartbeatsFolded}. */
export function foldedEvent({ last, lastAt, count, firstAt, seconds }: Gathering, nextBy: number): HeartbeatsFolded {
  const { platformId, sessionId, sessionSeconds, playerName, source, fps } = last;
  return { platformId, sessionId, sessionSeconds, playerName, source, fps, count, firstAt, lastAt, seconds, nextBy };
}

/** What was gathered is on its way to the log. */
export function goesOn(before: Gathering, at: number): Gathering {
  return { ...before, count: 0, firstAt: before.lastAt, seconds: 0, toldAt: at };
}
