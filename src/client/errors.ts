import type { Code } from '../contract/errors.ts';

/** Errors. A method whose name begins with `try` returns them, the same method without `try` throws them. */

/** Codes of this library's own errors; a server never sends them. */
export type ClientCode =
  /** The address, project or key is missing. */
  | 'NOT_CONFIGURED'
  /** The request needs a player, and the client has none. */
  | 'NO_PLAYER'
  /** An argument cannot be sent. */
  | 'INVALID_ARGUMENT'
  /** No answer came: there is no network or no server, or the server does not allow the page's origin. */
  | 'NETWORK_ERROR'
  /** No answer came in time. */
  | 'TIMEOUT'
  /** The game's own signal aborted the request. */
  | 'ABORTED'
  /** The answer is not a server's: a proxy's, or not JSON. */
  | 'INVALID_RESPONSE'
  /** The answer is larger than `maxAnswerBytes`. Whether the request was carried out is not known. */
  | 'RESPONSE_TOO_LARGE'
  /** Nothing is served under this address: `url` is wrong, or the server is another program. */
  | 'ROUTE_NOT_FOUND'
  /** The collection does not exist, or was not promoted. */
  | 'COLLECTION_NOT_FOUND'
  /** The server is older than `MIN_SERVER_VERSION`, and does not serve this. */
  | 'SERVER_OUTDATED'
  /** The status is 300 or above, and the answer names no code. */
  | 'HTTP_ERROR'
  /** The status is a success, but the body is a refusal without a code. */
  | 'UNKNOWN'
  /** A secret key was given where others can read it. */
  | 'SECRET_EXPOSED'
  /** The page has no WebCrypto: it was not loaded over HTTPS. */
  | 'CRYPTO_UNAVAILABLE'
  /** The host could not be reached, or did not answer. */
  | 'PROXY_FAILED'
  /** The offline queue is full. */
  | 'QUEUE_FULL'
  /** Another page or program has the offline queue open. */
  | 'QUEUE_OPEN'
  /** The offline queue was closed. */
  | 'QUEUE_CLOSED'
  /** The storage of the offline queue failed, or there is none. */
  | 'QUEUE_STORAGE'
  /** An older write of the same document waits in the offline queue. */
  | 'WRITE_QUEUED'
  /** The storage of a guest's secret failed. */
  | 'GUEST_STORAGE';

/** A step of an endpoint failed, through a mistake in its definition or an unexpected input. The code ends with the type of the step. */
export type StepFailure = `ENDPOINT_ERROR.${string}`;

/** Every code except those of endpoint authors. */
export type ErrorCode = Code | StepFailure | ClientCode;

/** The facts of an error beside code and message. */
export interface ErrorFacts {
  /** HTTP status, or the status in the body if a refusal came with 200; 0: no answer came. */
  readonly status?: number;
  /** How long the server asks to wait, ms. */
  readonly retryAfterMs?: number | undefined;
  /** The id of the request, also in the server's logs. */
  readonly requestId?: string | undefined;
  /** The whole `error` object of the answer, with the facts that belong to its code. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The body of the answer. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/**
 * The only class of errors that this library throws. `code` is for programs, `message` for people.
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

/** What a method whose name begins with `try` returns. */
export type Result<Value, Own extends string = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: SavepointError<Own> };

export function success<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

/** A result that is an error. */
export interface Failed {
  readonly ok: false;
  readonly error: SavepointError;
}

export function failure(code: ErrorCode, message: string, facts?: ErrorFacts): Failed {
  return { ok: false, error: new SavepointError(code, message, facts) };
}

/** Whether the error says that there is no document, or nothing of this player: the address was right. */
export function isMissing({ code, details }: SavepointError): boolean {
  return code === 'NOT_FOUND' && (details['missing'] === 'document' || details['missing'] === 'player');
}

/** Maps the value of a success. */
export function mapped<From, To, Own extends string>(result: Result<From, Own>, change: (value: From) => To): Result<To, Own> {
  return result.ok ? success(change(result.value)) : result;
}

/**
 * The value of a result; throws its error.
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

/** Resolves to the value of a result; throws its error. */
export async function orThrow<Value>(result: Promise<Result<Value>>): Promise<Value> {
  return unwrap(await result);
}
