import type { Json, JsonObject } from '../../kernel/json.ts';
import type { KeyKind } from '../events.ts';

/**
 * Every event of a `telemetry-…` stream: what players report. Nothing exact is decided from them, so they are in no hash chain and are
 * appended in any order. Shapes are succeeded as those of a project's stream are.
 */

/** Something a game, or the client library, tells about a player (runtime-storage 12). */
export interface AnalyticsTracked {
  /** `0` is a dedicated server (client-wire 3.5). */
  readonly platformId: string;
  /** As it is listed: a category, a dot, and the rest. */
  readonly type: string;
  /** As it was sent. */
  readonly sentType: string | null;
  readonly severity: string | null;
  readonly label: string;
  readonly code: string | null;
  readonly message: string | null;
  readonly stack: string | null;
  readonly context: Json;
  readonly playerName: string | null;
  readonly sessionId: string | null;
  /** `network-storage-library` or `manual`; `server`: this product saw it itself. */
  readonly source: string;
  readonly libraryVersion: string | null;
  readonly packageIdent: string | null;
  readonly sessionSeconds: number | null;
  readonly durationSeconds: number | null;
  readonly fps: Json;
  readonly requestPayload: Json;
  readonly responsePayload: Json;
}

export type SessionMoment = 'join' | 'heartbeat' | 'leave';

/** A game says that a player is there, comes or goes (runtime-storage 13). */
export interface HeartbeatReceived {
  readonly platformId: string;
  readonly event: SessionMoment;
  readonly sessionId: string;
  readonly sessionSeconds: number | null;
  readonly playerName: string | null;
  readonly source: string | null;
  readonly libraryVersion: string | null;
  readonly packageIdent: string | null;
  readonly context: Json;
  readonly fps: Json;
  readonly performance: JsonObject | null;
  /** Unix ms, where the node that took it gathers those that follow: see {@link HeartbeatsFolded}. */
  readonly nextBy?: number;
}

/** Heartbeats of one session that said nothing new, as one event: what they add up to. None (`count` 0) only moves `nextBy`. */
export interface HeartbeatsFolded {
  readonly platformId: string;
  readonly sessionId: string;
  /** As the last of them told. */
  readonly sessionSeconds: number | null;
  readonly playerName: string | null;
  readonly source: string | null;
  readonly fps: Json;
  readonly count: number;
  /** When the first and the last of them came, unix ms. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Whole seconds of play between them, as the player's stats count. */
  readonly seconds: number;
  /** Until when the player counts as there without another word, unix ms. */
  readonly nextBy: number;
}

/** A save was answered with 200, and reading it back did not show it (runtime-storage 15). */
export interface SaveFailed {
  readonly collectionId: string;
  readonly recordKey: string;
  readonly reason: string;
  /** −1: not said. */
  readonly expectedSeq: number;
  readonly observedSeq: number;
  readonly attempts: number;
  /** Whom the request claimed to come from. */
  readonly platformId: string | null;
}

/**
 * Retention: what lies before a revision is no longer shown. Whoever folds the stream takes those rows away here, so that tables, a
 * rebuild and a verification agree. What players add up to stays, unless all is forgotten with a deleted project.
 */
export interface TelemetrySwept {
  /** Events and sessions whose last event has a lower revision go. */
  readonly before: number;
  readonly forgotten: boolean;
  /** Of the project when it was swept: what is still known when the events are not. */
  readonly totals: {
    readonly players: number;
    readonly totalSeconds: number;
    readonly playSeconds: number;
    readonly sessionCount: number;
    /** Rows that this takes away, by category. */
    readonly swept: Readonly<Record<string, number>>;
  };
}

export interface TelemetryData {
  'analytics.tracked': AnalyticsTracked;
  'heartbeat.received': HeartbeatReceived;
  'heartbeats.folded': HeartbeatsFolded;
  'save.failed': SaveFailed;
  'telemetry.swept': TelemetrySwept;
}

export type TelemetryType = keyof TelemetryData;

/** Schema versions this build writes, and the highest it can read. */
export const TELEMETRY_VERSIONS: Readonly<Record<TelemetryType, number>> = {
  'analytics.tracked': 1,
  'heartbeat.received': 1,
  'heartbeats.folded': 1,
  'save.failed': 1,
  'telemetry.swept': 1,
};

export interface TelemetryMetadata {
  readonly schemaVersion: number;
  /** Unix ms by the clock of the node that took it in: two nodes may disagree, and order is the stream's. */
  readonly recordedAt: number;
  readonly actor: { readonly kind: KeyKind | 'operator'; readonly keyId?: string };
}

/** An event as a decider makes it. */
export type TelemetryFact = { [T in TelemetryType]: { readonly type: T; readonly data: TelemetryData[T] } }[TelemetryType];

/** What was reported, as opposed to what the product says itself. */
export type TelemetryReport = Exclude<TelemetryFact, { readonly type: 'telemetry.swept' }>;

/** An event of a telemetry stream, decoded. */
export type TelemetryEvent = TelemetryFact & { readonly revision: number; readonly id: string; readonly metadata: TelemetryMetadata };
