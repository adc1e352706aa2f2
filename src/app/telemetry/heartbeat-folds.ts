import type { HeartbeatReceived, TelemetryMetadata } from '../../domain/telemetry/events.ts';
import { foldedEvent, type Gathering, gathered, gatheringFrom, nextGathering, repeats } from '../../domain/telemetry/heartbeats.ts';
import { ONLINE_MS, type PlayerProfile, type PlayerStats, withGathered } from '../../domain/telemetry/player.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { TelemetryRecorder } from './telemetry-recorder.ts';

/**
 * Heartbeats that this node gathers instead of storing each one (`domain/telemetry/heartbeats.ts`). A killed node loses what it gathered: a
 * player's stats then lack a few minutes at most, as if heartbeats had been lost on the way.
 */

export interface FoldLimits {
  /** Longest time between two stored events of a player who stays, ms; 0: each heartbeat is stored. */
  readonly foldMs: number;
  /** Players whose heartbeats are gathered at a time. Those of others are stored one by one. */
  readonly players: number;
}

type TelemetryActor = TelemetryMetadata['actor'];

interface GatheredPlayer {
  readonly projectId: string;
  readonly actor: TelemetryActor;
  gathering: Gathering;
}

/** How often play sessions without heartbeats are looked for, ms. */
const CHECK_MS = 5_000;
/** A heartbeat comes every 30 s. After this long without one the play session is over. */
const SILENCE_MS = ONLINE_MS + CHECK_MS;
/** Events stored at one look: those of players who came or left together are stored in small groups. */
const MAX_REPORTED = 500;
/**
 * A look stores this many times its share of all players, if that is more: the last players must be stored before the first are due again.
 */
const AHEAD = 2;
/** How long an event may wait for the log, ms. No request waits for it. */
const TIMEOUT_MS = 30_000;

export class HeartbeatFolds {
  readonly #recorder: TelemetryRecorder;
  readonly #scheduler: Scheduler;
  readonly #limits: FoldLimits;
  readonly #players = new Map<string, GatheredPlayer>();
  #cancelCheck: (() => void) | null = null;
  /** Heartbeats that were gathered and not stored on their own. */
  folded = 0;

  constructor(recorder: TelemetryRecorder, scheduler: Scheduler, limits: FoldLimits) {
    this.#recorder = recorder;
    this.#scheduler = scheduler;
    this.#limits = limits;
  }

  /** Players whose heartbeats are gathered. */
  get size(): number {
    return this.#players.size;
  }

  /** A player's stats as this node knows them, which may be newer than the tables. */
  statsOf(projectId: string, platformId: string): PlayerStats | null {
    return this.#players.get(keyOf(projectId, platformId))?.gathering.stats ?? null;
  }

  /** A player's profile in the tables, with what this node has gathered since. */
  profileWith(projectId: string, platformId: string, known: PlayerProfile): PlayerProfile {
    const gathering = this.#players.get(keyOf(projectId, platformId))?.gathering;
    return gathering === undefined ? known : withGathered(known, gathering.last, gathering.lastAt);
  }

  /** Takes a heartbeat that says nothing new, and answers the player's stats with it. Otherwise stores what was gathered before it. */
  fold(projectId: string, heartbeat: HeartbeatReceived, at: number): { readonly stats: PlayerStats | null } | null {
    const key = keyOf(projectId, heartbeat.platformId);
    const open = this.#players.get(key);
    if (open === undefined) return null;
    if (!repeats(open.gathering, heartbeat, at)) {
      this.#end(key, open);
      return null;
    }
    open.gathering = gathered(open.gathering, heartbeat, at);
    this.folded += 1;
    return { stats: open.gathering.stats };
  }

  /** Until when a player counts as present whose heartbeats will be gathered, unix ms; `undefined` if this node has no room. */
  nextBy(projectId: string, { platformId, event }: HeartbeatReceived, at: number): number | undefined {
    const { foldMs, players } = this.#limits;
    if (foldMs === 0 || event === 'leave') return undefined;
    if (this.#players.size >= players && !this.#players.has(keyOf(projectId, platformId))) return undefined;
    return at + foldMs + SILENCE_MS;
  }

  /** Gathers from now on, after a heartbeat that was stored with a `nextBy`. */
  begin(projectId: string, actor: TelemetryActor, heartbeat: HeartbeatReceived, at: number, stats: PlayerStats | null): void {
    const key = keyOf(projectId, heartbeat.platformId);
    const open = this.#players.get(key);
    // Two heartbeats came at the same time, and both were stored. What was gathered since the later one stays.
    if (open !== undefined && open.gathering.lastAt >= at) return;
    if (open !== undefined) void this.#end(key, open);
    this.#players.set(key, { projectId, actor, gathering: gatheringFrom(heartbeat, at, stats) });
    this.#cancelCheck ??= this.#scheduler.after(CHECK_MS, () => this.#storeDue());
  }

  /** Stores what was gathered, and gathers no more. */
  async close(): Promise<void> {
    this.#cancelCheck?.();
    this.#cancelCheck = null;
    const storing = [...this.#players].map(([key, open]) => this.#end(key, open));
    await Promise.all(storing);
  }

  #storeDue(): void {
    const now = this.#scheduler.now();
    const share = Math.ceil((AHEAD * this.#players.size * CHECK_MS) / Math.max(AHEAD * CHECK_MS, this.#limits.foldMs));
    const most = Math.max(MAX_REPORTED, share);
    let stored = 0;
    for (const [key, open] of this.#players) {
      if (stored === most) break;
      const { lastAt, storedAt, count } = open.gathering;
      if (now - lastAt > SILENCE_MS) void this.#end(key, open);
      else if (now - storedAt >= this.#limits.foldMs && count > 0) {
        void this.#store(open, now + this.#limits.foldMs + SILENCE_MS);
        open.gathering = nextGathering(open.gathering, now);
      } else continue;
      stored += 1;
    }
    this.#cancelCheck = this.#players.size === 0 ? null : this.#scheduler.after(CHECK_MS, () => this.#storeDue());
  }

  #end(key: string, open: GatheredPlayer): Promise<unknown> {
    this.#players.delete(key);
    return this.#store(open, open.gathering.lastAt + ONLINE_MS);
  }

  #store({ projectId, actor, gathering }: GatheredPlayer, nextBy: number): Promise<number | null> {
    const metadata = { recordedAt: this.#scheduler.now(), actor: actor };
    return this.#recorder.record(projectId, { type: 'heartbeats.folded', data: foldedEvent(gathering, nextBy) }, metadata, TIMEOUT_MS);
  }
}

function keyOf(projectId: string, platformId: string): string {
  return `${projectId} ${platformId}`;
}
