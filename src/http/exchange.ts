import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { DefaultContext } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Caller, PresentedCredentials } from '../app/app.ts';
import type { Family } from '../contract/families.ts';
import type { PublishTarget } from '../domain/events.ts';
import { notFound, type Refusal } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';

/** The parameters of a query. Requests with the same query share one object. */
export type Query = { readonly [Name in keyof ParsedUrlQuery]: string | readonly string[] | undefined };

/** One request as the transport sees it. It lives in `ctx.state.exchange`. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  /** The id that this node made for the request; `null`: it has only the caller's own. */
  madeId: string | null;
  /** Path as sent, without the query: only this part of the address may be logged, because the query carries keys. */
  readonly path: string;
  readonly search: string;
  /** `performance.now()` at the start. */
  readonly startedAt: number;
  /** The address that a request counts for; `null`: it comes from this machine and is not counted. */
  readonly addressOf: AddressOf;
  /** Parsed on first use; see {@link queryOf}. */
  query: Query | null;
  /** The family of routes of the path's prefix, set when `locate` has found it. */
  family: Family;
  /** The path under its canonical prefix, set at the same time. */
  location: string;
  /** Pattern of the matched route, for metrics. */
  route: string;
  /** The idempotency key of the request; `null` for nearly all requests. */
  keyed: BodyListener | null;
  /** The sender; `null` until the key is resolved. */
  caller: Caller | null;
  /** How its endpoint call ended. */
  call: CallOutcome | null;
  /** The person who asks through the console. It asks for the session whenever it is called. */
  person: PresentedCredentials['person'];
  /** What looks through the body of a person's request before its route sees it (`person-gate.ts`). */
  gate: ((body: Json) => Promise<void>) | null;
}

/** How one endpoint call ended. */
export interface CallOutcome {
  readonly project: string;
  readonly slug: string;
  readonly status: number;
  /** The endpoint ran and gave this answer itself. */
  readonly answered: boolean;
  /** The code that the caller got; `null` for a success. */
  readonly code: string | null;
  /** The message of a call that was refused or failed. */
  readonly message: string | null;
  /** The step that failed, as `pay > charge > enough`; `null`: none. */
  readonly step: string | null;
  readonly target: PublishTarget;
  /** The player that the request named. */
  readonly platformId: string | null;
  /** The revision in the answer; `null`: it has none. */
  readonly revision: number | null;
}

/** Receives the body of its request as soon as it has been read. */
export interface BodyListener {
  read(body: Json, bytes: Buffer): void;
}

export interface State {
  exchange: Exchange;
  /** The command was carried out, so its answer must not become a refusal. */
  done?: boolean;
  /** What was thrown if it was no refusal, for the log. */
  fault?: unknown;
  /** The refusal that was answered. */
  refused?: Refusal;
}

/** One middleware of the chain that every request passes. */
export type Middleware = Koa.Middleware<State>;

export type Context = RouterContext<State, DefaultContext, unknown>;

declare const params: unique symbol;
declare const query: unique symbol;

/** The context of a route whose path has these parameters. */
export interface WithParams<Names extends string> {
  readonly [params]?: { readonly [Name in Names]: unknown };
}

/** The context of a route that reads these query parameters. */
export interface WithQuery<Names extends string> {
  readonly [query]?: { readonly [Name in Names]: unknown };
}

const EMPTY_QUERY: Query = Object.create(null);
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

export type AddressOf = (req: IncomingMessage) => string | null;

export function openExchange(req: IncomingMessage, addressOf: AddressOf): Exchange {
  const target = originForm(req.url ?? '/');
  const queryAt = target.indexOf('?');
  const sentId = req.headers['x-correlation-id'];
  const requestId = requestIdOf(sentId);
  return {
    req,
    method: req.method ?? 'GET',
    headers: req.headers,
    requestId,
    madeId: requestId === sentId ? null : requestId,
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    search: queryAt < 0 ? '' : target.slice(queryAt + 1),
    startedAt: performance.now(),
    addressOf,
    query: null,
    family: 'system',
    location: '',
    route: 'unmatched',
    keyed: null,
    caller: null,
    call: null,
    person: null,
    gate: null,
  };
}

/** The path and query of a request target. A proxy may send `GET http://host/path`; scheme and host are dropped. */
function originForm(target: string): string {
  if (target.charCodeAt(0) === 47) return target;
  return target.replace(/^https?:\/\/[^/?]*/i, '');
}

const EXPLAINED = '/explain/';

/** A path as logs tell it: what somebody asks about by `explain` may be personal, such as an e-mail address. */
export function loggedPath(path: string): string {
  const at = path.indexOf(EXPLAINED);
  return at < 0 ? path : `${path.slice(0, at + EXPLAINED.length)}…`;
}

/** Without the digit 4, because an editor takes any error text that contains `404` for a missing route. */
const idPrefix = `req_${randomBytes(8).toString('hex').replaceAll('4', '5')}`;
let idCounter = 0;

/** The caller's own id if it has 1 to 128 printable characters, else a new one. */
function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && PRINTABLE.test(sent) ? sent : newRequestId();
}

/** A request id: a random start per process and a counter. It is unique, and cheaper than random bytes per request. */
export function newRequestId(): string {
  idCounter = (idCounter + 1) % 0x1_0000_0000;
  return idPrefix + idCounter.toString(4).padStart(16, '0');
}

/** Whether this process has made the id: such a text holds no secret of a client. */
export function isOwnRequestId(id: string): boolean {
  return id.startsWith(idPrefix) && OWN_COUNT.test(id.slice(idPrefix.length));
}

const OWN_COUNT = /^[0-3]{16}$/;

/** Parsed queries. A game sends the same few with nearly all of its requests: its key, a page. They are never modified. */
const parsedQueries = new LRUCache<string, Query>({ max: 500 });
const MAX_CACHED_LENGTH = 256;

export function queryOf(exchange: Exchange): Query {
  exchange.query ??= parsedQuery(exchange.search);
  return exchange.query;
}

function parsedQuery(search: string): Query {
  if (search === '') return EMPTY_QUERY;
  const known = parsedQueries.get(search);
  if (known !== undefined) return known;
  if (search.length > MAX_CACHED_LENGTH) return parameters(search);
  // Copied, because a slice of the address would keep the whole address in memory.
  const own = Buffer.from(search).toString();
  const query = parameters(own);
  parsedQueries.set(own, query);
  return query;
}

/** Parses all parameters: their number is bounded by the length of the address. */
function parameters(search: string): Query {
  return parse(search, '&', '=', { maxKeys: 0 });
}

/** First value of a query parameter. `null`: absent or empty. */
export function queryText(exchange: Exchange, name: string): string | null {
  const value = queryOf(exchange)[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text ? text : null;
}

/** Value of a header, by its lower-case name. `null`: absent or empty. */
export function headerText(exchange: Exchange, name: string): string | null {
  const value = exchange.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text ? text : null;
}

/** The first of several headers that has a value. */
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

/** First value of a query parameter of the route. `null`: absent or empty. */
export function queryParam<Name extends string>(ctx: Context & WithQuery<Name>, name: Name): string | null {
  return queryText(ctx.state.exchange, name);
}

/** A decoded path parameter of the matched route. */
export function param<Name extends string>(ctx: Context & WithParams<Name>, name: Name): string {
  const value: unknown = ctx.params[name];
  if (typeof value !== 'string' || value === '') throw notFound('route');
  return value;
}

/** The project of a request: its caller's, or that of the path before it is known who asks. */
export function projectIn(ctx: Context): string {
  return ctx.state.exchange.caller?.projectId ?? String(ctx.params['project'] ?? '');
}
