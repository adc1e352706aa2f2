import { randomUUID } from 'node:crypto';
import { isObject, type Json, parseJson, stringifyJson } from '../kernel/json.ts';
import { pause } from '../kernel/pause.ts';
import { RemoteRefusal, RemoteUnreachable } from './refusal.ts';

/** Sends one request to a server, with retries if they are safe. */

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** Whether it may be retried: a read, or a write of a route that takes an `Idempotency-Key`, which is then sent. */
  readonly again: 'read' | 'keyed' | 'never';
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt. */
  readonly timeoutMs?: number;
  /** Called before a pause: why the request is sent again, and after how many milliseconds. */
  readonly onRetry?: ((why: string, waitMs: number) => void) | undefined;
}

export interface Answered {
  /** The address that was asked. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** `undefined`: the answer had no body. A body that is not JSON, which a refusal may have, is its text. */
  readonly body: Json | undefined;
}

const ATTEMPTS = 5;
const TIMEOUT_MS = 120_000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const AGAIN = new Set([429, 502, 503, 504]);

/** Resolves to an answer with status 2xx. Throws {@link RemoteRefusal} for any other, and {@link RemoteUnreachable} if none came. */
export async function exchange(request: ServerRequest): Promise<Answered> {
  const body = request.body === undefined ? undefined : stringifyJson(request.body);
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(request.again === 'keyed' ? { 'idempotency-key': randomUUID() } : {}),
    ...request.headers,
  };
  for (let attempt = 1; ; attempt += 1) {
    const last = request.again === 'never' || attempt === ATTEMPTS;
    const answer = await once(request, headers, body, last);
    if (answer === null || (AGAIN.has(answer.status) && !last)) {
      const waiting = waitMs(attempt, answer?.headers.get('retry-after') ?? null);
      request.onRetry?.(answer === null ? 'No answer came.' : reasonOf(refused(answer)), waiting);
      await pause(waiting, request.signal);
      request.signal?.throwIfAborted();
    } else if (answer.status >= 200 && answer.status < 300) return answer;
    else throw refused(answer);
  }
}

function reasonOf({ status, code, message }: RemoteRefusal): string {
  return `${status} ${code}: ${message}`;
}

/** One attempt. `null`: no answer came, and the request may be retried. */
async function once(
  { method, url, signal, timeoutMs = TIMEOUT_MS }: ServerRequest,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  last: boolean,
): Promise<Answered | null> {
  const ends = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])];
  try {
    const response = await fetch(url, {
      method,
      headers,
      signal: AbortSignal.any(ends),
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    });
    return await answerOf(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RemoteUnreachable) throw error;
    if (last) throw unreachable(url, method, error, timeoutMs);
    return null;
  }
}

/** The answer of a response. Throws {@link RemoteUnreachable} for a body that is too large, and for a success that is not JSON. */
export async function answerOf(response: Response): Promise<Answered> {
  const { url, status, headers, ok } = response;
  const text = await readBody(response);
  const body = jsonIn(text);
  // JSON that was parsed never equals its text.
  if (ok && body === text && text !== '') throw strangeAnswer(url, 'it is no JSON');
  return { url, status, headers, body };
}

async function readBody({ body, url }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw strangeAnswer(url, `it is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/** The error for an answer that no Savepoint server gives. `why`: what is wrong with it, as the end of a sentence. */
export function strangeAnswer(url: string, why: string): RemoteUnreachable {
  return new RemoteUnreachable(
    'BAD_ANSWER',
    `${new URL(url).origin} gave an answer that is none of a Savepoint server: ${why}. Check the address, and what stands between.`,
  );
}

/** The JSON of a text; the text itself if it is none. `undefined`: it is empty. */
export function jsonIn(text: string): Json | undefined {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The refusal in an answer whose status is not 2xx. */
export function refused({ status, body }: Answered): RemoteRefusal {
  const whole = isObject(body) ? body : {};
  const error = whole['error'];
  const { code, message, ...details } = isObject(error) ? error : { code: error ?? null, message: whole['message'] ?? null };
  const text =
    typeof message === 'string'
      ? message
      : `The answer was ${status}${typeof body === 'string' ? `: ${body.slice(0, 200)}` : ''}. Is this the address of a Savepoint server?`;
  return new RemoteRefusal(status, typeof code === 'string' ? code : `HTTP_${status}`, text, details, whole);
}

/** The error for a request without an answer. `timeoutMs`: the timeout that it had. */
export function unreachable(url: string, method: string, error: unknown, timeoutMs = TIMEOUT_MS): RemoteUnreachable {
  const at = new URL(url).origin;
  if (error instanceof Error && error.name === 'TimeoutError') {
    const doubt = method === 'GET' ? '' : ' Whether it was done is not known: look before you repeat it.';
    return new RemoteUnreachable('NO_ANSWER', `${at} did not answer within ${timeoutMs / 1000} s.${doubt}`);
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const why = cause instanceof Error ? cause.message || code : String(cause);
  return new RemoteUnreachable('UNREACHABLE', `${at} cannot be reached (${why}). ${CURES[code] ?? 'Check the address and the network.'}`);
}

const UNKNOWN_ISSUER = 'This machine does not know who issued the certificate: NODE_EXTRA_CA_CERTS names a file with that of its issuer.';

const CURES: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: 'Nothing listens there: start the node (`savepoint dev` that of a folder), or check the address.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is of another name: check the address.',
  CERT_HAS_EXPIRED: 'Renew the certificate there.',
};

/** The delay before a retry: it doubles each time, with jitter, or is what the server asks for. */
function waitMs(attempt: number, retryAfter: string | null): number {
  const told = retryAfter !== null && /^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0;
  const own = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
  return Math.min(Math.max(told, own), MAX_PAUSE_MS);
}
