import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { CustomFetch } from 'openid-client';
import { publicOnly } from '../public-only.ts';

/** What an issuer answers at most: descriptions, keys and tokens are a few kilobytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Requests to an issuer and to what its description names. The issuer's own host may be anywhere, because the operator has named it;
 * another host must be a public one. Redirects are not followed, and what is too long is no answer.
 */
export function boundedFetch(issuer: URL): CustomFetch {
  return (address, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const url = new URL(address);
      const isOwn = url.hostname === issuer.hostname;
      if (!isOwn && (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0 || url.hostname === 'localhost'))
        return reject(new Error(`its description names ${url.host}, which is no public host`));
      const text =
        body === undefined || body === null ? null : Buffer.from(body instanceof URLSearchParams ? body.toString() : String(body));
      const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const length = text === null ? {} : { 'content-length': String(text.length) };
      const options = { method, headers: { ...headers, ...length }, agent: false, signal, ...(isOwn ? {} : { lookup: publicOnly }) };
      const sent = open(url, options, (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > MAX_BYTES) answer.destroy(new Error(`${url.host} answers with more than ${MAX_BYTES} bytes`));
        });
        answer.on('error', reject);
        answer.on('end', () => resolve(answerOf(answer.statusCode ?? 500, answer.headers['content-type'], Buffer.concat(chunks))));
      });
      sent.on('error', (error) => reject(signal?.aborted ? new Error(`${url.host} did not answer in time`) : error));
      sent.end(text);
    });
}

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function answerOf(status: number, type: string | undefined, bytes: Buffer): Response {
  const init = { status: Math.max(200, status), headers: type === undefined ? {} : { 'content-type': type } };
  return new Response(BODILESS.has(status) ? null : new Uint8Array(bytes), init);
}
