import type { Refusal } from '../kernel/errors.ts';
import { RepeatLimiter } from '../kernel/repeat-limiter.ts';
import type { CallLog } from './call-log/call-log.ts';
import { RefusalShares } from './call-log/shares.ts';
import { claimOf, targetOf } from './credentials.ts';
import { type CallOutcome, type Exchange, loggedPath } from './exchange.ts';

/**
 * Most requests without a valid key that are logged for one project within a window. Anybody can send them, and they would displace the
 * others.
 */
const MAX_UNAUTHENTICATED = 10;
const WINDOW_MS = 10_000;

/** Shares of a secret key, and of a person behind a proxy: a server sends the calls of many players. */
const SERVER_SHARES = 10;

/** Longer texts are truncated. */
const MAX_PATH = 300;
const MAX_MESSAGE = 500;
const MAX_NAME = 128;
const MAX_STEP = 300;
/** A slice keeps the whole text in memory, so slices of texts longer than this are copied. */
const MAX_SLICED = 1_000;

/** The code of a preflight's findings. They are an answer and no refusal. */
const PREFLIGHT_FINDINGS = 'PREFLIGHT_VALIDATION_FAILED';

/** Writes endpoint calls, and requests that were refused or failed, to the call log. */
export class ServedRequests {
  readonly #callLog: CallLog;
  readonly #unproven = new RepeatLimiter(MAX_UNAUTHENTICATED, WINDOW_MS);

  readonly #shares: RefusalShares;

  /** `share`: most refusals of one address in an hour that are noted of a project. */
  constructor(callLog: CallLog, share: number) {
    this.#callLog = callLog;
    this.#shares = new RefusalShares(share, (project, missed) => callLog.miss(project, missed));
  }

  note(exchange: Exchange, status: number, ms: number, refused: Refusal | undefined): void {
    if (exchange.call === null && refused === undefined && status < 400) return;
    if (refused?.code === PREFLIGHT_FINDINGS) return;
    const { caller } = exchange;
    const project = caller?.projectId ?? this.#unauthenticatedProject(exchange);
    if (project === null) return;
    const served = servedOf(exchange, status, ms, refused);
    const isRefused = served.code !== null || served.status >= 400;
    if (isRefused && !this.#isWithinShare(project, exchange, served.at)) return;
    this.#callLog.note(project, served, caller !== null);
  }

  /** This machine's own requests are not counted. */
  #isWithinShare(project: string, { caller, addressOf, req }: Exchange, at: number): boolean {
    const address = addressOf(req);
    if (address === null) return true;
    if (caller === null) return this.#shares.takes(project, 'without a key', at);
    if (caller.key.kind !== 'public') return this.#shares.takes(project, caller.key.keyId, at, SERVER_SHARES);
    return this.#shares.takes(project, address, at);
  }

  /**
   * The project of a request without a valid key, which may not exist; `null`: none is named, or such requests are too many.
   */
  #unauthenticatedProject({ location }: Exchange): string | null {
    const project = PROJECT_PATH.exec(location)?.[1];
    if (project === undefined) return null;
    return this.#unproven.allows(project, (missed) => this.#callLog.miss(project, missed)) ? project : null;
  }
}

/** A path of a project, under the canonical prefix of its family. */
const PROJECT_PATH = /^\/(?:(?:v3|api|v1)\/[^/]+|pages)\/([A-Za-z0-9_-]{1,128})(?:\/|$)/;

function servedOf(exchange: Exchange, status: number, ms: number, refused: Refusal | undefined) {
  const { call, caller, method, requestId, req, location } = exchange;
  const copies = (req.url?.length ?? 0) > MAX_SLICED;
  const named = call === null ? (caller?.onBehalfOf ?? caller?.platformId ?? claimOf(exchange)) : call.platformId;
  const message = call === null ? (refused?.message ?? null) : messageOf(call);
  return {
    at: Date.now(),
    slug: call === null ? null : kept(call.slug, MAX_NAME, copies),
    method,
    path: kept(loggedPath(location === '' ? exchange.path : location), MAX_PATH, copies),
    route: exchange.route,
    // What was meant: a game reads some refusals in an answer with the status 200.
    status: call?.status ?? refused?.status ?? status,
    code: call === null ? (refused?.code ?? `HTTP_${status}`) : call.code && kept(call.code, MAX_NAME, false),
    message: message === null ? null : kept(message, MAX_MESSAGE, false),
    step: call === null || call.step === null ? null : kept(call.step, MAX_STEP, false),
    ms,
    platformId: named === null ? null : kept(named, MAX_NAME, copies),
    target: call === null ? targetOf(exchange) : call.target,
    requestId,
    revision: call === null ? null : call.revision,
  };
}

/** The message. It names the step if that is in a block that the endpoint calls, because the author would look for it in the endpoint. */
function messageOf({ message, step }: CallOutcome): string | null {
  return message === null || step === null || !step.includes(' > ') ? message : `${message} (at ${step})`;
}

function kept(text: string, most: number, copies: boolean): string {
  if (!copies && text.length <= most) return text;
  return Buffer.from(text.slice(0, most)).toString();
}
