import type { Logger } from 'pino';
import { errorMessage } from '../kernel/error-reporting.ts';
import { isDatabaseOutage } from '../kernel/outage.ts';
import { maskSecrets } from '../kernel/secrets.ts';
import { type Exchange, loggedPath } from './exchange.ts';
import type { HttpSettings } from './settings.ts';

export interface RequestOutcome {
  readonly status: number;
  readonly seconds: number;
  /** What was thrown, unless it was a refusal. */
  readonly fault: unknown;
}

/**
 * Logs a request that failed or was slow, and at the level `debug` every other. Query and headers are left out, because they carry keys.
 */
export function logRequest(log: Logger, settings: HttpSettings, exchange: Exchange, { status, seconds, fault }: RequestOutcome): void {
  if (status < 400 && seconds * 1000 < settings.slowMs && !log.isLevelEnabled('debug')) return;
  const line = {
    requestId: maskSecrets(exchange.requestId),
    method: exchange.method,
    path: maskSecrets(loggedPath(exchange.path).slice(0, 300)),
    status,
    ms: Math.round(seconds * 1000),
  };
  if (status >= 500) log.warn({ ...line, ...causeOf(fault) }, 'request failed');
  else if (line.ms >= settings.slowMs) log.warn(line, 'request was slow');
  else if (status >= 400) log[settings.clientErrorLevel](line, 'request refused');
  else log.debug(line, 'request');
}

/** A stack tells where a fault of ours is. Of a database that is away it tells nothing. */
function causeOf(fault: unknown): object {
  if (fault === undefined) return {};
  return isDatabaseOutage(fault) ? { reason: errorMessage(fault) } : { err: fault };
}
