import type { JsonObject } from '../kernel/json.ts';

/** Turns the data of one schema version into the data of the next one. */
type Upcast = (data: JsonObject) => JsonObject;

/** Event type → the version it comes from → the step to the version after it. */
export type Upcasts = Readonly<Record<string, Readonly<Record<number, Upcast>>>>;

/**
 * The shape of an event that a release stored is never changed. A new version is added to `src/contract/events`, and its step stands here;
 * an example is in `test/log/decode.test.ts`. Nothing was released yet with another shape than today's.
 */
export const UPCASTS: Upcasts = {};
