import { readAnswer } from './answer.ts';
import { type Connection, fetcherOf, TIMEOUT_MS } from './connection.ts';
import { failure, type Result, success } from './errors.ts';
import { aborted, readReply } from './exchange.ts';
import type { ApiRequest } from './request.ts';

/** Opens a stream, in one attempt. Resolves as soon as the answer begins. */
export async function openStream(connection: Connection, ask: ApiRequest, signal: AbortSignal): Promise<Result<Response>> {
  const prepared = await connection.prepared(ask);
  if (!prepared.ok) return prepared;
  const { url, init, settings } = prepared.value;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), settings.timeoutMs ?? TIMEOUT_MS);
  try {
    // Redirects are not followed: they would send keys and tokens to another server.
    const response = await fetcherOf(settings)(url, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, timeout.signal]) });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (response.ok && response.body !== null && isStream) return success(response);
    const reply = await readReply(response, settings.maxAnswerBytes);
    if (!reply.ok) return reply;
    const answer = readAnswer(reply.value, JSON.parse, false);
    return answer.ok ? failure('INVALID_RESPONSE', 'The answer is no stream') : answer;
  } catch (cause) {
    if (timeout.signal.aborted && !signal.aborted) return failure('TIMEOUT', 'The stream did not open in time', { cause });
    return signal.aborted ? aborted(signal) : failure('NETWORK_ERROR', `The stream could not be opened: ${String(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
