import type { Logger } from 'pino';
import type { OutputNames } from '../domain/wire-names.ts';
import type { CallLog } from './call-log/call-log.ts';
import { answerRefusal } from './errors.ts';
import { type AddressOf, type Middleware, openExchange } from './exchange.ts';
import { requireHost } from './guards/host-header.ts';
import { hasUnreadBody, readToEnd } from './guards/unread-body.ts';
import { boundUnsent, type UnsentAnswers } from './guards/unsent.ts';
import type { Metrics } from './metrics.ts';
import { logRequest } from './request-log.ts';
import { ServedRequests } from './served-requests.ts';
import type { HttpSettings } from './settings.ts';

export interface FrameParts {
  readonly settings: HttpSettings;
  readonly names: OutputNames;
  readonly addressOf: AddressOf;
  readonly unsent: UnsentAnswers;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly callLog: CallLog;
  /** Whether the server is shutting down: answers then close their connections. */
  closing(): boolean;
}

/**
 * The outermost middleware: the request id, the answer to errors of the chain, guards of the connection, metrics, logging and the call log.
 * They are one middleware because each async one costs every request a promise and a turn.
 */
export function frame({ settings, names, addressOf, unsent, metrics, log, callLog, closing }: FrameParts): Middleware {
  const served = new ServedRequests(callLog, settings.refusalShare);
  return async (ctx, next) => {
    const { req, res } = ctx;
    const exchange = openExchange(req, addressOf);
    ctx.state.exchange = exchange;
    res.setHeader('X-Correlation-ID', exchange.requestId);
    try {
      requireHost(req);
      await next();
      boundUnsent(ctx, unsent);
    } catch (thrown) {
      answerRefusal(ctx, thrown, names);
    }
    if ((hasUnreadBody(req) && !(await readToEnd(req, res))) || closing()) res.setHeader('Connection', 'close');
    const seconds = (performance.now() - exchange.startedAt) / 1000;
    metrics.observeRequest(exchange.route, res.statusCode, seconds);
    served.note(exchange, res.statusCode, seconds * 1000, ctx.state.refused);
    logRequest(log, settings, exchange, { status: res.statusCode, seconds, fault: ctx.state.fault });
  };
}
