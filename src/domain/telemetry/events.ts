import type { z } from 'zod';
import { versionsOf } from '../../contract/events/index.ts';
import { type sessionMoment, TELEMETRY_EVENTS } from '../../contract/events/telemetry.ts';
import type { Actor } from '../events.ts';

/**
 * Every event of a `telemetry-…` stream: what players report. No decision depends on them, so they are in no hash chain and are appended in
 * any order. A changed shape gets a new version, as in a project's stream.
 */

export type TelemetryType = keyof typeof TELEMETRY_EVENTS;
type TelemetryData = { readonly [T in TelemetryType]: z.output<(typeof TELEMETRY_EVENTS)[T]['data']> };

export type AnalyticsTracked = TelemetryData['analytics.tracked'];
export type SessionMoment = z.output<typeof sessionMoment>;
export type HeartbeatReceived = TelemetryData['heartbeat.received'];
/** Heartbeats of one play session that said nothing new, as one event with their sum. With `count` 0 it only moves `nextBy`. */
export type HeartbeatsFolded = TelemetryData['heartbeats.folded'];
export type SaveFailed = TelemetryData['save.failed'];
/**
 * Retention: rows before a revision are no longer shown. Every fold of the stream removes them at this event, so that tables, a rebuild and
 * a verification agree. A player's totals stay, unless the project was deleted.
 */
export type TelemetrySwept = TelemetryData['telemetry.swept'];

/** Schema versions that this build writes, and the highest it can read. */
export const TELEMETRY_VERSIONS: Readonly<Record<TelemetryType, number>> = versionsOf(TELEMETRY_EVENTS);

export interface TelemetryMetadata {
  readonly schemaVersion: number;
  /** Unix ms by the clock of the node that received it. Nodes may disagree; the stream's order counts. */
  readonly recordedAt: number;
  readonly actor: Actor;
}

/** An event as a decider makes it. */
export type TelemetryFact = { [T in TelemetryType]: { readonly type: T; readonly data: TelemetryData[T] } }[TelemetryType];

/** The events that are reports, as opposed to those of the server itself. */
export type TelemetryReport = Exclude<TelemetryFact, { readonly type: 'telemetry.swept' }>;

/** An event of a telemetry stream, decoded. */
export type TelemetryEvent = TelemetryFact & { readonly revision: number; readonly id: string; readonly metadata: TelemetryMetadata };
