import type { ServerResponse } from 'node:http';
import type { Positioned } from '../app/app.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import { refusal } from '../kernel/errors.ts';
import { type Json, stringifyJson } from '../kernel/json.ts';
import { drain, hasUnreadBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Unsent } from './unsent.ts';

/** What a handler returns; {@link send} is the one place that writes it. Exactly one of `body` and `text` is there. */
export interface Answer {
  /** 200 when left out. */
  readonly status?: number;
  readonly body?: Json;
  /** The body's text where it was at hand. */
  readonly text?: string;
  /** `application/json; charset=utf-8` when left out. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What was asked for is done: this answer must not become a refusal. */
  readonly done?: boolean;
  /** The connection cannot be used again, such as after a body that never came. */
  readonly close?: boolean;
}

/** Smaller answers are neither counted nor refused: what a system keeps for a connection is more. */
const LARGE_BYTES = 65_536;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of an answer that reflects or made a revision of the project's log (design 6); no cache may keep it (runtime-storage 2.4). */
export function freshHeaders(at: Positioned): Record<string, string> {
  if (at.replayed) return { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position), 'idempotent-replay': 'true' };
  return at.stale
    ? { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position), 'x-ns-stale': 'true' }
    : { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position) };
}

/**
 * Writes an answer. What the client is still sending is taken in first, within bounds: a socket closed over unread bytes is reset,
 * and the client would never see its answer. Throws 503 BUSY instead of a large answer where too many wait to be taken already.
 */
export function send(
  res: ServerResponse,
  exchange: Exchange,
  answer: Answer,
  shared: readonly string[],
  unsent: Unsent,
  closing: boolean,
): Awaitable<void> {
  if (answer.close || !hasUnreadBody(exchange.req)) return write(res, exchange, answer, shared, unsent, closing);
  return drain(exchange.req).then((drained) => write(res, exchange, answer, shared, unsent, closing || !drained));
}

function write(res: ServerResponse, exchange: Exchange, answer: Answer, shared: readonly string[], unsent: Unsent, closing: boolean): void {
  if (res.headersSent || res.destroyed) return;

  const text = answer.text ?? stringifyJson(answer.body ?? null);
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGE_BYTES) countUnsent(res, exchange, answer, unsent, bytes);
  const headers = [
    'Content-Type',
    answer.contentType ?? JSON_TYPE,
    'Content-Length',
    String(bytes),
    'X-Correlation-ID',
    exchange.requestId,
    ...shared,
  ];
  for (const name in answer.headers) headers.push(name, answer.headers[name] ?? '');
  if (answer.close || closing) headers.push('Connection', 'close');

  res.writeHead(answer.status ?? 200, headers);
  if (exchange.method === 'HEAD') res.end();
  // As a text it would wait twice: as it is, and as the bytes of it.
  else res.end(bytes > LARGE_BYTES ? Buffer.from(text) : text);
}

/** Only what was read can be refused: it can be read again. */
function countUnsent(res: ServerResponse, exchange: Exchange, answer: Answer, unsent: Unsent, bytes: number): void {
  if (!unsent.hasRoomFor(bytes) && exchange.method === 'GET' && answer.done !== true) {
    throw refusal('BUSY', 'Too many answers wait to be taken; try again shortly');
  }
  unsent.add(res, bytes);
}
