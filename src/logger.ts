import { type DestinationStream, type Logger, pino } from 'pino';

/** Members that are never written, whatever logs an object that holds one. Addresses carry passwords. */
const SECRETS = [
  ...['secretKey', 'key', 'token', 'password', 'authorization', 'headers["x-api-key"]', 'headers["x-secret-key"]'],
  ...['connectionString', 'databaseUrl', 'redisUrl', 'eventStoreUrl'],
];

/** The process log: JSON lines on standard error, so that standard output stays for results. Secrets are redacted by name. */
export function createLogger(options: { readonly level: string }, destination: DestinationStream = standardError()): Logger {
  const paths = [...SECRETS, ...SECRETS.map((name) => `*.${name}`)];
  return pino({ level: options.level, base: null, redact: { paths, censor: '[redacted]' } }, destination);
}

function standardError(): DestinationStream {
  return pino.destination({ dest: 2, sync: false });
}
