import type { z } from 'zod';
import { versionsOf } from '../../contract/events/index.ts';
import { LOOKING_EVENTS } from '../../contract/events/looking.ts';
import type { EventMetadata } from '../events.ts';

/** Every event of the streams `access-…`, with its data. */

export type LookingType = keyof typeof LOOKING_EVENTS;
type LookingData = { readonly [T in LookingType]: z.output<(typeof LOOKING_EVENTS)[T]['data']> };

/** An event as it is made. */
export type LookingFact = { [T in LookingType]: { readonly type: T; readonly data: LookingData[T] } }[LookingType];

/** An event of the stream, decoded. `redacted`: its data were replaced by their commitment. */
export type LookingEvent = (LookingFact | { readonly type: 'redacted' }) & { readonly revision: number; readonly metadata: EventMetadata };

/** Schema versions that this build writes, and the highest it can read. */
export const LOOKING_VERSIONS: Readonly<Record<LookingType, number>> = versionsOf(LOOKING_EVENTS);
