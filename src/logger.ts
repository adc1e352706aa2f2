import { type Logger, pino } from 'pino';

/** The process log: JSON lines on standard error, so that standard output stays for results. Secrets are redacted by name. */
export function createLogger(options: { readonly level: string }): Logger {
  const secret = ['secretKey', 'key', 'token', 'password', 'authorization', 'headers["x-api-key"]', 'headers["x-secret-key"]'];
  const paths = [...secret, ...secret.map((name) => `*.${name}`)];
  return pino({ level: options.level, base: null, redact: { paths, censor: '[redacted]' } }, pino.destination({ dest: 2, sync: false }));
}
