import type { Logger } from 'pino';
import { isObject, type Json } from '../kernel/json.ts';
import { RepeatLimiter } from '../kernel/repeat-limiter.ts';
import { maskSecrets } from '../kernel/secrets.ts';
import type { CallTimes } from './call-times.ts';
import type { CallOutcome, Exchange } from './exchange.ts';
import type { HttpSettings } from './settings.ts';

/** Most log lines about one slug and code within a window. */
const MAX_LINES = 10;
const WINDOW_MS = 10_000;
const MAX_SLUG = 96;
const MAX_STEP = 300;

/** Counts and times endpoint calls, and logs those that failed: the author of an endpoint does not see a player's screen. */
export class CallReporter {
  readonly #times: CallTimes;
  readonly #log: Logger;
  readonly #level: HttpSettings['callLevel'];
  readonly #repeats = new RepeatLimiter(MAX_LINES, WINDOW_MS);

  constructor(times: CallTimes, log: Logger, level: HttpSettings['callLevel']) {
    this.#times = times;
    this.#log = log;
    this.#level = level;
  }

  note(exchange: Exchange, call: CallOutcome): void {
    const { project, slug, status, answered, code, step } = call;
    exchange.call = call;
    const ms = performance.now() - exchange.startedAt;
    this.#times.observe(slug, status, answered, ms / 1000);
    if (code === null) return;
    this.#times.refused(slug, code);
    if (this.#level === 'silent') return;
    const text = status < 500 ? 'endpoint call refused' : 'endpoint call failed';
    const line = {
      project,
      slug: maskSecrets(slug.slice(0, MAX_SLUG)),
      code,
      status,
      ...(step === null ? {} : { step: maskSecrets(step.slice(0, MAX_STEP)) }),
      requestId: maskSecrets(exchange.requestId),
      ms: Math.round(ms),
    };
    // Anybody can make up slugs, so only a slug that exists has a bound of its own.
    const about = answered ? { project, slug, code } : { project, code };
    const leftOut = (lines: number) => this.#tell({ ...about, lines }, `${text}: so many more of these lines were left out`);
    if (this.#repeats.allows(JSON.stringify(about), leftOut)) this.#tell(line, text);
  }

  #tell(line: object, text: string): void {
    if (this.#level !== 'silent') this.#log[this.#level](line, text);
  }
}

/** The code in an endpoint's answer; `null` for a success. */
export function codeIn(status: number, body: Json): string | null {
  const error = isObject(body) ? body['error'] : undefined;
  const said = isObject(error) ? error['code'] : error;
  if (status < 400 && !(isObject(body) && body['ok'] === false)) return null;
  return typeof said === 'string' ? said : `HTTP_${status}`;
}

/** The message of an endpoint's answer; `null`: it has none. */
export function messageIn(body: Json): string | null {
  if (!isObject(body)) return null;
  const error = body['error'];
  const said = isObject(error) ? error['message'] : body['message'];
  return typeof said === 'string' ? said : null;
}
