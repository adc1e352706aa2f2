import type { z } from 'zod';
import { versionsOf } from '../../contract/events/index.ts';
import { type sessionKept, TOTALS_EVENTS } from '../../contract/events/telemetry.ts';
import type { Player } from './player.ts';

/**
 * What is kept of a project's telemetry when its beginning is cut: what every player had come to, and the sessions that go on. Parts of
 * it, then an event that says it is whole, in a stream of its own. Only the last whole one counts.
 */

export interface TotalsKept {
  readonly players: readonly (Player & { readonly platformId: string })[];
  readonly sessions: readonly SessionKept[];
}

export type SessionKept = z.output<typeof sessionKept>;
/** `through`: the last telemetry event that is in it. It stays in its stream, so that one can be told from another. */
export type TotalsCompleted = z.output<(typeof TOTALS_EVENTS)['totals.completed']['data']>;

export interface TotalsData {
  'totals.kept': TotalsKept;
  'totals.completed': TotalsCompleted;
}

export type TotalsType = keyof TotalsData;

/** Schema versions this build writes, and the highest it can read. */
export const TOTALS_VERSIONS: Readonly<Record<TotalsType, number>> = versionsOf(TOTALS_EVENTS);

/** An event of a totals stream, decoded. */
export type TotalsEvent = { [T in TotalsType]: { readonly type: T; readonly data: TotalsData[T]; readonly revision: number } }[TotalsType];
