import type { OutputNames } from '../domain/wire-names.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { isDatabaseOutage } from '../kernel/outage.ts';
import { AppendTooLarge, LogUnavailable, OutcomeUnknown } from '../log/port.ts';
import { type Answer, type AnswerContext, respond } from './answer.ts';

/** Seconds after which a client may retry, by code, if the refusal names none. An outage lasts longer than a queue. */
const RETRY_SECONDS: ReadonlyMap<string, string> = new Map([
  ['BUSY', '1'],
  ['BEHIND', '2'],
  ['BUILDING', '5'],
]);
const OUTAGE_RETRY_SECONDS = '30';

/** Answers whatever was thrown. An answer that cannot be written, such as one with an invalid header, is a fault of the server. */
export function answerRefusal(ctx: AnswerContext, thrown: unknown, names: OutputNames): void {
  const answer = (failed: unknown): Answer => {
    const failure = refusalOf(failed);
    if (failure !== failed) ctx.state.fault = failed;
    ctx.state.refused = failure;
    return refusalAnswer(failure, ctx.state.exchange.requestId, names);
  };
  const refused = answer(thrown);
  try {
    respond(ctx, refused);
  } catch (unsendable) {
    respond(ctx, { ...answer(unsendable), close: true });
  }
}

/** The refusal that the client sees. A fault becomes 500 without details. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof OutcomeUnknown) return refusal('OUTCOME_UNKNOWN');
  if (thrown instanceof AppendTooLarge) return refusal('APPEND_TOO_LARGE');
  if (thrown instanceof LogUnavailable || isDatabaseOutage(thrown)) return refusal('STORAGE_UNAVAILABLE');
  return refusal('INTERNAL_ERROR');
}

/** HTTP status of refusals that the game must read: its client shows no body with a status of 400 or more. */
const READABLE_STATUS = 200;

/** The error envelope. It has a copy of `message` at the top level, because the editor reads that one. */
function refusalAnswer(refused: Refusal, requestId: string, names: OutputNames): Answer {
  const { code, message, extra } = refused;
  const status = extra.forGame ? READABLE_STATUS : sendableStatus(refused.status);
  const body: Record<string, JsonObject[string]> = {
    ...extra.body,
    ok: false,
    error: { ...extra.error, code: names.code(code), message, requestId: extra.requestId ?? requestId },
    message,
  };
  // The client learns of the failure by a numeric `status` in the body.
  if (status !== refused.status) body['status'] = refused.status;
  return { status, body, headers: headersOf(refused, status), close: status === 408 };
}

/** The status to send. Authors may name any status, but with some of them HTTP sends no body, and the client would see an empty answer. */
export function sendableStatus(status: number): number {
  if (!Number.isInteger(status) || status < 200 || status > 599) return 200;
  return status === 204 || status === 205 || status === 304 ? 200 : status;
}

/** Headers of refusals with these codes, besides their facts. */
const HEADERS_OF: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['SECURITY_CONFIG_NOT_FOUND', { 'X-Security-Config-Source': 'missing' }],
]);

/** Headers for the facts of a refusal. */
export function factsOf({ code, extra }: Refusal): Readonly<Record<string, string>> {
  const { retryAfter, requestId, publish, challenge } = extra;
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    ...(requestId === undefined ? {} : { 'idempotent-replay': 'true' }),
    ...(publish === undefined ? {} : { 'x-ns-publish': publish }),
    ...(challenge === undefined ? {} : { 'WWW-Authenticate': challenge }),
    ...HEADERS_OF.get(code),
  };
}

/** A cache may keep a 404 or 410 without being asked to (RFC 9110 15.1), and would hide a document that is saved a moment later. */
function headersOf(refused: Refusal, status: number): Readonly<Record<string, string>> {
  const headers = { 'Cache-Control': 'no-store', ...factsOf(refused) };
  // After OUTCOME_UNKNOWN (504) a client must read before it repeats the request, so no header invites it to.
  if (status !== 503 || 'Retry-After' in headers) return headers;
  return { ...headers, 'Retry-After': RETRY_SECONDS.get(refused.code) ?? OUTAGE_RETRY_SECONDS };
}
