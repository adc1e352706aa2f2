import type { Positioned } from '../app/app.ts';
import { type Json, stringifyJson } from '../kernel/json.ts';
import type { Context } from './exchange.ts';

/** What a handler returns. Exactly one of `body` and `text` is there. */
export interface Answer {
  /** 200 when left out. */
  readonly status?: number;
  readonly body?: Json;
  /** The body's text where it was at hand, in bytes where it is sent again and again. */
  readonly text?: string | Buffer;
  /** `application/json; charset=utf-8` when left out. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What was asked for is done: this answer must not become a refusal. */
  readonly done?: boolean;
  /** The connection cannot be used again, such as after a body that never came. */
  readonly close?: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of an answer that reflects or made a revision of the project's log (design 6); no cache may keep it (runtime-storage 2.4). */
export function freshHeaders(at: Positioned): Record<string, string> {
  if (at.replayed) return { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position), 'idempotent-replay': 'true' };
  return at.stale
    ? { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position), 'x-ns-stale': 'true' }
    : { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position) };
}

/** Makes an answer Koa's response. Throws for a header that cannot be sent. */
export function respond(ctx: Pick<Context, 'res' | 'status' | 'body' | 'state'>, answer: Answer): void {
  const { res } = ctx;
  for (const name in answer.headers) res.setHeader(name, answer.headers[name] ?? '');
  if (answer.close) res.setHeader('Connection', 'close');
  res.setHeader('Content-Type', answer.contentType ?? JSON_TYPE);
  ctx.status = answer.status ?? 200;
  ctx.body = answer.text ?? stringifyJson(answer.body ?? null);
  if (answer.done) ctx.state.done = true;
}
