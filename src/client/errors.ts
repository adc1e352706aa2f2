import type { Code } from '../contract/errors.ts';

/** What can go wrong, as values. A `try…` form answers with them, the form without `try` throws them. */

/** Codes that this library gives itself; a server never sends them. */
export type ClientCode =
  /** Address, project or key are not known. */
  | 'NOT_CONFIGURED'
  /** It is about a player, and none was named. */
  | 'NO_PLAYER'
  /** An argument cannot be sent. */
  | 'INVALID_ARGUMENT'
  /** No answer came: no network, no server, or a browser that may not ask. */
  | 'NETWORK_ERROR'
  /** No answer came in time. */
  | 'TIMEOUT'
  /** The game's own signal. */
  | 'ABORTED'
  /** An answer that is none of ours: a proxy's, or no JSON. */
  | 'INVALID_RESPONSE'
  /** A status of 300 and above without a code. */
  | 'HTTP_ERROR'
  /** A success that says `ok: false` and not why. */
  | 'UNKNOWN'
  /** A secret key where others can read it. */
  | 'SECRET_EXPOSED'
  /** The page has no WebCrypto: it was not loaded over HTTPS. */
  | 'CRYPTO_UNAVAILABLE'
  /** The host could not be asked, or gave no answer. */
  | 'PROXY_FAILED'
  /** The offline queue holds as many writes as it may. */
  | 'QUEUE_FULL'
  /** The storage of the offline queue failed. */
  | 'QUEUE_STORAGE'
  /** The storage of a guest's secret failed. */
  | 'GUEST_STORAGE';

/** A step of an endpoint failed: a mistake in its definition, or an input that it does not expect. Ends with the type of the step. */
export type StepFailure = `ENDPOINT_ERROR.${string}`;

/** Every code that is not an endpoint author's own. */
export type ErrorCode = Code | StepFailure | ClientCode;

/** What is known of an error beside code and message. */
export interface ErrorFacts {
  /** HTTP status, or the one that is meant where that is 200; 0: no answer came. */
  readonly status?: number;
  /** How long the server asks to wait, ms. */
  readonly retryAfterMs?: number | undefined;
  /** Names the request in the server's log. */
  readonly requestId?: string | undefined;
  /** The `error` of the answer, whole: what a code carries beside its message. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The body of the answer. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/**
 * The one class that plain forms throw. `code` is a word for programs, `message` a sentence for people.
 *
 * @example
 * ```ts
 * try {
 *   await client.call('buy', { item: 'castle' });
 * } catch (error) {
 *   if (!(error instanceof SavepointError)) throw error;
 *   error.code; // → 'NO_ITEM'
 *   error.status; // → 404
 * }
 * ```
 */
export class SavepointError<Own extends string = string> extends Error {
  override readonly name = 'SavepointError';
  readonly code: Own | ErrorCode;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly body: unknown;

  constructor(code: Own | ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? 0;
    this.retryAfterMs = facts.retryAfterMs;
    this.requestId = facts.requestId;
    this.details = facts.details ?? {};
    this.body = facts.body;
  }
}

/** What a `try…` form answers with. */
export type Result<Value, Own extends string = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: SavepointError<Own> };

export function success<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function failure(code: ErrorCode, message: string, facts?: ErrorFacts): { readonly ok: false; readonly error: SavepointError } {
  return { ok: false, error: new SavepointError(code, message, facts) };
}

/** The value of a success, made into what is asked for. */
export function mapped<From, To, Own extends string>(result: Result<From, Own>, change: (value: From) => To): Result<To, Own> {
  return result.ok ? success(change(result.value)) : result;
}

/**
 * The value of a `try…` form; throws its error.
 *
 * @example
 * ```ts
 * const values = unwrap(await client.tryValues());
 * values.constants['shop']; // → { axe: 7 }
 * ```
 */
export function unwrap<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw result.error;
}

/** The plain form of a `try…` form. */
export async function orThrow<Value>(result: Promise<Result<Value>>): Promise<Value> {
  return unwrap(await result);
}
