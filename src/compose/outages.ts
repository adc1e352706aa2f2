import type { Logger } from 'pino';
import { type Config, redactUrl } from '../config/config.ts';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import { isDatabaseOutage } from '../kernel/outage.ts';
import { LogUnavailable } from '../log/port.ts';

/** What parts that go on asking log with. A logger of pino fits. */
export type OutageLogger = Pick<Logger, 'info'> & {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

const REPORT_MS = 30_000;

/**
 * The logger for parts that go on asking while database or log are away: the read models, the probes. Each of their lines about the outage
 * would say the same, with a stack. In their place there is one in 30 s, which names what does not answer.
 */
export function quietInOutages(logger: Logger, config: Pick<Config, 'databaseUrl' | 'dataDir' | 'eventStoreUrl'>): OutageLogger {
  const database = databaseName(config);
  const log = config.eventStoreUrl === null ? database : `EventStoreDB ${redactUrl(config.eventStoreUrl)}`;
  const tellDatabase = throttled(
    (error: unknown) => logger.error({ database, reason: errorMessage(error) }, 'the database does not answer; what needs it tries again'),
    REPORT_MS,
  );
  const tellLog = throttled(
    (error: unknown) => logger.error({ log, reason: errorMessage(error) }, 'the log does not answer; what needs it tries again'),
    REPORT_MS,
  );
  const via = (level: 'warn' | 'error') => (fields: object, message: string) => {
    const error = 'err' in fields ? fields.err : undefined;
    if (error instanceof LogUnavailable) return log === database ? tellDatabase(error) : tellLog(error);
    if (isDatabaseOutage(error)) return tellDatabase(error);
    logger[level](fields, message);
  };
  return { info: logger.info.bind(logger), warn: via('warn'), error: via('error') };
}

/** The database as messages name it, without its password. */
export function databaseName({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return databaseUrl === null ? `Postgres, embedded in ${dataDir}` : `Postgres ${redactUrl(databaseUrl)}`;
}
