import type { Json } from '../../kernel/json.ts';
import type { Player } from './player.ts';

/**
 * What is kept of a project's telemetry when its beginning is cut: what every player had come to, and the sessions that go on. Parts of
 * it, then an event that says it is whole, in a stream of its own. Only the last whole one counts.
 */

export interface TotalsKept {
  readonly players: readonly (Player & { readonly platformId: string })[];
  readonly sessions: readonly SessionKept[];
}

export interface SessionKept {
  readonly platformId: string;
  readonly sessionId: string;
  /** Of the last event in it that told of the session. */
  readonly revision: number;
  readonly startedAt: number | null;
  readonly lastHeartbeatAt: number | null;
  readonly endedAt: number | null;
  readonly seconds: number;
  readonly fps: Json;
}

export interface TotalsCompleted {
  /** The last telemetry event that is in it. It stays in its stream, so that one can be told from another. */
  readonly through: { readonly revision: number; readonly eventId: string };
  /** How many events before this one hold it. */
  readonly parts: number;
  readonly players: number;
  readonly sessions: number;
}

export interface TotalsData {
  'totals.kept': TotalsKept;
  'totals.completed': TotalsCompleted;
}

export type TotalsType = keyof TotalsData;

/** Schema versions this build writes, and the highest it can read. */
export const TOTALS_VERSIONS: Readonly<Record<TotalsType, number>> = { 'totals.kept': 1, 'totals.completed': 1 };

/** An event of a totals stream, decoded. */
export type TotalsEvent = { [T in TotalsType]: { readonly type: T; readonly data: TotalsData[T]; readonly revision: number } }[TotalsType];
