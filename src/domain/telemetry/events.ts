import type { z } from 'zod';
import { versionsOf } from '../../contract/events/index.ts';
import { type sessionMoment, TELEMETRY_EVENTS } from '../../contract/events/telemetry.ts';
import type { KeyKind } from '../events.ts';

/**
 * Every event of a `telemetry-…` stream: what players report. Nothing exact is decided from them, so they are in no hash chain and are
 * appended in any order. Shapes are succeeded as those of a project's stream are.
 */

export type TelemetryType = keyof typeof TELEMETRY_EVENTS;
export type TelemetryData = { readonly [T in TelemetryType]: z.output<(typeof TELEMETRY_EVENTS)[T]['data']> };

export type AnalyticsTracked = TelemetryData['analytics.tracked'];
export type SessionMoment = z.output<typeof sessionMoment>;
export type HeartbeatReceived = TelemetryData['heartbeat.received'];
/** Heartbeats of one session that said nothing new, as one event: what they add up to. None (`count` 0) only moves `nextBy`. */
export type HeartbeatsFolded = TelemetryData['heartbeats.folded'];
export type SaveFailed = TelemetryData['save.failed'];
/**
 * Retention: what lies before a revision is no longer shown. Whoever folds the stream takes those rows away here, so that tables, a
 * rebuild and a verification agree. What players add up to stays, unless all is forgotten with a deleted project.
 */
export type TelemetrySwept = TelemetryData['telemetry.swept'];

/** Schema versions this build writes, and the highest it can read. */
export const TELEMETRY_VERSIONS: Readonly<Record<TelemetryType, number>> = versionsOf(TELEMETRY_EVENTS);

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
