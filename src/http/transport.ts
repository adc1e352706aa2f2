import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { wireNames } from '../domain/wire-names.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import { type Refusal, refusal } from '../kernel/errors.ts';
import { locate } from './aliases.ts';
import { type Answer, send } from './answer.ts';
import type { Buckets } from './buckets.ts';
import { corsHeaders, preflight } from './cors.ts';
import { refusalAnswer, refusalOf } from './errors.ts';
import { type AddressOf, type Context, type Exchange, openExchange, type State } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import { requireServed } from './parameters.ts';
import type { Families } from './routes/families.ts';
import type { HttpSettings } from './settings.ts';
import { Unsent } from './unsent.ts';

export interface TransportParts {
  readonly settings: HttpSettings;
  readonly families: Families;
  readonly buckets: Buckets | null;
  readonly addressOf: AddressOf;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** True once the server is going down: answers then close their connections. */
  closing(): boolean;
}

/** What went wrong: as the client is told it, and as it was thrown. */
interface Trouble {
  readonly failure: Refusal;
  readonly thrown: unknown;
}

/** The one handler of all requests: finds the route, runs it, turns what it returned or threw into bytes. All that is sent passes `send`. */
export function transport(parts: TransportParts): (ctx: ParameterizedContext<State>) => Awaitable<void> {
  const { settings } = parts;
  const names = wireNames(settings.wireNames);
  const unsent = new Unsent(settings.unsentBytes, settings.unsentGraceMs);

  const conclude = (ctx: Context, answer: Answer, trouble: Trouble | null): Awaitable<void> => {
    const { exchange } = ctx.state;
    const shared = corsHeaders(settings.corsOrigins, exchange);
    let sending: Awaitable<void>;
    try {
      sending = send(ctx.res, exchange, answer, shared, unsent, parts.closing());
    } catch (error) {
      return unsendable(ctx, error, shared);
    }
    if (!sending) return note(parts, exchange, answer, trouble);
    return sending.then(
      () => note(parts, exchange, answer, trouble),
      (error: unknown) => unsendable(ctx, error, shared),
    );
  };

  /** A large answer may find no room. One that cannot be written, such as with an impossible header, is a fault of ours. */
  const unsendable = async (ctx: Context, thrown: unknown, shared: readonly string[]): Promise<void> => {
    const { exchange } = ctx.state;
    const failure = refusalOf(thrown);
    const answer = refusalAnswer(failure, exchange.requestId, names);
    await send(ctx.res, exchange, answer, shared, unsent, true);
    note(parts, exchange, answer, { failure, thrown });
  };

  const refuse = (ctx: Context, thrown: unknown): Awaitable<void> => {
    const failure = refusalOf(thrown);
    return conclude(ctx, refusalAnswer(failure, ctx.state.exchange.requestId, names), { failure, thrown });
  };

  return function handle(opened): Awaitable<void> {
    const exchange = openExchange(opened.req, parts.addressOf);
    opened.state.exchange = exchange;
    // Koa's context becomes the router's: `serve` sets the `params` that it lacks.
    const ctx = opened as Context;
    let answering: Awaitable<Answer>;
    try {
      answering = dispatch(parts, ctx, exchange);
    } catch (error) {
      return refuse(ctx, error);
    }
    if (!(answering instanceof Promise)) return conclude(ctx, answering, null);
    return answering.then(
      (answer) => conclude(ctx, answer, null),
      (error: unknown) => refuse(ctx, error),
    );
  };
}

function note(parts: TransportParts, exchange: Exchange, answer: Answer, trouble: Trouble | null): void {
  const { settings, metrics, log } = parts;
  const status = answer.status ?? 200;
  const seconds = (performance.now() - exchange.startedAt) / 1000;
  metrics.observeRequest(exchange.route, status, seconds);
  if (status < 400 && seconds * 1000 < settings.slowMs && !log.isLevelEnabled('debug')) return;
  report(parts, exchange, status, seconds, trouble === null || trouble.failure === trouble.thrown ? undefined : trouble.thrown);
}

function dispatch(parts: TransportParts, ctx: Context, exchange: Exchange): Awaitable<Answer> {
  const location = locate(exchange.path, parts.settings.wholeV1);
  if (!location) throw refusal('NOT_FOUND');
  const { family, group } = location.prefix;
  if (parts.buckets) parts.buckets.take(exchange.req, group);
  if (exchange.method === 'OPTIONS') {
    const allowed = preflight(parts.settings.corsOrigins, exchange);
    if (allowed) return allowed;
  }
  exchange.location = location.path;
  if (family !== 'endpoints') requireServed(exchange);
  return parts.families[family](ctx);
}

/** Somebody's mistake in building an address must not put a key into the log. */
const SECRET_KEY = /sk_[A-Za-z0-9]+/g;

/** One line for what failed or was slow. The query is left out, because it carries keys; so are all headers. */
function report(parts: TransportParts, exchange: Exchange, status: number, seconds: number, fault: unknown): void {
  const line = {
    requestId: exchange.requestId,
    method: exchange.method,
    path: exchange.path.slice(0, 300).replace(SECRET_KEY, 'sk_***'),
    status,
    ms: Math.round(seconds * 1000),
  };
  const { log, settings } = parts;
  if (status >= 500) log.warn(fault === undefined ? line : { ...line, err: fault }, 'request failed');
  else if (line.ms >= settings.slowMs) log.warn(line, 'request was slow');
  else if (status >= 400) log[settings.clientErrorLevel](line, 'request refused');
  else log.debug(line, 'request');
}
