import { isObject } from './answer.ts';
import type { Connection } from './connection.ts';
import { failure, orThrow, type Result, type SavepointError, success } from './errors.ts';
import type { RequestOptions } from './options.ts';
import { type Config, faultOf } from './security-config.ts';

/** What the project asks of its clients: sessions, sealed calls, what to report. Loaded before the first call, and kept a while. */

export interface Modes {
  /** Empty: no config could be loaded. */
  readonly version: string;
  readonly sessions: boolean;
  readonly encryption: boolean;
  /** Switches of what is reported. */
  readonly analytics: Readonly<Record<string, unknown>>;
}

interface Known {
  readonly modes: Modes;
  readonly config: Config | null;
  /** By the monotonic clock, ms. */
  readonly until: number;
}

const LONGEST_MS = 300_000;
const ADOPTED_MS = 60_000;
/** How long the absence of a config is remembered, ms: it may come with the next push. */
const MISSING_MS = 10_000;

/** The security config of the project, and the clock of its server. */
export class Security {
  readonly #connection: Connection;
  #known: Known | null = null;
  #loading: Promise<Known> | null = null;
  /** How far the server's clock is ahead of this one, ms. */
  #aheadMs = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Unix ms on the server's clock, as far as it is known.
   *
   * @internal
   */
  now(): number {
    const now = Date.now();
    return now + this.#aheadMs;
  }

  /**
   * The project's security config, whose signature fits; loaded anew.
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

  /** `anew`: no cache may answer. */
  async #read(anew: boolean, options?: RequestOptions): Promise<Result<Config>> {
    const read = await this.#connection.send({
      method: 'GET',
      family: 'security-config',
      path: [],
      query: anew ? { refresh: 1 } : {},
      repeats: true,
      options,
    });
    if (!read.ok) return read;
    const { body } = read.value;
    const config = isObject(body) && isObject(body['config']) ? body['config'] : body;
    const fault = await faultOf(config, this.#connection.options.projectId ?? '');
    if (fault !== null) return failure('INVALID_RESPONSE', `The security config cannot be trusted: ${fault}`);
    const known = config as Config;
    this.#setClock(known);
    this.#keep(known);
    return success(known);
  }

  /**
   * What to go by now. Never fails: without a config it is what the client was told at its making.
   *
   * @internal
   */
  async modes(): Promise<Modes> {
    if (this.#known !== null && performance.now() < this.#known.until) return this.#known.modes;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return (await this.#loading).modes;
  }

  /**
   * After a refusal: whether a call that is sent again would be another one.
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
    const { modes } = this.#known ?? this.#without();
    const { authSessions, encryptedRequests } = expected;
    const adopted = {
      ...modes,
      version: String(security?.['configVersion'] ?? modes.version),
      sessions: authSessions === undefined ? modes.sessions : authSessions === 'enabled',
      encryption: encryptedRequests === undefined ? modes.encryption : encryptedRequests === 'required',
    };
    this.#known = { modes: adopted, config: null, until: performance.now() + ADOPTED_MS };
    this.#connection.log('info', 'The security of the project is another one: it is adopted', { code });
    return true;
  }

  /**
   * Another project has another one.
   *
   * @internal
   */
  forget(): void {
    this.#known = null;
  }

  async #load(): Promise<Known> {
    const loaded = await this.#read(false, { retries: 1 });
    if (loaded.ok) return this.#keep(loaded.value);
    const known = this.#without(loaded.error.status === 404 ? MISSING_MS : ADOPTED_MS);
    this.#known = known;
    return known;
  }

  #without(forMs = 0): Known {
    const { sessions = false, encryption = false } = this.#connection.options;
    const modes = { version: '', sessions, encryption, analytics: {} };
    return { modes, config: null, until: performance.now() + forMs };
  }

  #keep(config: Config): Known {
    const { settings, ttlSeconds, configVersion } = config;
    const analytics = isObject(settings['analytics']) ? settings['analytics'] : {};
    const modes = {
      version: configVersion,
      sessions: settings['enableAuthSessions'] === true,
      encryption: settings['enableEncryptedRequests'] === true,
      analytics,
    };
    const ttlMs = Math.min(LONGEST_MS, Math.max(1, ttlSeconds) * 1000);
    this.#known = { modes, config, until: performance.now() + ttlMs };
    return this.#known;
  }

  #setClock({ generatedAt }: Config): void {
    const now = Date.now();
    const server = Date.parse(generatedAt);
    if (!Number.isNaN(server)) this.#aheadMs = server - now;
  }
}
