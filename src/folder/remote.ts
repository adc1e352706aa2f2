import type * as contract from '../contract/answers.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { objectOf, objectsIn, stringOf } from '../kernel/json-read.ts';
import { anyObject, flag, listOf, members, optional, type Shape, something, text, wholeNumber } from './answer-shape.ts';
import { askingAt, type ServerAccess } from './credentials.ts';
import { type Answered, exchange, strangeAnswer } from './exchange.ts';
import { RemoteRefusal } from './refusal.ts';

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

/** Why something is published, as a request says it; left out: it does not. */
export interface SaidWhy {
  readonly message?: string | undefined;
  /** Of the support desk. */
  readonly ticket?: string | undefined;
}

export interface SyncOptions extends SaidWhy {
  readonly target: Target;
  /** Findings refuse it. */
  readonly strict: boolean;
  /** Removes what the lists that are there do not hold. */
  readonly replaceAll?: boolean;
  /** The revision that it is made on; left out or `null`: whatever was published since is overwritten. */
  readonly base?: number | null;
}

/** What commands read of answers. */
const DONE = members({ ok: flag });
const CHANGE = members({
  kind: text,
  id: text,
  action: optional(text),
  fields: optional(listOf(members({ path: text }))),
  opens: optional(listOf(text)),
});
const LISTING = members({ data: listOf(anyObject) });
const VALUES = members({ data: something });
const RULES = members({ rules: listOf(anyObject) });
const DIFFERENCE = members({ liveHash: text, nextHash: text, staged: flag, changes: listOf(CHANGE) });
const PROMOTED = members({ changes: listOf(CHANGE), findings: listOf(anyObject), generation: wholeNumber });
const ROLLED_BACK = members({ to: wholeNumber, changes: listOf(CHANGE) });
const DISCARDED = members({ changes: listOf(CHANGE) });
const PUBLISH = members({ revision: wholeNumber, at: text, target: text, changes: listOf(members({ kind: text })) });
const PUBLISHES = members({ publishes: listOf(PUBLISH), before: optional(wholeNumber) });
const TEST_RUN = members({ total: wholeNumber, passed: wholeNumber, failed: wholeNumber, results: listOf(anyObject) });
const MANIFEST = members({ hash: text, endpoints: listOf(anyObject), collections: listOf(anyObject) });

interface Discard extends SaidWhy {
  /** As `diff` names them. Left out: everything that is staged. */
  readonly kind?: string;
  readonly id?: string;
  readonly dryRun: boolean;
  readonly base: number | null;
}

interface Promotion extends SaidWhy {
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly base: number | null;
  /** Not sent unless it is true: older nodes do not know it. */
  readonly breakGlass?: boolean | undefined;
}

interface Rollback extends SaidWhy {
  readonly dryRun: boolean;
  readonly to: number | null;
  readonly base: number | null;
  /** Not sent unless it is true: older nodes do not know it. */
  readonly breakGlass?: boolean | undefined;
}

/** What is done around the requests of a {@link Remote}. */
interface Around {
  /** Called before a request is sent again: why, and after how many milliseconds. */
  readonly onRetry?: (why: string, waitMs: number) => void;
  readonly onAnswer?: (answer: Answered) => void;
  /** Of every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const REVEAL = 'x-ns-reveal';

/** Why it is done, as a correction says, or the operations of a write. */
function reasonIn(body: Json | undefined): string | undefined {
  const { reason, ops } = objectOf(body ?? null);
  return stringOf(reason) ?? objectsIn(ops ?? null).flatMap((each) => stringOf(each['reason']) ?? [])[0];
}

/**
 * The management API of one project, with its secret key or as a person. Reads and writes are sent again where that is safe: writes carry
 * an `Idempotency-Key`. Every method throws `RemoteRefusal` for a refusal, and `RemoteUnreachable` where no answer came.
 */
export class Remote {
  readonly server: ServerAccess;
  /** What every request says, besides who asks. */
  readonly headers: Readonly<Record<string, string>>;

  readonly #around: Around;

  constructor(server: ServerAccess, around: Around = {}) {
    this.server = server;
    this.headers = around.headers ?? {};
    this.#around = around;
  }

  /**
   * Asks any route: `path` from the address on, such as `/v3/endpoints/PROJECT/buy`. What tells a person of personal values is asked again
   * with the reason that its body says: nothing was done then.
   */
  async request(method: Method, path: string, options: Request = {}): Promise<Answered> {
    try {
      return await this.#exchanged(method, path, options);
    } catch (error) {
      const reason = reasonIn(options.body);
      const isAsked = Object.hasOwn({ ...this.headers, ...options.headers }, REVEAL);
      if (!(error instanceof RemoteRefusal) || error.code !== 'REVEAL_NEEDED' || reason === undefined || isAsked) throw error;
      const headers = { ...options.headers, [REVEAL]: encodeURIComponent(reason) };
      return this.#exchanged(method, path, { ...options, headers });
    }
  }

  async #exchanged(method: Method, path: string, options: Request): Promise<Answered> {
    const asking = askingAt(this.server);
    const url = new URL(`${asking.origin}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
    const answer = await exchange({
      method,
      url: url.href,
      headers: {
        ...asking.headers,
        ...this.headers,
        ...(options.target === 'next' ? { 'x-ns-publish-target': 'next' } : {}),
        ...options.headers,
      },
      again: options.again ?? (method === 'GET' ? 'read' : 'never'),
      signal: options.signal,
      onRetry: this.#around.onRetry,
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    });
    this.#around.onAnswer?.(answer);
    return answer;
  }

  /** Pushes sections in one publish. Throws PUBLISH_CONFLICT if something was published after `base`. */
  async sync(body: JsonObject, options: SyncOptions) {
    const headers = baseHeader(options.base ?? null);
    const answer = await this.#manage('PUT', 'sync', { target: options.target, query: queryOf(options), body, headers, again: 'keyed' });
    return { ...checkedBody<contract.Synced>(answer, DONE), ...publishIn(answer) };
  }

  /** What {@link sync} would do. A push that would be refused throws, as the push would, with the results in `body`. */
  async preflight(body: JsonObject, options: Omit<SyncOptions, 'base'>): Promise<contract.Preflighted> {
    const query = queryOf(options);
    return checkedBody(await this.#manage('POST', 'sync/preflight', { target: options.target, query, body, again: 'read' }), DONE);
  }

  /** The definitions of a kind, as they were pushed; of `next` the live ones and, behind them, what is staged over them. */
  async list(kind: Listed, target: Target): Promise<contract.Listing['data']> {
    const query = target === 'next' ? { includeStaged: 'true', revisionTarget: 'next' } : { revisionTarget: 'live' };
    return checkedBody<contract.Listing>(await this.#manage('GET', kind, { query }), LISTING).data;
  }

  async gameValues(target: Target): Promise<contract.StoredValues> {
    return checkedBody(await this.#manage('GET', 'game-values', { query: { revisionTarget: target } }), VALUES);
  }

  async rateLimitRules(target: Target): Promise<contract.StoredRules> {
    return checkedBody(await this.#manage('GET', 'rate-limit-rules', { query: { revisionTarget: target } }), RULES);
  }

  async tests(): Promise<contract.Tests['data']> {
    return checkedBody<contract.Tests>(await this.#manage('GET', 'tests'), LISTING).data;
  }

  /** What a promotion would change. */
  async diff(): Promise<contract.Difference & { readonly position: number }> {
    const answer = await this.#manage('GET', 'diff');
    return { ...checkedBody<contract.Difference>(answer, DIFFERENCE), position: positionOf(answer) ?? 0 };
  }

  /** `base`: the revision on which it is decided; it throws PUBLISH_CONFLICT if something was published since. */
  async promote(options: Promotion) {
    const { base, message, ticket, breakGlass = false, ...asked } = options;
    const body = breakGlass ? { ...asked, breakGlass } : asked;
    const answer = await this.#manage('POST', 'promote', { body, query: { message, ticket }, headers: baseHeader(base), again: 'keyed' });
    return { ...checkedBody<contract.Promoted>(answer, PROMOTED), ...publishIn(answer) };
  }

  /**
   * `to`, `base`: as the answer to a dry run names them (`to`, `position`); it throws PUBLISH_CONFLICT if something was published since.
   */
  async rollback(options: Rollback) {
    const { base, message, ticket, breakGlass = false, ...asked } = options;
    const body = breakGlass ? { ...asked, breakGlass } : asked;
    const answer = await this.#manage('POST', 'rollback', { body, query: { message, ticket }, headers: baseHeader(base), again: 'keyed' });
    return { ...checkedBody<contract.RolledBack>(answer, ROLLED_BACK), ...publishIn(answer) };
  }

  /** `base`: as the answer to a dry run names it (`position`); it throws PUBLISH_CONFLICT if something was published since. */
  async discard(options: Discard) {
    const { base, message, ticket, ...body } = options;
    const answer = await this.#manage('POST', 'discard', { body, query: { message, ticket }, headers: baseHeader(base), again: 'keyed' });
    return { ...checkedBody<contract.Discarded>(answer, DISCARDED), ...publishIn(answer) };
  }

  async remove(kind: Listed, id: string, target: Target): Promise<contract.Removed> {
    return checkedBody(await this.#manage('DELETE', `${kind}/${encodeURIComponent(id)}`, { target, again: 'keyed' }), DONE);
  }

  /** A page of the history, newest first. */
  async publishes(page: { readonly limit?: number; readonly before?: number } = {}): Promise<contract.Publishes> {
    return checkedBody(await this.#manage('GET', 'publishes', { query: page }), PUBLISHES);
  }

  /** Runs the saved tests; nothing of it is stored. */
  async runTests(target: Target): Promise<contract.TestRun> {
    return checkedBody(await this.#manage('POST', 'run-tests', { target, body: {}, again: 'read' }), TEST_RUN);
  }

  /** What a target holds, by name and hash. */
  async manifest(target: Target): Promise<contract.Manifest> {
    return checkedBody(await this.#manage('GET', 'agent-manifest', { target }), MANIFEST);
  }

  /** Whether address, project and key fit together. */
  async validate(): Promise<contract.Validated> {
    return checkedBody(await this.#manage('GET', 'validate'), members({ ok: flag, project: anyObject }));
  }

  #manage(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, options: Request = {}): Promise<Answered> {
    return this.request(method, `/v3/manage/${encodeURIComponent(this.server.project)}/${path}`, options);
  }
}

function queryOf({ strict, replaceAll = false, message, ticket }: Omit<SyncOptions, 'base'>): Readonly<Record<string, string | undefined>> {
  return { message, ticket, strict: strict ? 'true' : undefined, replaceAll: replaceAll ? 'true' : undefined };
}

function baseHeader(base: number | null): Readonly<Record<string, string>> {
  return base === null ? {} : { 'x-ns-base': String(base) };
}

/**
 * The body of an answer, as the contract of its route says it is. `shape`: what is read of it. Throws `RemoteUnreachable` for the answer of
 * something else, such as the page of a proxy.
 */
export function checkedBody<Body>({ body, url }: Pick<Answered, 'body' | 'url'>, shape: Shape): Body {
  const fault = shape(body, '');
  if (fault !== null) throw strangeAnswer(url, fault);
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
