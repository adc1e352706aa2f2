import { type ErrorCode, failure, type Result, SavepointError, success } from './errors.ts';
import type { Reply } from './exchange.ts';

/** Reads answers of the server. */

/** The answer to a request that was carried out. */
export interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
  /** What `body` was read of. */
  readonly text: string;
}

type Members = Readonly<Record<string, unknown>>;

/** What a member of an answer is; `value`: anything that is there. */
type Kind = 'string' | 'boolean' | 'list' | 'object' | 'value';

/** The members that an answer has for certain. `any`: it is any JSON. */
export type AnswerShape = 'any' | Readonly<Record<string, Kind>>;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an answer. `refusesWith200`: a refusal may have status 200, as it has for calls and sessions. */
export function readAnswer({ status, headers, text }: Reply, parse: (text: string) => unknown, refusesWith200: boolean): Result<Answer> {
  const read = parsedBody(text, parse);
  if (status === 0 || (status >= 300 && status < 400)) {
    return failure('HTTP_ERROR', 'The server redirects to another address; configure the client with that one', { status });
  }
  if (status >= 400) return { ok: false, error: refusalIn(read.ok ? read.value : null, status, headers) };
  if (!read.ok) return failure('INVALID_RESPONSE', text === '' ? 'The answer is empty' : 'The answer is not JSON', { status });
  if (refusesWith200 && isRefused(read.value)) return { ok: false, error: refusalIn(read.value, status, headers) };
  return success({ body: read.value, headers, text });
}

/** The answer if it has the shape, which what stands between client and server may not give it. */
export function fitting(answer: Answer, shape: AnswerShape = {}): Result<Answer> {
  if (shape === 'any') return success(answer);
  const { body } = answer;
  if (!isObject(body)) return strangeAnswer('it is no JSON object');
  const missing = Object.entries(shape).find(([name, kind]) => !isOf(kind, body[name]));
  return missing === undefined ? success(answer) : strangeAnswer(`its member ${missing[0]} is missing or of another type`);
}

/** The failure for an answer that no node gives. `why`: the end of a sentence. */
export function strangeAnswer(why: string): Result<never> {
  return failure('INVALID_RESPONSE', `The answer is none of a node: ${why}`);
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'object') return isObject(value);
  return kind === 'value' ? value !== undefined : typeof value === kind;
}

function parsedBody(text: string, parse: (text: string) => unknown): Result<unknown> {
  try {
    return success(parse(text));
  } catch (cause) {
    return failure('INVALID_RESPONSE', 'The answer is not JSON', { cause });
  }
}

/** Whether a body is a refusal, in any of the forms that authors use. */
function isRefused(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { ok, error, status } = body;
  return ok === false || (isObject(error) && ok !== true) || typeof error === 'string' || (typeof status === 'number' && status >= 400);
}

function refusalIn(body: unknown, httpStatus: number, headers: Headers): SavepointError {
  const { error, message, status } = isObject(body) ? body : ({} as Members);
  const details = isObject(error) ? error : {};
  const code = nonEmptyString(isObject(error) ? error['code'] : error);
  const text = details['message'] ?? message;
  const actualStatus = typeof status === 'number' && httpStatus < 400 ? status : httpStatus;
  const requestId = nonEmptyString(details['requestId']) ?? nonEmptyString(headers.get('x-correlation-id'));
  return new SavepointError(
    codeOf(code, httpStatus, details['missing'], requestId),
    nonEmptyString(text) ?? `The server answered ${httpStatus}`,
    { status: actualStatus, retryAfterMs: retryAfterOf(headers), requestId, details, body },
  );
}

/** The code of a refusal. A wrong address is told from a missing document by what the server says is missing. */
function codeOf(code: string | undefined, httpStatus: number, missing: unknown, requestId: string | undefined): ErrorCode {
  if (code === 'NOT_FOUND' && (missing === 'route' || missing === 'collection'))
    return missing === 'route' ? 'ROUTE_NOT_FOUND' : 'COLLECTION_NOT_FOUND';
  if (code !== undefined) return code as ErrorCode;
  if (httpStatus < 400) return 'UNKNOWN';
  // Without a request id it is not the game server that answers.
  return httpStatus === 404 && requestId === undefined ? 'ROUTE_NOT_FOUND' : 'HTTP_ERROR';
}

function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `Retry-After` in ms. The header holds seconds or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null || text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  // The server's clock counts if the answer names it, because this machine's clock may be hours off.
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const until = Date.parse(text);
  return Number.isNaN(until) ? undefined : Math.max(0, until - now);
}
