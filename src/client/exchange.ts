import { failure, type Result, type SavepointError, success } from './errors.ts';
import type { Fetch } from './options.ts';

/** Sends one request and reads its answer, with a timeout and a bound. */

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface ExchangeOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Far above what a node sends. */
const MAX_ANSWER_BYTES = 67_108_864;

export async function exchange(
  fetcher: Fetch,
  url: string,
  init: RequestInit,
  { timeoutMs, maxBytes, signal }: ExchangeOptions,
): Promise<Result<Reply>> {
  if (hasEnded(signal)) return aborted(signal);
  const ending = new AbortController();
  const stop = () => ending.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  try {
    // Redirects are not followed: a redirected POST would arrive as a GET.
    const response = await fetcher(url, { ...init, redirect: 'manual', signal: ending.signal });
    return await readReply(response, maxBytes);
  } catch (cause) {
    if (hasEnded(signal)) return aborted(signal);
    if (ending.signal.aborted) return failure('TIMEOUT', `No answer within ${timeoutMs} ms`, { cause });
    return failure('NETWORK_ERROR', `No answer from ${url.split('?')[0]}: ${reason(cause)}${hint()}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Reads a whole answer of at most `maxBytes`. What is beyond is not received. */
export async function readReply(response: Response, maxBytes = MAX_ANSWER_BYTES): Promise<Result<Reply>> {
  const { body, status, headers } = response;
  // On some platforms, such as React Native, an answer has no stream.
  if (!body) return success({ status, headers, text: await response.text() });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return success({ status, headers, text: text + decoder.decode() });
    bytes += value.length;
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined);
      return failure('RESPONSE_TOO_LARGE', `The answer is larger than ${maxBytes} bytes (maxAnswerBytes)`, { status });
    }
    text += decoder.decode(value, { stream: true });
  }
}

export function aborted(signal: AbortSignal | undefined): { readonly ok: false; readonly error: SavepointError } {
  return failure('ABORTED', 'The request was aborted', { cause: signal?.reason });
}

/** The reason of a network error, which Node puts into the error's cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

/** Browsers do not tell a page whether the node is down or refuses the page's origin, so the message names both. */
function hint(): string {
  const { location } = globalThis as { readonly location?: { readonly origin?: string } };
  return location?.origin ? `. Does it run, and let ${location.origin} in (CORS_ORIGINS)?` : '';
}

// A function, because the compiler would take a second look at `aborted` for a repetition of the first.
const hasEnded = (signal: AbortSignal | undefined) => signal?.aborted === true;
