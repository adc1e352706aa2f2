import type { IncomingMessage } from 'node:http';
import { refusal } from '../../kernel/errors.ts';

/** Throws 400 INVALID_REQUEST for an HTTP/1.1 request with no host, or several (RFC 9112 3.2). Node would answer without an envelope. */
export function requireHost(req: IncomingMessage): void {
  if (req.httpVersion !== '1.1') return;
  const { rawHeaders } = req;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count += 1;
  }
  if (count !== 1) throw refusal('INVALID_REQUEST', `A request of HTTP/1.1 names its host in one header 'Host'; this one has ${count}`);
}

const HOST = 'host';
