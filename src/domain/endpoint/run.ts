import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Applied } from '../document/operations.ts';
import type { Operation } from '../events.ts';

/**
 * What an endpoint run is given and what it gives back. Running is pure and synchronous: it reads documents through `Reads`, and the
 * caller repeats the whole run when a document had to be loaded first. So a run must do nothing outside its own memory.
 */

/** Documents of one collection that a step looks through at most (endpoint-language 8). */
export const MOST_SCANNED = 1000;

/** Documents as of the start of the call, and what becomes of the call's own writes, which the run lays over them (decision 4). */
export interface Reads {
  /** The stored document with schema defaults filled in, or `null`. `collection` is an id or a name in any letter case. May throw to have a document loaded first: never catch it. */
  document(collection: string, key: string): JsonObject | null;
  /** What operations on a document that is not there start from: the defaults of its schema. */
  blank(collection: string): JsonObject | null;
  /**
   * Decides a write or delete of the call as its step runs, and answers the document as it then reads: with the defaults of what it lacks,
   * and as much as its rate-limit rules grant (decision 28). `document` is what the operations made of it; `null`: deleted. Throws its
   * `Refusal`.
   */
  decide(write: PendingWrite, document: JsonObject | null): JsonObject | null;
  /** Keys of a collection's documents, each once and in their order; one may turn out to have none. May throw to have them found first. */
  keys(collection: string): readonly string[];
}

/** What a run does to the world. It waits for nothing and sends nothing itself, since it may be repeated: whoever runs it does. */
export interface World {
  /** Told of every sleep of the run; the answer is held back as long as they come to. */
  sleep(ms: number): void;
  /** A webhook to be sent once the call is stored, if this run is the one: what its step binds; `null` where webhooks may not go to that address. */
  notify(url: string, payload: JsonObject): JsonObject | null;
  /**
   * What came of the run's webhook number `index`, from 0, which is sent once however often the run is repeated; `null` where webhooks
   * may not go to that address. May throw to have it sent first.
   */
  webhook(index: number, url: string, payload: JsonObject): JsonObject | null;
  /** Told every {@link WORK_PER_LOOK} units of work. Throws a `Refusal` once the call has taken too long. */
  look(): void;
}

/** Units of work between two looks at the clock: some hundred microseconds of the slowest kind. */
export const WORK_PER_LOOK = 4096;

export interface EndpointCall {
  readonly projectId: string;
  readonly slug: string;
  readonly input: JsonObject;
  /** The player's id, or `anonymous`. */
  readonly platformId: string;
  readonly playerKey: string;
  readonly hasSecretKey: boolean;
  readonly isDedicatedServer: boolean;
  /** Start of the call, unix ms; every template of the call sees this instant. */
  readonly now: number;
  /** Uniform in [0, 1): seeded per call by the caller, so that a repeated run draws the same numbers. */
  random(): number;
  readonly world: World;
}

/** Who is no player: a caller without an id, and a dedicated server (client-wire 3.5). */
export function isNobody(platformId: string): boolean {
  return platformId === 'anonymous' || platformId === '0';
}

/** The document that a step names. */
export interface Target {
  readonly collection: string;
  readonly key: string;
  /** How the author wrote the collection: its name, or its id in other letters. */
  readonly named: string;
  /** The key as it came out of its template, with a `_default` at its end. */
  readonly keyText: string;
}

/** A document that the call writes or deletes, operations already resolved. */
export type PendingWrite =
  | {
      readonly kind: 'write';
      readonly stepId: string;
      readonly target: Target;
      readonly ops: readonly Operation[];
      /** As the call sees them, before rules and limits. */
      readonly applied: Applied | null;
    }
  | { readonly kind: 'delete'; readonly stepId: string; readonly target: Target };

export interface EndpointResult {
  readonly status: number;
  /** The rendered response body, sent as it is. */
  readonly body: Json;
  readonly writes: readonly PendingWrite[];
}
