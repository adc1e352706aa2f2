import type { Socket } from 'node:net';
import { newRequestId } from '../exchange.ts';

const PARSE_ERRORS: ReadonlyMap<string, readonly [status: string, code: string, message: string]> = new Map([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'HEADERS_TOO_LARGE', 'The headers are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'REQUEST_TIMEOUT', 'The request did not arrive in time']],
]);
const MALFORMED = ['400 Bad Request', 'INVALID_REQUEST', 'This is not valid HTTP'] as const;

/**
 * How long the sender may take to read this answer and close, ms. Node no longer checks this connection, so a sender that goes on would
 * keep it for ever. But closing at once, with bytes unread, would reset the connection and lose the answer.
 */
const LINGER_MS = 1_000;

/** Answers bytes that are not valid HTTP with an error envelope. They never become a request. */
export function answerMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [status, code, message] = PARSE_ERRORS.get(error.code ?? '') ?? MALFORMED;
  const requestId = newRequestId();
  const text = JSON.stringify({ ok: false, error: { code, message, requestId }, message });
  const headers = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Correlation-ID: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${text}`);
  const late = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(late));
}

/**
 * Whether an earlier request of this connection is being answered: other bytes would corrupt that answer. Node itself tests it the same
 * way.
 */
function isAnswering(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return typeof response === 'object' && response !== null && 'headersSent' in response && response.headersSent === true;
}
