import { isObject } from './answer.ts';
import type { Connection } from './connection.ts';
import { failure, orThrow, type Result, type SavepointError, success } from './errors.ts';
import type { RequestOptions } from './options.ts';
import { type Config, faultOf } from './security-config.ts';

/** What the project demands of its clients: sessions, encrypted calls, reports. It is loaded before the first call, and cached. */

export interface Modes {
  /** Version of the config; '': no config could be loaded. */
  readonly version: string;
  readonly sessions: boolean;
  readonly encryption: boolean;
  /** Which kinds of reports the project wants. */
  readonly analytics: Readonly<Record<string, unknown>>;
}

interface CachedModes {
  readonly modes: Modes;
  readonly config: Config | null;
  /** Expiry by the monotonic clock, ms. */
  readonly expiresAt: number;
}

const MAX_TTL_MS = 300_000;
const ADOPTED_TTL_MS = 60_000;
/** How long a missing config is cached, ms. It is short, because a project may get its config at any time. */
const MISSING_TTL_MS = 10_000;

/** The security config of the project, and the clock of its server. */
export class Security {
  readonly #connection: Connection;
  #cached: CachedModes | null = null;
  #loading: Promise<CachedModes> | null = null;
  /** The server's clock minus this machine's, ms. */
  #clockOffsetMs = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * What the server says of the project; `null`: it has not been asked.
   *
   * @internal
   */
  get current(): Modes | null {
    return this.#cached === null || this.#cached.modes.version === '' ? null : this.#cached.modes;
  }

  /**
   * The time by the server's clock, as far as it is known, unix ms.
   *
   * @internal
   */
  now(): number {
    const now = Date.now();
    return now + this.#clockOffsetMs;
  }

  /**
   * Loads the project's security config, past all caches, and checks its signature.
   *
   * @example
   * ```ts
   * const { modes } = await client.security.load();
   * modes.authSessions; // → 'disabled'
   * ```
   */
  load(options?: RequestOptions): Promise<Config> {
    return orThrow(this.tryLoad(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const loaded = await client.security.tryLoad();
   * loaded.ok && loaded.value.settings['enableEncryptedRequests']; // → false
   * ```
   */
  tryLoad(options?: RequestOptions): Promise<Result<Config>> {
    return this.#read(true, options);
  }

  /** `bypassesCaches`: caches are bypassed. */
  async #read(bypassesCaches: boolean, options?: RequestOptions): Promise<Result<Config>> {
    const read = await this.#connection.send({
      method: 'GET',
      family: 'security-config',
      path: [],
      query: bypassesCaches ? { refresh: 1 } : {},
      isRepeatable: true,
      options,
    });
    if (!read.ok) return read;
    const { body } = read.value;
    const config = isObject(body) && isObject(body['config']) ? body['config'] : body;
    const fault = await faultOf(config, this.#connection.options.projectId ?? '');
    if (fault !== null) return failure('INVALID_RESPONSE', `The security config cannot be trusted: ${fault}`);
    const known = config as Config;
    this.#setClock(known);
    this.#cache(known);
    return success(known);
  }

  /**
   * The modes in force. Never fails: if no config can be loaded, the client's options count.
   *
   * @internal
   */
  async modes(): Promise<Modes> {
    if (this.#cached !== null && performance.now() < this.#cached.expiresAt) return this.#cached.modes;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return (await this.#loading).modes;
  }

  /**
   * Adapts the modes after a refusal. Resolves to whether the call is worth repeating.
   *
   * @internal
   */
  async recover(error: SavepointError): Promise<boolean> {
    const { code, details } = error;
    if (code === 'ENCRYPTED_REQUEST_STALE') return (await this.tryLoad()).ok;
    if (!code.toUpperCase().startsWith('SECURITY_')) return false;
    const security = [details['security'], isObject(error.body) ? error.body['security'] : null].find(isObject);
    const expected = [security?.['expected'], details['expected']].find(isObject);
    if (expected === undefined) return (await this.tryLoad()).ok;
    const { modes } = this.#cached ?? this.#defaults();
    const { authSessions, encryptedRequests } = expected;
    const adopted = {
      ...modes,
      version: String(security?.['configVersion'] ?? modes.version),
      sessions: authSessions === undefined ? modes.sessions : authSessions === 'enabled',
      encryption: encryptedRequests === undefined ? modes.encryption : encryptedRequests === 'required',
    };
    this.#cached = { modes: adopted, config: null, expiresAt: performance.now() + ADOPTED_TTL_MS };
    this.#connection.log('info', 'The security config of the project has changed; the client adapts to it', { code });
    return true;
  }

  /**
   * Forgets the config: another project has another one.
   *
   * @internal
   */
  forget(): void {
    this.#cached = null;
  }

  async #load(): Promise<CachedModes> {
    const loaded = await this.#read(false, { retries: 1 });
    if (loaded.ok) return this.#cache(loaded.value);
    const known = this.#defaults(loaded.error.status === 404 ? MISSING_TTL_MS : ADOPTED_TTL_MS);
    this.#cached = known;
    return known;
  }

  #defaults(forMs = 0): CachedModes {
    const { sessions = false, encryption = false } = this.#connection.options;
    const modes = { version: '', sessions, encryption, analytics: {} };
    return { modes, config: null, expiresAt: performance.now() + forMs };
  }

  #cache(config: Config): CachedModes {
    const { settings, ttlSeconds, configVersion } = config;
    const analytics = isObject(settings['analytics']) ? settings['analytics'] : {};
    const modes = {
      version: configVersion,
      sessions: settings['enableAuthSessions'] === true,
      encryption: settings['enableEncryptedRequests'] === true,
      analytics,
    };
    const ttlMs = Math.min(MAX_TTL_MS, Math.max(1, ttlSeconds) * 1000);
    this.#cached = { modes, config, expiresAt: performance.now() + ttlMs };
    return this.#cached;
  }

  #setClock({ generatedAt }: Config): void {
    const now = Date.now();
    const server = Date.parse(generatedAt);
    if (!Number.isNaN(server)) this.#clockOffsetMs = server - now;
  }
}
