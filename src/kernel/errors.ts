import type { JsonObject } from './json-value.ts';

/** Every refusal of the product itself: code, HTTP status, default text. The codes of endpoint authors are not here. */
export const CATALOGUE = {
  ACCESS_DENIED: [403, 'Access denied'],
  ADDRESS_TAKEN: [400, 'Another route has this address, so nothing could be reached under it; choose another name'],
  ALREADY_UNDONE: [409, 'This commit is undone already'],
  ANSWER_TOO_LARGE: [413, 'The answer is larger than what is kept for an Idempotency-Key; nothing was written'],
  APPEND_TOO_LARGE: [413, 'This change is too large for one commit; split it'],
  APPROVALS_OFF: [409, 'This project asks for no second person: its setting is `approvals`'],
  APPROVAL_NEEDED: [409, 'A second person has to approve this before it goes live'],
  APPROVAL_PHASE: [409, 'This approval is in another phase'],
  APPROVER_IS_AUTHOR: [403, 'Whoever staged a part of this does not approve it: another person does'],
  APPROVER_IS_KEY: [403, 'Keys do not approve: a person does, in the console or signed in with `savepoint login`'],
  AT_AFTER_LAST: [404, 'The log of this project has no such revision yet'],
  AT_BEFORE_FIRST: [404, 'This project had no event yet at that time'],
  AT_IN_FUTURE: [400, 'What will be cannot be read: this time has not come yet'],
  AUTH_SESSION_DISABLED: [403, 'Auth sessions are not enabled for this project: its setting is enableAuthSessions'],
  AUTH_SESSION_EXPIRED: [401, 'This session has expired'],
  AUTH_SESSION_INVALID: [401, 'This is not a valid session token'],
  AUTH_SESSION_PLATFORMID_MISMATCH: [401, 'The player that was proven is not the one that was named'],
  AUTH_SESSION_REQUIRED: [401, 'This needs a session token'],
  BEHIND: [503, 'The read models of this project are too far behind; try again shortly'],
  BUILDING: [503, 'This leaderboard is being built from the stored documents; try again shortly'],
  BUSY: [503, 'Too many writes are waiting for this project; try again shortly'],
  COLLECTION_TOO_LARGE: [409, 'This collection holds too many documents for that'],
  COLLECTION_TYPE_MISMATCH: [400, 'This operation needs a global collection: `collectionType: global` in its definition'],
  COMPILE_LIMIT: [400, 'These definitions take too long or too much memory to compile; push them in smaller parts'],
  COMPILER_FAILED: [500, 'The compiler of definitions failed; nothing was written'],
  CONFIRM_NEEDED: [409, 'This button asks first: send the text that it asks as `confirm`'],
  CORRECTION_BLOCKED: [409, 'Something stands in the way of this correction; nothing was written'],
  DISABLED: [403, 'This project is currently disabled'],
  ENCRYPTED_REQUEST_INVALID_ID: [400, 'The request id has another form than `{unixSeconds}_{random}`'],
  ENCRYPTED_REQUEST_REPLAY_DETECTED: [409, 'This request was received before'],
  ENCRYPTED_REQUEST_STALE: [400, 'This request is too old, or its clock is ahead'],
  ENDPOINT_DEPRECATED: [410, 'This endpoint is deprecated'],
  ENDPOINT_DISABLED: [403, 'This endpoint is disabled'],
  ENDPOINT_EXECUTION_FAILED: [500, 'The endpoint failed unexpectedly'],
  ENDPOINT_NOT_FOUND: [
    404,
    'No endpoint with this slug. Until it is promoted, what was pushed to next answers only to calls for next (x-ns-publish-target: next)',
  ],
  ENDPOINT_NOT_SUPPORTED: [501, 'This endpoint uses a step that this server does not run'],
  ENDPOINT_ONLY: [
    403,
    'This collection is reached through endpoints only; `access` or `accessMode: public` in its definition opens it to games',
  ],
  FORBIDDEN: [403, 'This key may not do that'],
  GRANT_PHASE: [409, 'This grant is in another phase'],
  GUESTS_DISABLED: [403, 'This project has no guests: its setting is guestSignIn'],
  GUEST_CODE_INVALID: [401, 'This recovery code is wrong, was used, or was replaced by a newer one'],
  GUEST_CONFLICT: [409, 'The present state of the guest does not allow this'],
  GUEST_NOT_LINKED: [404, 'No guest is linked to this account'],
  HISTORY_MISMATCH: [503, 'The log and the read models of this project hold different histories; run `savepoint rebuild`'],
  IDEMPOTENCY_KEY_REUSED: [409, 'This Idempotency-Key was used for another request: another method, path or body takes a new key'],
  INTERNAL_ERROR: [500, 'Unexpected error'],
  INVALID_ANALYTICS_EVENT: [400, 'This is not a usable analytics event'],
  INVALID_AT: [400, '`at` must be a revision of the log or an ISO time with its zone'],
  INVALID_BODY: [400, 'The body must be a JSON object'],
  INVALID_INPUT: [400, 'The input does not fit the endpoint'],
  INVALID_JSON: [400, 'The body is not valid JSON'],
  INVALID_KEY: [400, 'This is not a usable player id'],
  INVALID_OPERATION: [400, 'An operation is not valid'],
  INVALID_PLATFORMID: [400, 'This is not a valid player id; PLATFORM_ID_PATTERN says what one looks like'],
  INVALID_REQUEST: [400, 'A header, a parameter or the path is not usable; the message says which'],
  KEY_DISABLED: [403, 'This key is disabled'],
  ECONOMY_RANGE_TOO_LARGE: [
    400,
    'The economy holds too much for this read; ask for fewer days (from, to), or name a currency and a source',
  ],
  LEDGER_RANGE_TOO_LARGE: [400, 'The ledger holds too many entries for this read; ask for a shorter range (from, to), or page by cursor'],
  LIMIT_EXCEEDED: [400, 'A limit of the endpoint language was exceeded'],
  LOOK_NOT_RECORDED: [
    503,
    'Who looks at the data of a player is recorded, and the log does not take it now; nothing is shown. Try again shortly',
  ],
  MANAGEMENT_MUTATION_FAILED: [500, 'The change failed unexpectedly; nothing was written'],
  MISSING_PLATFORM_ID: [400, 'This needs the id of a player'],
  NOT_FOUND: [404, 'There is no such route: check method and path'],
  NOTHING_TO_APPROVE: [409, 'This would change nothing that is live'],
  NOTHING_TO_ROLL_BACK: [409, 'Nothing was published live, or all of it was rolled back'],
  NOTHING_TO_UNDO: [409, 'This commit did nothing that could be undone'],
  OUTCOME_UNKNOWN: [
    504,
    'The write was sent, but it is not known yet whether it was stored. With the same Idempotency-Key it may be sent again; without one, read before you repeat it',
  ],
  PAST_TIMEOUT: [503, 'It took too long to read back to what was; try again, which goes on from where this ended'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large'],
  PLATFORM_AUTH_FAILED: [401, 'The player could not be verified'],
  PREFLIGHT_VALIDATION_FAILED: [400, 'Preflight validation failed. No resources were written.'],
  PROMOTION_PHASE: [409, 'Another promotion is scheduled, or none is'],
  PROMOTION_FINDINGS: [409, 'Stored data does not fit what is staged'],
  PUBLISH_CONFLICT: [409, 'Somebody else has published since the revision that this is based on; nothing was written'],
  PUBLISH_NOT_FOUND: [404, 'Nothing was published live at this revision'],
  PROJECT_DISABLED: [403, 'This project is disabled'],
  QUERY_FAILED: [500, 'The query could not be run'],
  QUERY_TIMEOUT: [503, 'The query took too long, because it passes over all documents of its collections'],
  QUOTA_EXCEEDED: [429, 'The project has used up what it may store'],
  RATE_LIMIT: [429, 'A rate limit was reached'],
  RATE_LIMIT_DAILY: [429, 'The daily limit was reached'],
  RATE_LIMITED: [429, 'Too many requests'],
  RECORD_DELETE_DISABLED: [403, 'This collection does not allow deletes; `allowRecordDelete: true` in its definition does'],
  REDACTED: [410, 'What was stored there was redacted'],
  REQUEST_SIGNATURE_INVALID: [401, 'The envelope of this request is not valid'],
  REQUEST_TIMEOUT: [408, 'The body did not arrive in time'],
  REVEAL_NEEDED: [403, 'This shows values of persons, is ordered by them, or tells of them: it takes a reason in the header x-ns-reveal'],
  REVISION_OUTDATED: [426, 'This version of the game is too old; update it to play on'],
  RESULT_TOO_LARGE: [413, 'The answer is too large; a query can name the `columns` that it needs, or ask for fewer rows'],
  RECORD_LIMIT_REACHED: [409, 'The player has as many records as the collection allows'],
  RECORD_NOT_FOUND: [404, 'The player has no record with this id'],
  ROLLBACK_TIMEOUT: [503, 'It took too long to read back to what live was; nothing was written. Roll back to a later publish'],
  SAVE_VERSION_REQUIRED: [409, 'This collection needs the save version that the write is based on'],
  SCAN_TOO_LARGE: [400, 'This collection holds more documents than a step may look through'],
  SCHEMA_VALIDATION_FAILED: [400, 'The document does not fit the schema of its collection'],
  SECURITY_CONFIG_NOT_FOUND: [404, 'This project has no security configuration'],
  SECURITY_ENCRYPTION_REQUIRED: [409, 'This project takes sealed requests only'],
  SECURITY_SESSION_DISABLED: [409, 'This project does not use sessions'],
  SECRET_KEY_INVALID: [401, 'Invalid secret key'],
  SECRET_KEY_REQUIRED: [401, 'This needs a secret key, in the header x-secret-key'],
  SIGNED_OUT: [401, 'Nobody is signed in here, or the session is over: sign in again'],
  SOURCE_COMPILE_FAILED: [400, 'The source text could not be compiled'],
  STALE_SAVE: [409, 'The document has changed since it was read; load it again'],
  STORAGE_UNAVAILABLE: [503, 'The storage cannot be reached; try again shortly'],
  TEST_NOT_FOUND: [404, 'No test with this id'],
  UNAUTHORIZED: [401, 'Invalid API key'],
  UNIQUE_VIOLATION: [409, 'Another document of this collection holds this value'],
  UNKNOWN_EVENT: [503, 'This project holds events that this node does not know; run a newer version'],
  STRICT_FINDINGS: [400, 'The validator has findings, and this push refuses them (strict); nothing was written'],
  UNKNOWN_PARAMETER: [400, 'This parameter is not served here'],
  UNKNOWN_SECTION: [400, 'A push has no such section'],
  UNSUPPORTED_ENCODING: [415, 'The body of a request must not be compressed; send it without Content-Encoding'],
  VALIDATION_FAILED: [400, 'The definition is not valid'],
  WRITE_CONFLICT: [409, 'Other writes kept changing what this one is based on; try again'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type Code = keyof typeof CATALOGUE;

/** What a `NOT_FOUND` is about. `route`: nothing is served under this method and path. */
export const MISSING = [
  'route',
  'collection',
  'document',
  'record',
  'query',
  'player',
  'page',
  'commit',
  'currency',
  'alarm',
  'definition',
  'grant',
  'approval',
  'button',
] as const;

/** Facts of a refusal besides code and text. */
export interface RefusalExtra {
  /** Members of `error` besides `code` and `message`. */
  readonly error?: JsonObject;
  /** Members at the top level besides `ok`, `error` and `message`. */
  readonly body?: JsonObject;
  /** Seconds after which the same request may be sent again. */
  readonly retryAfter?: number;
  /** Id of the first request, if this refusal is a repeated answer. */
  readonly requestId?: string;
  /** Beginning of the hash of the definitions that refused an endpoint call. */
  readonly publish?: string;
  /** The way in which a caller has to authenticate. */
  readonly challenge?: 'Bearer';
  /** Whether the game itself must learn the reason: its client does not show the body of a failed request. */
  readonly forGame?: true;
}

/**
 * A refused request, with all facts for its answer. Deciders return it, the layers above throw it. It is an `Error` only so that it can be
 * thrown. It has no stack, because a refusal is no fault and must be cheap.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly extra: RefusalExtra;

  constructor(status: number, code: string, message: string, extra: RefusalExtra = {}) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
    this.status = status;
    this.code = code;
    this.extra = extra;
  }
}

/** The result of a decision. Throws its refusal: deciders return refusals, use cases throw them. */
export function accepted<T>(decision: T | Refusal): T {
  if (decision instanceof Refusal) throw decision;
  return decision;
}

/** The result of a decision with many steps, each of which may throw its refusal. Other errors pass through. */
export function refusable<T>(decide: () => T): T | Refusal {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** A refusal from the catalogue. `message` replaces the default text. */
export function refusal(code: Code, message?: string, extra?: RefusalExtra): Refusal {
  const [status, text] = CATALOGUE[code];
  return new Refusal(status, code, message ?? text, extra);
}

/** A `NOT_FOUND` that says in `error.missing` what there is not, so that a wrong address is not taken for a missing document. */
export function notFound(missing: (typeof MISSING)[number], message?: string): Refusal {
  return refusal('NOT_FOUND', message, { error: { missing } });
}
