import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { DefaultContext } from 'koa';
import type { Family } from '../contract/families.ts';
import { refusal } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';

/** One request on its way, as far as the transport has taken it apart. Lives in `ctx.state.exchange`. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  /** As sent, without the query: the only part of the address that may be logged, because the query carries keys. */
  readonly path: string;
  readonly search: string;
  /** `performance.now()`. */
  readonly startedAt: number;
  /** Whom a request counts for; `null`: nobody, as it comes from this machine. */
  readonly addressOf: AddressOf;
  /** Parsed on first use; see {@link queryOf}. */
  query: ParsedUrlQuery | null;
  /** Routes that the prefix of the path stands for, once `locate` has found one. */
  family: Family;
  /** The path under its canonical prefix, as well. */
  location: string;
  /** Pattern of the matched route, for metrics. */
  route: string;
  /** What it is named by where it is to happen once; `null` for nearly all. */
  intent: Named | null;
}

/** What has to see the body of its request. */
export interface Named {
  read(body: Json, bytes: Buffer): void;
}

export interface State {
  exchange: Exchange;
  /** What was asked for is done: its answer must not become a refusal. */
  done?: boolean;
  /** What was thrown where that was no refusal: for the log. */
  fault?: unknown;
}

/** A member of the chain that every request passes. */
export type Middleware = Koa.Middleware<State>;

export type Context = RouterContext<State, DefaultContext, unknown>;

declare const params: unique symbol;
declare const query: unique symbol;

/** The context of a route whose path has these parameters. */
export interface WithParams<Names extends string> {
  readonly [params]?: { readonly [Name in Names]: unknown };
}

/** The context of a route that reads these query parameters. */
export interface Asking<Names extends string> {
  readonly [query]?: { readonly [Name in Names]: unknown };
}

const EMPTY_QUERY: ParsedUrlQuery = Object.create(null);
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

export type AddressOf = (req: IncomingMessage) => string | null;

export function openExchange(req: IncomingMessage, addressOf: AddressOf): Exchange {
  const target = originForm(req.url ?? '/');
  const cut = target.indexOf('?');
  return {
    req,
    method: req.method ?? 'GET',
    headers: req.headers,
    requestId: requestIdOf(req.headers['x-correlation-id']),
    path: cut < 0 ? target : target.slice(0, cut),
    search: cut < 0 ? '' : target.slice(cut + 1),
    startedAt: performance.now(),
    addressOf,
    query: null,
    family: 'system',
    location: '',
    route: 'unmatched',
    intent: null,
  };
}

/** A proxy may send `GET http://host/path`; everything up to the path is dropped. */
function originForm(target: string): string {
  if (target.charCodeAt(0) === 47) return target;
  return target.replace(/^https?:\/\/[^/?]*/i, '');
}

/** Without a digit 4: an editor takes an error for a missing route when `404` stands anywhere in its text (management 19.4). */
const idPrefix = `req_${randomBytes(8).toString('hex').replaceAll('4', '5')}`;
let idCounter = 0;

/** The caller's own id where it is 1 to 128 printable characters (security 9.3), else a new one. */
function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && PRINTABLE.test(sent) ? sent : newRequestId();
}

/** A random start per process and a counter: unique, and cheaper than random bytes per request. */
export function newRequestId(): string {
  idCounter = (idCounter + 1) % 0x1_0000_0000;
  return idPrefix + idCounter.toString(4).padStart(16, '0');
}

export function queryOf(exchange: Exchange): ParsedUrlQuery {
  // All of them: the address is bounded.
  exchange.query ??= exchange.search === '' ? EMPTY_QUERY : parse(exchange.search, '&', '=', { maxKeys: 0 });
  return exchange.query;
}

/** First value of a query parameter; empty is the same as absent. */
export function queryText(exchange: Exchange, name: string): string | null {
  const value = queryOf(exchange)[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text ? text : null;
}

/** Value of a header by its lower-case name; empty is the same as absent. */
export function headerText(exchange: Exchange, name: string): string | null {
  const value = exchange.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text ? text : null;
}

/** The first of several names that carries anything. */
export function firstHeader(exchange: Exchange, names: readonly string[]): string | null {
  for (const name of names) {
    const text = headerText(exchange, name);
    if (text) return text;
  }
  return null;
}

export function firstQuery(exchange: Exchange, names: readonly string[]): string | null {
  if (exchange.search === '') return null;
  for (const name of names) {
    const text = queryText(exchange, name);
    if (text) return text;
  }
  return null;
}

/** First value of a query parameter of the route; empty is the same as absent. */
export function asked<Name extends string>(ctx: Context & Asking<Name>, name: Name): string | null {
  return queryText(ctx.state.exchange, name);
}

/** A parameter of the matched route, decoded. */
export function param<Name extends string>(ctx: Context & WithParams<Name>, name: Name): string {
  const value: unknown = ctx.params[name];
  if (typeof value !== 'string' || value === '') throw refusal('NOT_FOUND');
  return value;
}
