import type { Logger } from 'pino';
import type { CallLog } from './call-log.ts';
import { type AddressOf, type Exchange, type Middleware, openExchange } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import { ServedRequests } from './served-requests.ts';
import type { HttpSettings } from './settings.ts';

export interface RequestLogParts {
  readonly settings: HttpSettings;
  readonly addressOf: AddressOf;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly callLog: CallLog;
}

/** Gives a request its id, and reports its outcome to metrics, log and the managers of its project. */
export function requestLog({ settings, addressOf, metrics, log, callLog }: RequestLogParts): Middleware {
  const served = new ServedRequests(callLog);
  return async (ctx, next) => {
    const exchange = openExchange(ctx.req, addressOf);
    ctx.state.exchange = exchange;
    ctx.res.setHeader('X-Correlation-ID', exchange.requestId);
    await next();
    const { statusCode: status } = ctx.res;
    const seconds = (performance.now() - exchange.startedAt) / 1000;
    metrics.observeRequest(exchange.route, status, seconds);
    served.note(exchange, status, seconds * 1000, ctx.state.refused);
    if (status < 400 && seconds * 1000 < settings.slowMs && !log.isLevelEnabled('debug')) return;
    report(log, settings, exchange, status, seconds, ctx.state.fault);
  };
}

/** Keys a client put into a path by mistake must not reach the log. */
const SECRET_KEY = /sk_[A-Za-z0-9]+/g;

/** One log line for a request that failed or was slow. Query and headers are left out, because they carry keys. */
function report(log: Logger, settings: HttpSettings, exchange: Exchange, status: number, seconds: number, fault: unknown): void {
  const line = {
    requestId: exchange.requestId,
    method: exchange.method,
    path: exchange.path.slice(0, 300).replace(SECRET_KEY, 'sk_***'),
    status,
    ms: Math.round(seconds * 1000),
  };
  if (status >= 500) log.warn(fault === undefined ? line : { ...line, err: fault }, 'request failed');
  else if (line.ms >= settings.slowMs) log.warn(line, 'request was slow');
  else if (status >= 400) log[settings.clientErrorLevel](line, 'request refused');
  else log.debug(line, 'request');
}
