import type * as contract from '../contract/answers.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { ServerAccess } from './credentials.ts';
import { type Answered, exchange, strangeAnswer } from './exchange.ts';

/** What a request is for: what players have, or what is staged. */
export type Target = 'live' | 'next';

export type Listed = 'collections' | 'endpoints' | 'workflows' | 'libraries' | 'queries';

/** A request that no method of {@link Remote} makes. */
export interface Request {
  readonly target?: Target;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** Whether it may be sent again, see {@link exchange}. Left out: a `GET` as a read, everything else never. */
  readonly again?: 'read' | 'keyed' | 'never';
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface SyncOptions {
  readonly target: Target;
  /** Findings refuse it. */
  readonly strict: boolean;
  /** Removes what the lists that are there do not hold. */
  readonly replaceAll?: boolean;
  /** The revision that it is made on; left out or `null`: whatever was published since is overwritten. */
  readonly base?: number | null;
}

/** Called before a request is sent again: why, and after how many milliseconds. */
export type Retried = (why: string, waitMs: number) => void;

/**
 * The management API of one project, with its secret key. Reads and writes are sent again where that is safe: writes carry an
 * `Idempotency-Key`. Every method throws `RemoteRefusal` for a refusal, and `RemoteUnreachable` where no answer came.
 */
export class Remote {
  readonly server: ServerAccess;

  readonly #onRetry: Retried | undefined;

  constructor(server: ServerAccess, onRetry?: Retried) {
    this.server = server;
    this.#onRetry = onRetry;
  }

  /** Asks any route: `path` from the address on, such as `/v3/endpoints/PROJECT/buy`. */
  request(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, options: Request = {}): Promise<Answered> {
    const url = new URL(`${this.server.address}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
    return exchange({
      method,
      url: url.href,
      headers: {
        'x-api-key': this.server.secretKey,
        ...(options.target === 'next' ? { 'x-ns-publish-target': 'next' } : {}),
        ...options.headers,
      },
      again: options.again ?? (method === 'GET' ? 'read' : 'never'),
      signal: options.signal,
      onRetry: this.#onRetry,
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    });
  }

  /** Pushes sections in one publish. Throws PUBLISH_CONFLICT if something was published after `base`. */
  async sync(body: JsonObject, options: SyncOptions) {
    const headers = baseHeader(options.base ?? null);
    const answer = await this.#manage('PUT', 'sync', { target: options.target, query: queryOf(options), body, headers, again: 'keyed' });
    return { ...bodyOf<contract.Synced>(answer), ...publishIn(answer) };
  }

  /** What {@link sync} would do. A push that would be refused throws, as the push would, with the results in `body`. */
  async preflight(body: JsonObject, options: Omit<SyncOptions, 'base'>): Promise<contract.Preflighted> {
    return bodyOf(await this.#manage('POST', 'sync/preflight', { target: options.target, query: queryOf(options), body, again: 'read' }));
  }

  /** The definitions of a kind, as they were pushed; of `next` the live ones and, behind them, what is staged over them. */
  async list(kind: Listed, target: Target): Promise<contract.Listing['data']> {
    const query = target === 'next' ? { includeStaged: 'true', revisionTarget: 'next' } : { revisionTarget: 'live' };
    return bodyOf<contract.Listing>(await this.#manage('GET', kind, { query }), 'data').data;
  }

  async gameValues(target: Target): Promise<contract.StoredValues> {
    return bodyOf(await this.#manage('GET', 'game-values', { query: { revisionTarget: target } }));
  }

  async rateLimitRules(target: Target): Promise<contract.StoredRules> {
    return bodyOf(await this.#manage('GET', 'rate-limit-rules', { query: { revisionTarget: target } }));
  }

  async tests(): Promise<contract.Tests['data']> {
    return bodyOf<contract.Tests>(await this.#manage('GET', 'tests'), 'data').data;
  }

  /** What a promotion would change. */
  async diff(): Promise<contract.Difference & { readonly position: number }> {
    const answer = await this.#manage('GET', 'diff');
    return { ...bodyOf<contract.Difference>(answer, 'changes'), position: positionOf(answer) ?? 0 };
  }

  /** `base`: the revision on which it is decided; it throws PUBLISH_CONFLICT if something was published since. */
  async promote(options: { readonly dryRun: boolean; readonly force: boolean; readonly base: number | null }) {
    const { base, ...body } = options;
    const answer = await this.#manage('POST', 'promote', { body, headers: baseHeader(base), again: 'keyed' });
    return { ...bodyOf<contract.Promoted>(answer, 'changes', 'findings'), ...publishIn(answer) };
  }

  /**
   * `to`, `base`: as the answer to a dry run names them (`to`, `position`); it throws PUBLISH_CONFLICT if something was published since.
   */
  async rollback(options: { readonly dryRun: boolean; readonly to: number | null; readonly base: number | null }) {
    const { base, ...body } = options;
    const answer = await this.#manage('POST', 'rollback', { body, headers: baseHeader(base), again: 'keyed' });
    return { ...bodyOf<contract.RolledBack>(answer, 'changes'), ...publishIn(answer) };
  }

  async discard(options: { readonly kind?: string; readonly id?: string; readonly dryRun: boolean }): Promise<contract.Discarded> {
    return bodyOf<contract.Discarded>(await this.#manage('POST', 'discard', { body: options, again: 'keyed' }), 'changes');
  }

  async remove(kind: Listed, id: string, target: Target): Promise<contract.Removed> {
    return bodyOf(await this.#manage('DELETE', `${kind}/${encodeURIComponent(id)}`, { target, again: 'keyed' }));
  }

  /** A page of the history, newest first. */
  async publishes(page: { readonly limit?: number; readonly before?: number } = {}): Promise<contract.Publishes> {
    return bodyOf<contract.Publishes>(await this.#manage('GET', 'publishes', { query: page }), 'publishes');
  }

  /** Runs the saved tests; nothing of it is stored. */
  async runTests(target: Target): Promise<contract.TestRun> {
    return bodyOf<contract.TestRun>(await this.#manage('POST', 'run-tests', { target, body: {}, again: 'read' }), 'results');
  }

  /** What a target holds, by name and hash. */
  async manifest(target: Target): Promise<contract.Manifest> {
    return bodyOf(await this.#manage('GET', 'agent-manifest', { target }));
  }

  /** Whether address, project and key fit together. */
  async validate(): Promise<contract.Validated> {
    return bodyOf(await this.#manage('GET', 'validate'));
  }

  #manage(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, options: Request = {}): Promise<Answered> {
    return this.request(method, `/v3/manage/${encodeURIComponent(this.server.project)}/${path}`, options);
  }
}

function queryOf({ strict, replaceAll = false }: Omit<SyncOptions, 'base'>): Readonly<Record<string, string | undefined>> {
  return { strict: strict ? 'true' : undefined, replaceAll: replaceAll ? 'true' : undefined };
}

function baseHeader(base: number | null): Readonly<Record<string, string>> {
  return base === null ? {} : { 'x-ns-base': String(base) };
}

/**
 * The body of an answer, as the contract of its route says it is. `lists`: its members that are read as lists. Throws `RemoteUnreachable` for
 * the answer of something else, such as the page of a proxy.
 */
function bodyOf<Body>({ body, url }: Answered, ...lists: readonly (keyof Body & string)[]): Body {
  if (!isObject(body)) throw strangeAnswer(url, 'it is no JSON object');
  const missing = lists.find((name) => !isArray(body[name]));
  if (missing !== undefined) throw strangeAnswer(url, `it has no list '${missing}'`);
  return body as unknown as Body;
}

/** Where in the project's log a publish is. */
interface PublishPosition {
  /** Under which `publishes` lists it; `null`: it published nothing, or the answer is one that was given before. */
  readonly revision: number | null;
  /** The log's end with it: what the next publish is made on. */
  readonly position: number | null;
  /** Whether the answer is one that was given before: then `position` may lie behind what others have published since. */
  readonly isReplay: boolean;
}

function publishIn(answer: Answered): PublishPosition {
  const { headers } = answer;
  return {
    revision: revisionIn(headers, 'x-ns-published'),
    position: positionOf(answer),
    isReplay: headers.get('idempotent-replay') === 'true',
  };
}

/** The revision that an answer names; `null` if it names none. */
export function positionOf({ headers }: Answered): number | null {
  return revisionIn(headers, 'x-ns-position');
}

function revisionIn(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
