import type { JsonObject } from '../../kernel/json.ts';

/** What a call is to the texts and steps that it evaluates: who calls, with what, when, and what may come of it. */

/** Effects of a run. The run may be repeated, so it neither waits nor sends; its caller does. */
export interface Effects {
  /** Called for every sleep of the run. The answer is delayed by their sum. */
  sleep(ms: number): void;
  /** Queues a webhook to be sent once the call is stored, and returns what its step binds; `null`: webhooks may not go to that address. */
  notify(url: string, payload: JsonObject): JsonObject | null;
  /**
   * The result of the run's webhook number `index`, from 0, which is sent once however often the run is repeated; `null` if webhooks may
   * not go to that address. May throw to have it sent first.
   */
  webhook(index: number, url: string, payload: JsonObject): JsonObject | null;
  /** Called every {@link WORK_PER_CHECK} units of work. Throws a `Refusal` if the call has taken too long. */
  checkTime(): void;
}

/** Units of work between two checks of the clock: some hundred microseconds of the slowest kind of work. */
export const WORK_PER_CHECK = 4096;

export interface EndpointCall {
  readonly projectId: string;
  readonly slug: string;
  readonly input: JsonObject;
  /** The player's id, or `anonymous`. */
  readonly platformId: string;
  readonly playerKey: string;
  readonly hasSecretKey: boolean;
  readonly isDedicatedServer: boolean;
  /** Whether comparing by order what has no order is an error. Otherwise it counts as 0. */
  readonly strictComparisons: boolean;
  /** Start of the call, unix ms. Every template of the call sees this time. */
  readonly now: number;
  /** Uniform in [0, 1). A repeated run draws the same numbers. */
  random(): number;
  readonly effects: Effects;
  /** Game values in place of the project's: those of a test that seeds some. */
  readonly values?: JsonObject;
}
