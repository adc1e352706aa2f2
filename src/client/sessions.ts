import type { SessionOpened } from '../contract/answers.ts';
import { strangeAnswer } from './answer.ts';
import type { Connection } from './connection.ts';
import { proofByToken } from './connection.ts';
import { mapped, orThrow, type Result } from './errors.ts';
import type { Player, RequestOptions } from './options.ts';
import type { ApiRequest, HeaderMap } from './request.ts';

/**
 * Sessions: a player is proven once, and carries a session token from then on. If the project uses sessions, the client manages them by
 * itself: it creates one before the first call, refreshes it before it expires, and replaces one that was revoked.
 */

export interface Session {
  readonly id: string;
  readonly token: string;
}

interface HeldSession extends Session {
  /** Address, project, target and player that the session is for. It is not used for any other. */
  readonly owner: string;
  /** End of the session by the monotonic clock, ms. */
  readonly expiresAt: number;
}

/** A session is refreshed when less than this is left. */
const REFRESH_MARGIN_MS = 30_000;
/** For this long after a failure no session is opened, and the player's own token is used, ms. */
const FAILURE_PAUSE_MS = 10_000;

const OPENED = { sessionToken: 'string', session: 'object' } as const;

/** The sessions of the client's player. */
export class Sessions {
  readonly #connection: Connection;
  #session: HeldSession | null = null;
  #opening: Promise<Session | null> | null = null;
  #pausedUntil = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.proof = (player) => this.#proof(player);
    connection.renewProof = (code) => this.recover(code);
  }

  /**
   * The current session; `null`: there is none.
   *
   * @example
   * ```ts
   * client.sessions.current; // → null
   * ```
   */
  get current(): Session | null {
    const held = this.#session;
    if (held === null || held.owner !== this.#owner() || performance.now() >= held.expiresAt) return null;
    return { id: held.id, token: held.token };
  }

  /**
   * Opens a new session with the player's own token.
   *
   * @example
   * ```ts
   * const opened = await client.sessions.tryCreate();
   * opened.ok ? 'open' : opened.error.code; // → 'AUTH_SESSION_DISABLED'
   * ```
   */
  create(options?: RequestOptions): Promise<Session> {
    return orThrow(this.tryCreate(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const opened = await client.sessions.tryCreate({ timeoutMs: 5_000 });
   * opened.ok; // → false
   * ```
   */
  async tryCreate(options?: RequestOptions): Promise<Result<Session>> {
    return this.#open('create', true, options);
  }

  /**
   * Replaces the current session by one with a full lifetime.
   *
   * @example
   * ```ts
   * const opened = await client.sessions.tryRefresh();
   * opened.ok ? 'open' : opened.error.code; // → 'AUTH_SESSION_DISABLED'
   * ```
   */
  refresh(options?: RequestOptions): Promise<Session> {
    return orThrow(this.tryRefresh(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const opened = await client.sessions.tryRefresh();
   * opened.ok; // → false
   * ```
   */
  async tryRefresh(options?: RequestOptions): Promise<Result<Session>> {
    return this.#open('refresh', false, options);
  }

  /**
   * Replaces the current session, and proves the player again by its token.
   *
   * @example
   * ```ts
   * const opened = await client.sessions.tryReauth();
   * opened.ok ? 'open' : opened.error.status; // → 403
   * ```
   */
  reauth(options?: RequestOptions): Promise<Session> {
    return orThrow(this.tryReauth(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const opened = await client.sessions.tryReauth();
   * opened.ok; // → false
   * ```
   */
  async tryReauth(options?: RequestOptions): Promise<Result<Session>> {
    return this.#open('reauth', true, options);
  }

  /**
   * Ends the session, and all sessions that were refreshed from it, as a log-out does.
   *
   * @example
   * ```ts
   * await client.sessions.revoke();
   * client.sessions.current; // → null
   * ```
   */
  revoke(options?: RequestOptions): Promise<void> {
    return orThrow(this.tryRevoke(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const opened = await client.sessions.tryRevoke();
   * opened.ok; // → true
   * ```
   */
  async tryRevoke(options?: RequestOptions): Promise<Result<void>> {
    const { current } = this;
    this.forget();
    if (current === null) return { ok: true, value: undefined };
    const sent = await this.#connection.send(this.#request('revoke', { 'x-auth-session': current.token }, options));
    return mapped(sent, () => undefined);
  }

  /**
   * The session for a call, opened or refreshed if needed. `null`: the call uses the player's own token. Never fails.
   *
   * @internal
   */
  ensure(): Promise<Session | null> {
    const { current } = this;
    const isFresh = current !== null && performance.now() < (this.#session?.expiresAt ?? 0) - REFRESH_MARGIN_MS;
    // A new session needs a token that proves the player.
    if (isFresh || performance.now() < this.#pausedUntil || (current === null && !this.#connection.player?.token)) {
      return Promise.resolve(current);
    }
    this.#opening ??= this.#renew().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /**
   * Drops a session that was refused with this code. Returns whether the call is worth repeating.
   *
   * @internal
   */
  recover(code: string): boolean {
    if (!code.startsWith('AUTH_SESSION_') || this.#session === null) return false;
    this.forget();
    return true;
  }

  /** @internal */
  forget(): void {
    this.#session = null;
    this.#pausedUntil = 0;
  }

  async #renew(): Promise<Session | null> {
    const refreshed = this.current === null ? null : await this.tryRefresh({ retries: 0 });
    if (refreshed?.ok === true) return refreshed.value;
    const created = this.#connection.player?.token ? await this.tryCreate({ retries: 0 }) : null;
    if (created?.ok === true) return created.value;
    this.#pausedUntil = performance.now() + FAILURE_PAUSE_MS;
    return this.current;
  }

  async #open(operation: 'create' | 'refresh' | 'reauth', withProof: boolean, options?: RequestOptions): Promise<Result<Session>> {
    const player = this.#connection.requirePlayer();
    if (!player.ok) return player;
    const owner = this.#owner();
    const { current } = this;
    const held: HeaderMap = operation === 'create' || current === null ? {} : { 'x-auth-session': current.token };
    const own: HeaderMap = withProof && this.#connection.player !== null ? await proofByToken(this.#connection.player) : {};
    const body = operation === 'create' ? { platformId: player.value } : {};
    const sent = await this.#connection.send({ ...this.#request(operation, { ...held, ...own }, options), body, answer: OPENED });
    if (!sent.ok) return sent;
    const { sessionToken = '', ttlSeconds = 60, session } = sent.value.body as SessionOpened;
    if (sessionToken === '' || typeof session.id !== 'string') return strangeAnswer('it holds no session');
    const opened = { id: session.id, token: sessionToken };
    this.#session = { ...opened, owner, expiresAt: performance.now() + Math.max(60, ttlSeconds) * 1000 };
    return { ok: true, value: opened };
  }

  #request(operation: string, headers: HeaderMap, options: RequestOptions | undefined): ApiRequest {
    const named = { player: 'named', isRepeatable: true, refusesWith200: true } as const;
    return { method: 'POST', family: 'auth-sessions', path: [operation], headers, body: {}, options, ...named };
  }

  async #proof(player: Player): Promise<HeaderMap> {
    const { current } = this;
    return current === null ? proofByToken(player) : { 'x-auth-session': current.token };
  }

  #owner(): string {
    const { options, player } = this.#connection;
    return [options.url, options.projectId, options.publishTarget ?? 'live', player?.id].join(' ');
  }
}
