import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { RepeatLimiter } from './kernel/repeat-limiter.ts';
import { maskSecrets } from './kernel/secrets.ts';
import { LogOutput } from './log-output.ts';
import { logText } from './log-text.ts';

/** Members that are never logged, in whatever object. Addresses may contain passwords. */
const SECRETS = [
  ...['secretKey', 'key', 'token', 'password', 'authorization', 'headers["x-api-key"]', 'headers["x-secret-key"]'],
  ...['connectionString', 'databaseUrl', 'redisUrl', 'eventStoreUrl'],
];

/** `auto`: text on a terminal, else JSON. */
export type LogFormat = 'auto' | 'json' | 'text';

/**
 * The logger of the process. It writes lines on standard error, because standard output is for results. Secrets are redacted by name, and
 * by what they look like.
 */
export function createLogger(
  options: { readonly level: string; readonly format?: LogFormat },
  destination: DestinationStream = standardError(options.format ?? 'auto'),
): Logger {
  const paths = [...SECRETS, ...SECRETS.map((name) => `*.${name}`)];
  const hooks = { logMethod: bounded(new RepeatLimiter()) };
  return pino({ level: options.level, base: null, redact: { paths, censor: '[redacted]' }, hooks }, masked(destination));
}

/** No shape of a secret reaches over a quote or a backslash, so a masked line is still JSON. */
function masked(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(maskSecrets(line)) };
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** From this level on lines are rate-limited. Lower levels are logged only if the operator wants everything. */
const BOUNDED_FROM = 40;

function bounded(repeats: RepeatLimiter): LogMethod {
  return function log(args, method, level) {
    const text = level < BOUNDED_FROM ? null : args.find((arg) => typeof arg === 'string');
    const tell = (lines: number) => method.call(this, { lines }, `${text}: so many more of these lines were left out`);
    if (typeof text !== 'string' || repeats.allows(text, tell)) method.apply(this, args);
  };
}

let output: LogOutput | null = null;

/** One output for the process, because two would mix their lines. The first logger chooses its format. */
function standardError(format: LogFormat): DestinationStream {
  if (output === null) {
    const isText = format === 'text' || (format === 'auto' && process.stderr.isTTY === true);
    const made = new LogOutput(2, isText ? { format: logText } : {});
    process.once('exit', () => made.flush());
    output = made;
  }
  return output;
}
