import type { Refusal } from '../kernel/errors.ts';
import { RepeatLimiter } from '../kernel/repeat-limiter.ts';
import type { CallLog } from './call-log.ts';
import { targetOf } from './credentials.ts';
import type { CallOutcome, Exchange } from './exchange.ts';

/**
 * Most requests without a valid key that are logged for one project within a window. Anybody can send them, and they would push out the
 * others.
 */
const MAX_UNPROVEN = 10;
const WINDOW_MS = 10_000;

/** Texts are cut here. */
const MAX_PATH = 300;
const MAX_MESSAGE = 500;
const MAX_NAME = 128;
/** A part of a text keeps the whole text in memory; parts of longer ones are copied. */
const LONG = 1_000;

/** The code of a preflight's findings. They are the answer to a question: nothing was refused. */
const PREFLIGHT_FINDINGS = 'PREFLIGHT_VALIDATION_FAILED';

/** Tells the call log of the requests that a manager asks for: endpoint calls, and all that was refused or failed. */
export class ServedRequests {
  readonly #callLog: CallLog;
  readonly #unproven = new RepeatLimiter(MAX_UNPROVEN, WINDOW_MS);

  constructor(callLog: CallLog) {
    this.#callLog = callLog;
  }

  note(exchange: Exchange, status: number, ms: number, refused: Refusal | undefined): void {
    if (exchange.call === null && refused === undefined && status < 400) return;
    if (refused?.code === PREFLIGHT_FINDINGS) return;
    const project = exchange.caller?.projectId ?? this.#unprovenProject(exchange);
    if (project !== null) this.#callLog.note(project, servedOf(exchange, status, ms, refused));
  }

  /**
   * The project of a request without a valid key, if the call log knows the project and has not had too many such requests of it; else
   * `null`.
   */
  #unprovenProject({ location }: Exchange): string | null {
    const project = PROJECT_PATH.exec(location)?.[1];
    if (project === undefined || !this.#callLog.knows(project)) return null;
    return this.#unproven.allows(project, (missed) => this.#callLog.miss(project, missed)) ? project : null;
  }
}

/** Of an address of a project, under the canonical prefix of its family. */
const PROJECT_PATH = /^\/(?:(?:v3|api|v1)\/[^/]+|pages)\/([A-Za-z0-9_-]{1,128})(?:\/|$)/;

function servedOf(exchange: Exchange, status: number, ms: number, refused: Refusal | undefined) {
  const { call, caller, method, requestId, req, location } = exchange;
  const copies = (req.url?.length ?? 0) > LONG;
  const named = call === null ? (caller?.onBehalfOf ?? caller?.platformId ?? null) : call.platformId;
  const message = call === null ? (refused?.message ?? null) : messageOf(call);
  return {
    at: Date.now(),
    slug: call === null ? null : kept(call.slug, MAX_NAME, copies),
    method,
    path: kept(location === '' ? exchange.path : location, MAX_PATH, copies),
    route: exchange.route,
    status: call?.status ?? status,
    code: call === null ? (refused?.code ?? `HTTP_${status}`) : call.code,
    message: message === null ? null : kept(message, MAX_MESSAGE, false),
    ms,
    platformId: named === null ? null : kept(named, MAX_NAME, copies),
    target: call === null ? targetOf(exchange) : call.target,
    requestId,
    revision: call === null ? null : call.revision,
  };
}

/** With the place, where it is in something that the endpoint calls: its author looks for the step in the endpoint. */
function messageOf({ message, step }: CallOutcome): string | null {
  return message === null || step === null || !step.includes(' > ') ? message : `${message} (at ${step})`;
}

function kept(text: string, most: number, copies: boolean): string {
  if (!copies && text.length <= most) return text;
  return Buffer.from(text.slice(0, most)).toString();
}
