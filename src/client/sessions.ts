import type { SessionOpened } from '../contract/answers.ts';
import type { Ask, Connection, Headings } from './connection.ts';
import { proofByToken } from './connection.ts';
import { failure, mapped, orThrow, type Result } from './errors.ts';
import type { Player, RequestOptions } from './options.ts';

/**
 * Sessions: a player who was proven once carries a token from then on. Where the project uses them the client does all of this by
 * itself: it creates one before the first call, refreshes it ahead of its end, and makes a new one when it was revoked.
 */

export interface Session {
  readonly id: string;
  readonly token: string;
}

interface Held extends Session {
  /** Player, project and target that it is for. For another one there is another session. */
  readonly of: string;
  /** By the monotonic clock, ms. */
  readonly until: number;
}

/** A session is refreshed when less than this is left. */
const AHEAD_MS = 30_000;
/** After a failure the player's own token is used for this long, ms. */
const REST_MS = 10_000;

/** The sessions of the client's player. */
export class Sessions {
  readonly #connection: Connection;
  #held: Held | null = null;
  #opening: Promise<Session | null> | null = null;
  #restsUntil = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.proof = (player) => this.#proof(player);
    connection.lostProof = (code) => this.recover(code);
  }

  /**
   * The session in force; `null`: there is none.
   *
   * @example
   * ```ts
   * client.sessions.current; // → null
   * ```
   */
  get current(): Session | null {
    const held = this.#held;
    if (held === null || held.of !== this.#owner() || performance.now() >= held.until) return null;
    return { id: held.id, token: held.token };
  }

  /**
   * A new session for the player, who proves to be one.
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
   * A session with its full time beside the one that is in force.
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
   * The same with the player proven anew.
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
   * Ends the session, and all that were refreshed from it: what a log-out does.
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
    const sent = await this.#connection.send(this.#ask('revoke', { 'x-auth-session': current.token }, options));
    return mapped(sent, () => undefined);
  }

  /**
   * The session for a call: opened, refreshed or as it is. `null`: the player's token has to do. Never fails.
   *
   * @internal
   */
  ensure(): Promise<Session | null> {
    const { current } = this;
    const isFresh = current !== null && performance.now() < (this.#held?.until ?? 0) - AHEAD_MS;
    // Without a token no player can be proven.
    if (isFresh || performance.now() < this.#restsUntil || (current === null && !this.#connection.player?.token)) {
      return Promise.resolve(current);
    }
    this.#opening ??= this.#renew().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /**
   * Whether a call that was refused with this code would fare better now.
   *
   * @internal
   */
  recover(code: string): boolean {
    if (!code.startsWith('AUTH_SESSION_') || this.#held === null) return false;
    this.forget();
    return true;
  }

  /** @internal */
  forget(): void {
    this.#held = null;
    this.#restsUntil = 0;
  }

  async #renew(): Promise<Session | null> {
    const refreshed = this.current === null ? null : await this.tryRefresh({ retries: 0 });
    if (refreshed?.ok === true) return refreshed.value;
    const created = this.#connection.player?.token ? await this.tryCreate({ retries: 0 }) : null;
    if (created?.ok === true) return created.value;
    this.#restsUntil = performance.now() + REST_MS;
    return this.current;
  }

  async #open(operation: 'create' | 'refresh' | 'reauth', proves: boolean, options?: RequestOptions): Promise<Result<Session>> {
    const player = this.#connection.requirePlayer();
    if (!player.ok) return player;
    const of = this.#owner();
    const { current } = this;
    const held: Headings = operation === 'create' || current === null ? {} : { 'x-auth-session': current.token };
    const own: Headings = proves && this.#connection.player !== null ? await proofByToken(this.#connection.player) : {};
    const body = operation === 'create' ? { platformId: player.value } : {};
    const sent = await this.#connection.send({ ...this.#ask(operation, { ...held, ...own }, options), body });
    if (!sent.ok) return sent;
    const { sessionToken, ttlSeconds = 60, session } = sent.value.body as SessionOpened;
    if (typeof sessionToken !== 'string' || sessionToken === '') return failure('INVALID_RESPONSE', 'The answer holds no session');
    const opened = { id: session.id, token: sessionToken };
    this.#held = { ...opened, of, until: performance.now() + Math.max(60, ttlSeconds) * 1000 };
    return { ok: true, value: opened };
  }

  #ask(operation: string, headers: Headings, options: RequestOptions | undefined): Ask {
    const named = { player: 'named', repeats: true, refusesInside: true } as const;
    return { method: 'POST', family: 'auth-sessions', path: [operation], headers, body: {}, options, ...named };
  }

  async #proof(player: Player): Promise<Headings> {
    const { current } = this;
    return current === null ? proofByToken(player) : { 'x-auth-session': current.token };
  }

  #owner(): string {
    const { options, player } = this.#connection;
    return [options.url, options.projectId, options.publishTarget ?? 'live', player?.id].join(' ');
  }
}
