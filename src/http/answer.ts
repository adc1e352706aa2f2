import type { Readable } from 'node:stream';
import type { Positioned } from '../app/app.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import { type Json, stringifyJson, tryParseJson } from '../kernel/json.ts';
import type { RoundRobin } from '../kernel/round-robin.ts';
import type { Context } from './exchange.ts';

/** What a handler returns: `body`, `text` or `stream`. */
export interface Answer {
  /** Left out: 200. */
  readonly status?: number;
  readonly body?: Json;
  /** The body as text if the text already exists; as bytes if the body is sent repeatedly. */
  readonly text?: string | Buffer;
  /** A streamed body, which ends when either side ends it (`event-stream.ts`). Its connection serves no other request. */
  readonly stream?: Readable;
  /** Left out: `application/json; charset=utf-8`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The command was carried out, so this answer must not become a refusal. */
  readonly done?: boolean;
  /** The connection must close, as after a body that never arrived. */
  readonly close?: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of an answer that made or reflects a revision of the project's log (`x-ns-position`). No cache may store it. */
export function freshHeaders(at: Positioned): Record<string, string> {
  if (at.replayed) return { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position), 'idempotent-replay': 'true' };
  return at.stale
    ? { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position), 'x-ns-stale': 'true' }
    : { 'Cache-Control': 'no-store', 'x-ns-position': String(at.position) };
}

/** The part of a request's context that an answer is written to. */
export type AnswerContext = Pick<Context, 'res' | 'status' | 'body' | 'state'>;

/** A text of more characters takes a while to encode. */
const LONG_TEXT = 65_536;

/**
 * Writes an answer into Koa's response, as {@link respond} does. One that has to be printed, or is long, is written when its project has
 * its turn: it was asked for by one project, and all others wait while it is printed. `project`: empty if it is of none.
 */
export function respondInTurn(ctx: AnswerContext, answer: Answer, project: string, turns: RoundRobin): Awaitable<void> {
  const { body, text } = answer;
  if (project === '' || (body === undefined && (typeof text !== 'string' || text.length <= LONG_TEXT))) return respond(ctx, answer);
  const write = () => turns.count(project, () => respond(ctx, { ...answer, text: encodedIfLong(text ?? stringifyJson(body ?? null)) }));
  const turn = turns.resume(project);
  return turn === null ? write() : turn.then(write);
}

function encodedIfLong(text: string | Buffer): string | Buffer {
  return typeof text === 'string' && text.length > LONG_TEXT ? Buffer.from(text) : text;
}

/** Writes an answer into Koa's response. Throws for a header that cannot be sent. */
export function respond(ctx: AnswerContext, answer: Answer): void {
  const { res } = ctx;
  for (const name in answer.headers) res.setHeader(name, answer.headers[name] ?? '');
  if (answer.close || answer.stream) res.setHeader('Connection', 'close');
  res.setHeader('Content-Type', answer.contentType ?? JSON_TYPE);
  ctx.status = answer.status ?? 200;
  ctx.body = answer.stream ?? answer.text ?? stringifyJson(answer.body ?? null);
  if (answer.done) ctx.state.done = true;
}

/** The answer as JSON; `undefined`: it is of another form. */
export function jsonOf({ body, text, contentType }: Answer): Json | undefined {
  if (contentType !== undefined && !contentType.includes('json')) return undefined;
  return text === undefined ? (body ?? null) : tryParseJson(text.toString());
}
