import type { z } from 'zod';
import { versionsOf } from '../../contract/events/index.ts';
import { type sessionKept, TOTALS_EVENTS } from '../../contract/events/telemetry.ts';
import type { Player } from './player.ts';

/**
 * What is kept of a project's telemetry when its beginning is truncated: every player's totals and the open sessions. They are stored in a
 * stream of their own, in parts, followed by an event that says that they are complete. Only the last complete totals count.
 */

export interface TotalsKept {
  readonly players: readonly (Player & { readonly platformId: string })[];
  readonly sessions: readonly SessionKept[];
}

type SessionKept = z.output<typeof sessionKept>;
/** `through`: the last telemetry event that the totals include. That event is not truncated. */
export type TotalsCompleted = z.output<(typeof TOTALS_EVENTS)['totals.completed']['data']>;

interface TotalsData {
  'totals.kept': TotalsKept;
  'totals.completed': TotalsCompleted;
}

export type TotalsType = keyof TotalsData;

/** Schema versions that this build writes, and the highest it can read. */
export const TOTALS_VERSIONS: Readonly<Record<TotalsType, number>> = versionsOf(TOTALS_EVENTS);

/** An event of a totals stream, decoded. */
export type TotalsEvent = { [T in TotalsType]: { readonly type: T; readonly data: TotalsData[T]; readonly revision: number } }[TotalsType];
