import { type DestinationStream, type Logger, pino } from 'pino';
import { LogOutput } from './log-output.ts';

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

let output: LogOutput | null = null;

/** One for the process: two would write into each other's lines. */
function standardError(): DestinationStream {
  if (output === null) {
    const made = new LogOutput(2);
    process.once('exit', () => made.flush());
    output = made;
  }
  return output;
}
