import { AppendTooLarge, LogUnavailable, OutcomeUnknown } from '../port.ts';

/** The stream was deleted in the log itself. Its events are gone, so no request for it can ever succeed again. */
export class StreamDeleted extends Error {
  override readonly name = 'StreamDeleted';

  constructor(stream: string, cause?: unknown) {
    super(`the stream ${stream} was deleted in EventStoreDB; restore the log from a backup, or copy it to a new one`, { cause });
  }
}

/**
 * What the client says of a failure. There are three kinds:
 * - with `type` and without `code`: the server's answer to this one append;
 * - with `type` and `code`: the call failed. All appends share one call, so it failed for every append that waited for an answer;
 * - with `code` alone, or neither: it happened before anything was sent (finding the server, connecting, asking what it can do).
 */
export interface ClientFailure {
  readonly type: string | undefined;
  readonly code: number | undefined;
  readonly message: string;
  /** The revision that was found, when the expected one was wrong. */
  readonly actual: bigint | 'no_stream' | undefined;
}

export function failureOf(error: unknown): ClientFailure {
  const fields: { type?: unknown; code?: unknown; message?: unknown; actualVersion?: unknown } =
    typeof error === 'object' && error !== null ? error : {};
  const actual = fields.actualVersion;
  return {
    type: typeof fields.type === 'string' ? fields.type : undefined,
    code: typeof fields.code === 'number' ? fields.code : undefined,
    message: typeof fields.message === 'string' ? fields.message : String(error),
    actual: typeof actual === 'bigint' ? actual : actual === 'no_stream' ? actual : undefined,
  };
}

/** gRPC's code for a wrong account or password. Without any, the server refuses the call as that of an account without rights. */
const UNAUTHENTICATED = 16;
const UNKNOWN_ACCOUNT = 'the log does not know this account, or not with this password';
const GRANT = '; one that is no admin needs to be granted reading $all (docs/eventstoredb.md, "Account")';

/** gRPC's code with which a server before 24 ends a live subscription that had more than a few dozen events to take at once. */
const ABORTED = 10;

export function isTooSlow(error: unknown): boolean {
  return failureOf(error).code === ABORTED;
}

/** The server received the message and dropped it undone. Only the text of the error says so. */
const NOT_HANDLED = /Server Is (Not Ready|Busy)|No leader info/i;
const REFUSED = /BadRequest|Bad request/i;

/** The port's error for an append that failed. If it is not certain that nothing was stored, the outcome is unknown. */
export function appendFailure(error: unknown, stream: string): Error {
  const { type, code, message } = failureOf(error);
  if (type === undefined) return before(error, code, message);
  if (type === 'maximum-append-size-exceeded') return new AppendTooLarge('the log refused an append for its size', { cause: error });
  if (type === 'stream-deleted') return new StreamDeleted(stream, error);
  if (NOT_HANDLED.test(message)) return new LogUnavailable(`the log is not ready: ${message}`, { cause: error });
  if (code === UNAUTHENTICATED) return new OutcomeUnknown(UNKNOWN_ACCOUNT, { cause: error });
  if (code !== undefined) return new OutcomeUnknown(`the log broke off: ${message}`, { cause: error });
  if (type === 'access-denied') return new LogUnavailable(`the log does not let this account write to ${stream}`, { cause: error });
  if (REFUSED.test(message)) return new Error(`the log refused an append to ${stream}: ${message}`, { cause: error });
  return new OutcomeUnknown(`the log could not say whether it stored the append: ${message || type}`, { cause: error });
}

function before(error: unknown, code: number | undefined, message: string): Error {
  const unsent = code !== undefined || /discover/i.test(message);
  if (unsent) return new LogUnavailable(`the log cannot be reached: ${message}`, { cause: error });
  return new OutcomeUnknown(`the log's client failed: ${message}`, { cause: error });
}

/** The port's error for a read that failed. */
export function readFailure(error: unknown, stream: string): Error {
  if (error instanceof LogUnavailable) return error;
  const { type, code, message } = failureOf(error);
  if (type === 'stream-deleted') return new StreamDeleted(stream, error);
  if (code === UNAUTHENTICATED) return new LogUnavailable(UNKNOWN_ACCOUNT, { cause: error });
  if (type === 'access-denied') return new LogUnavailable(`the log does not let this account read ${stream}${GRANT}`, { cause: error });
  return new LogUnavailable(`the log cannot be reached: ${message}`, { cause: error });
}
