import { type Answer, type AnswerShape, fitting, readAnswer } from './answer.ts';
import { checkArguments, requireClientOptions, requireOptions, requirePlayer } from './arguments.ts';
import { credentials } from './credentials.ts';
import { failure, type Result, SavepointError, success } from './errors.ts';
import { aborted, exchange, readReply } from './exchange.ts';
import { type ExactNumbers, inexactNumbers, jsonText } from './json-text.ts';
import type { Operation } from './operations.ts';
import type { ClientOptions, Credentials, Fetch, LogEntry, Player, RequestOptions } from './options.ts';
import { isTransient, isVerifierUnavailable, MAX_RETRY_AFTER_MS, pause, retryDelayMs, wasNotProcessed } from './retry.ts';
import { isGuestSecret, secretIn } from './secret-shapes.ts';

/** All requests of a client pass here. It decides on address, key, player and retries. */

/** A write to a document that is on its way. */
export interface OwnWrite {
  readonly collection: string;
  readonly key: string;
  /** `{ document }` replaces the document, `{ ops }` changes it, `{}` deletes it. */
  readonly change: { readonly document?: unknown; readonly ops?: readonly Operation[] };
}

/** Observes what a client does. */
export interface Observer {
  /** Called for each write to a document. The function that it returns is then called with the outcome. */
  writing(write: OwnWrite): (answer: Result<Answer>) => void;
  /** Options have changed. */
  changed(): void;
  /** Why a write to a document must not be sent now; `null`: it may be. `key`: its idempotency key. */
  refuses?(write: OwnWrite, key: string): SavepointError | null;
}

/** A request that a part of the library sends. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly family: 'storage' | 'endpoints' | 'queries' | 'values' | 'auth-sessions' | 'guests' | 'security-config' | 'manage' | 'live';
  /** Segments of the path after the project's id. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly headers?: HeaderMap;
  readonly body?: unknown;
  /** It reads a document, which `cdnUrl` may answer. */
  readonly isDocument?: true;
  /** Whether the request names the player, or also proves it; `token`: by the player's own token, even if there is a session. */
  readonly player?: 'named' | 'proven' | 'token';
  /** The idempotency key. */
  readonly key?: string;
  /** Whether the request may be sent again when its outcome is unknown: a read, or a write with a key. */
  readonly isRepeatable: boolean;
  /** A refusal may come with status 200. */
  readonly refusesWith200?: boolean;
  /** What its answer has; left out: it is an object. */
  readonly answer?: AnswerShape;
  /** Numbers of the body that keep the digits with which they were read. */
  readonly exact?: ExactNumbers | undefined;
  readonly options?: RequestOptions | undefined;
  /** Called for each attempt. Its headers and body override `headers` and `body`. */
  prepare?(settings: Settings): Promise<Result<Prepared>>;
  /** Removes the cause of a refusal. If it resolves to `true`, the request is sent again at once. Called once for each code. */
  recover?(error: SavepointError): Promise<boolean>;
}

export interface Prepared {
  readonly headers?: HeaderMap;
  readonly body?: unknown;
}

export type HeaderMap = Readonly<Record<string, string>>;

export type Settings = Omit<ClientOptions, keyof Credentials | 'player'> & Credentials & { readonly player: Player | null };

const TIMEOUT_MS = 15_000;
const RETRIES = 3;
/** Bound on the documents whose numbers are noted. */
const MAX_EXACT_DOCUMENTS = 1000;
/** The most recoveries within one request. */
const MAX_RECOVERIES = 3;

export class Connection {
  #options: ClientOptions;
  #loading: Promise<Result<Settings>> | null = null;
  #loaded: Partial<Credentials> = {};
  /**
   * The last revision of the project's log that this client has seen or written. Requests carry it, so that no read or decision of the
   * server rests on an older state.
   */
  #position = 0;
  /** Makes the headers that prove the player. Another part of the library may replace it. */
  proof: (player: Player) => Promise<HeaderMap> = proofByToken;
  /** Whether a new proof may replace one that was refused with this code. */
  renewProof: (code: string) => boolean = () => false;

  readonly #observers = new Set<Observer>();
  /** Of documents whose numbers doubles do not hold, by collection and key. */
  readonly #exact = new Map<string, ExactNumbers>();

  /** Throws `INVALID_ARGUMENT`. */
  constructor(options: ClientOptions) {
    this.#options = checked(options);
  }

  get options(): ClientOptions {
    return { ...this.#loaded, ...this.#options };
  }

  /** Throws `INVALID_ARGUMENT`, and changes nothing then. */
  change(changes: ClientOptions): void {
    this.#options = { ...this.#options, ...checked(changes) };
    this.#loading = null;
    if ('url' in changes || 'projectId' in changes) this.#position = 0;
    for (const observer of [...this.#observers]) observer.changed();
  }

  /** Returns the function that removes the observer. */
  observe(observer: Observer): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Why a write to a document must not be sent now; `null`: it may be. `key`: its idempotency key. */
  refusalOf(write: OwnWrite, key: string): SavepointError | null {
    for (const observer of this.#observers) {
      const refused = observer.refuses?.(write, key) ?? null;
      if (refused !== null) return refused;
    }
    return null;
  }

  /** Reports that a write to a document begins. The caller passes the outcome to the function that is returned. */
  writing(write: OwnWrite): (answer: Result<Answer>) => void {
    const settle = [...this.#observers].map((observer) => observer.writing(write));
    return (answer) => {
      for (const report of settle) report(answer);
    };
  }

  get player(): Player | null {
    const { player } = this.#options;
    return typeof player === 'string' ? { id: player } : (player ?? null);
  }

  get isConfigured(): boolean {
    return isComplete(this.options);
  }

  get apiRoot(): string {
    return rootOf(this.options.url ?? '', this.options);
  }

  log(level: LogEntry['level'], message: string, more: Readonly<Record<string, unknown>> = {}): void {
    this.#options.log?.({ ...more, level, message });
  }

  /** The settings, once the credentials are loaded. */
  ready(): Promise<Result<Settings>> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Result<Settings>> {
    if (!isComplete(this.#options)) {
      try {
        this.#loaded = (await (this.#options.credentials ?? credentials)()) ?? {};
      } catch (cause) {
        this.#loading = null;
        return failure('NOT_CONFIGURED', `The credentials could not be read: ${String(cause)}`, { cause });
      }
    }
    const { options } = this;
    const { url = '', projectId = '', publicKey = '', secretKey = '' } = options;
    const wrong = isComplete(options) ? (addressError(url) ?? exposureError(url, secretKey || secretIn(publicKey))) : notConfiguredError();
    if (wrong !== null) {
      this.#loading = null;
      return { ok: false, error: wrong };
    }
    return success({ ...options, url, projectId, publicKey, player: this.player });
  }

  /** The given key, or else the player's id. Fails if there is neither. */
  requirePlayer(given?: string): Result<string> {
    const id = given ?? this.player?.id ?? '';
    if (typeof id !== 'string') return failure('INVALID_ARGUMENT', `${String(id)} is no key of a document, which is a text`);
    return id === ''
      ? failure('NO_PLAYER', 'This is about a player, and the client has none: give it `player`, sign in a guest first, or name a key')
      : success(id);
  }

  /** Sends the request until it is carried out or refused, with retries where they may help. */
  async send(ask: ApiRequest): Promise<Result<Answer>> {
    const given = checkArguments(() => requireOptions(ask.options));
    if (!given.ok) return given;
    const ready = await this.ready();
    if (!ready.ok) return ready;
    const retries = ask.options?.retries ?? this.#options.retries ?? RETRIES;
    const recovered = new Set<string>();
    for (let attempt = 1; ; ) {
      const result = await this.#attempt(ready.value, ask);
      if (result.ok) {
        this.#trackPosition(ask, result.value);
        return result;
      }
      const { error } = result;
      if (recovered.size < MAX_RECOVERIES && !recovered.has(error.code) && (await this.#recover(ask, error))) {
        recovered.add(error.code);
        continue;
      }
      if (attempt > retries || !this.isRetryable(error) || !(ask.isRepeatable || wasNotProcessed(error))) return this.#fail(ask, error);
      const waitMs = retryDelayMs(attempt, error, Math.random);
      if (waitMs > MAX_RETRY_AFTER_MS) return this.#fail(ask, error);
      this.log('debug', `${ask.method} ${ask.family} is sent again in ${Math.round(waitMs)} ms`, { code: error.code, attempt });
      if (!(await pause(waitMs, ask.options?.signal))) return aborted(ask.options?.signal);
      attempt++;
    }
  }

  /** Whether the same request may succeed later. An unavailable verifier is waited for only if there is a token that it can check. */
  isRetryable(error: SavepointError): boolean {
    return isTransient(error) && !(isVerifierUnavailable(error) && this.player?.token === undefined);
  }

  async #recover(ask: ApiRequest, error: SavepointError): Promise<boolean> {
    if (ask.player === 'proven' && this.renewProof(error.code)) return true;
    return (await ask.recover?.(error)) === true;
  }

  #fail(ask: ApiRequest, error: SavepointError): Result<Answer> {
    const level = error.code === 'NOT_FOUND' || error.code === 'ABORTED' ? 'debug' : 'warn';
    this.log(level, `${ask.method} ${[ask.family, ...ask.path].join('/')}: ${error.code}: ${error.message}`, { error });
    return { ok: false, error };
  }

  async #attempt(settings: Settings, ask: ApiRequest): Promise<Result<Answer>> {
    const request = await this.#request(settings, ask);
    if (!request.ok) return request;
    const { url, init } = request.value;
    const timeoutMs = ask.options?.timeoutMs ?? settings.timeoutMs ?? TIMEOUT_MS;
    const reply = await exchange(fetcherOf(settings), url, init, {
      timeoutMs,
      maxBytes: settings.maxAnswerBytes,
      signal: ask.options?.signal,
    });
    if (!reply.ok) return reply;
    const answer = readAnswer(reply.value, settings.json?.parse ?? JSON.parse, ask.refusesWith200 === true);
    return answer.ok ? fitting(answer.value, ask.answer) : answer;
  }

  /** Opens a stream, in one attempt. Resolves as soon as the answer begins. */
  async open(ask: ApiRequest, signal: AbortSignal): Promise<Result<Response>> {
    const ready = await this.ready();
    const request = ready.ok ? await this.#request(ready.value, ask) : ready;
    if (!ready.ok || !request.ok) return request.ok ? failure('NOT_CONFIGURED', 'The client is not configured') : request;
    const settings = ready.value;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), settings.timeoutMs ?? TIMEOUT_MS);
    try {
      const { url, init } = request.value;
      // Redirects are not followed: they would send keys and tokens to another server.
      const response = await fetcherOf(settings)(url, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, timeout.signal]) });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response.ok && response.body !== null && isStream) return success(response);
      const reply = await readReply(response, settings.maxAnswerBytes);
      if (!reply.ok) return reply;
      const answer = readAnswer(reply.value, JSON.parse, false);
      return answer.ok ? failure('INVALID_RESPONSE', 'The answer is no stream') : answer;
    } catch (cause) {
      if (timeout.signal.aborted && !signal.aborted) return failure('TIMEOUT', 'The stream did not open in time', { cause });
      return signal.aborted ? aborted(signal) : failure('NETWORK_ERROR', `The stream could not be opened: ${String(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Notes how the numbers of a document stood in its text, so that a write of it changes none that the game leaves alone. */
  noteNumbers(collection: string, key: string, text: string): void {
    const name = `${collection}/${key}`;
    this.#exact.delete(name);
    const exact = this.#options.json === undefined ? inexactNumbers(text) : undefined;
    if (exact === undefined) return;
    this.#exact.set(name, exact);
    const [oldest] = this.#exact.keys();
    if (this.#exact.size > MAX_EXACT_DOCUMENTS && oldest !== undefined) this.#exact.delete(oldest);
  }

  exactNumbers(collection: string, key: string): ExactNumbers | undefined {
    return this.#exact.get(`${collection}/${key}`);
  }

  /** Later reads will show at least this revision. */
  advancePosition(position: number): void {
    if (position > this.#position) this.#position = position;
  }

  async #request(settings: Settings, ask: ApiRequest): Promise<Result<{ readonly url: string; readonly init: RequestInit }>> {
    let prepared: Prepared;
    let headers: HeaderMap;
    try {
      const result = (await ask.prepare?.(settings)) ?? success({});
      if (!result.ok) return result;
      prepared = result.value;
      // Done after `prepare`, which may have opened a session.
      headers = { ...this.#headers(settings, ask), ...(await this.#identityHeaders(settings, ask)) };
    } catch (cause) {
      if (cause instanceof SavepointError) return { ok: false, error: cause };
      return failure('PLATFORM_AUTH_FAILED', `The player's token could not be had: ${String(cause)}`, { cause });
    }
    const body = this.#printed(prepared.body ?? ask.body, ask.exact);
    if (!body.ok) return body;
    const all = { ...headers, ...ask.headers, ...prepared.headers, ...(body.value === null ? {} : { 'content-type': 'application/json' }) };
    // Headers are checked here because `fetch` throws the same error for an invalid header as for a network failure. The text may be a
    // secret, so the message does not show it.
    const wrong = Object.entries(all).find(([, text]) => typeof text !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text));
    if (wrong !== undefined) return failure('INVALID_ARGUMENT', `${wrong[0]} holds what no header can carry`);
    const address = addressOf(settings, ask, all);
    if (!address.ok) return address;
    return success({
      url: address.value,
      init: { method: ask.method, headers: all, ...(body.value === null ? {} : { body: body.value }) },
    });
  }

  #headers({ publicKey, secretKey, publishTarget, revision, clientType }: Settings, ask: ApiRequest): HeaderMap {
    return {
      ...(publicKey === '' ? {} : { 'x-public-key': publicKey }),
      ...(secretKey ? { 'x-secret-key': secretKey } : {}),
      ...(publishTarget === 'next' ? { 'x-ns-publish-target': 'next' } : {}),
      ...(revision ? { 'x-ns-revision-id': String(revision) } : {}),
      'x-ns-client-type': clientType ?? (secretKey ? 'dedicated' : 'game'),
      ...(ask.key === undefined ? {} : { 'idempotency-key': ask.key }),
      ...(ask.family !== 'security-config' && this.#position > 0 ? { 'x-ns-position': String(this.#position) } : {}),
    };
  }

  async #identityHeaders({ player, secretKey }: Settings, { player: kind }: ApiRequest): Promise<HeaderMap> {
    if (player === null || kind === undefined) return {};
    const named = { 'x-platform-id': player.id };
    // A request with a secret key needs no proof of the player.
    if (kind === 'named' || secretKey) return named;
    return { ...named, ...(await (kind === 'token' ? proofByToken : this.proof)(player)) };
  }

  #printed(body: unknown, exact: ExactNumbers | undefined): Result<string | null> {
    return body === undefined ? success(null) : jsonText(body, this.#options.json, exact);
  }

  #trackPosition(ask: ApiRequest, { headers }: Answer): void {
    if (ask.method !== 'GET') this.advancePosition(Number(headers.get('x-ns-position') ?? 0));
  }
}

/** The player's own token. A function that gives tokens is called again each time. */
export async function proofByToken({ token }: Player): Promise<HeaderMap> {
  const text = typeof token === 'function' ? await token() : token;
  return text ? { 'x-platform-token': text } : {};
}

function fetcherOf(settings: Settings): Fetch {
  return settings.fetch ?? ((url, given) => fetch(url, given));
}

function checked(options: ClientOptions): ClientOptions {
  requireClientOptions(options);
  requirePlayer(options.player);
  return options;
}

function isComplete({ url, projectId, publicKey, secretKey }: Partial<Credentials>): boolean {
  return Boolean(url && projectId && (publicKey || secretKey));
}

function notConfiguredError(): SavepointError {
  return new SavepointError('NOT_CONFIGURED', 'The client needs `url`, `projectId` and `publicKey`: give them to createClient');
}

function addressError(url: string): SavepointError | null {
  if (/^https?:$/.test(urlOrNull(url)?.protocol ?? '')) return null;
  return new SavepointError('INVALID_ARGUMENT', `"${url}" is no address of a server: it begins with https:// or http://`);
}

/** A relative URL is resolved against the page: a page may name its own server by a path. */
function urlOrNull(url: string): URL | null {
  try {
    return new URL(url, (globalThis as { readonly location?: { readonly href: string } }).location?.href);
  } catch {
    return null;
  }
}

/** The error if a secret key would be exposed: it is sent only over TLS or within the machine, and never from a page. */
function exposureError(url: string, secretKey: string): SavepointError | null {
  if (secretKey === '') return null;
  if ('document' in globalThis)
    return new SavepointError('SECRET_EXPOSED', 'A page must not hold a secret key: everybody who plays can read it');
  const { protocol, hostname } = urlOrNull(url) ?? { protocol: '', hostname: '' };
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  if (protocol === 'https:' || isLocal) return null;
  return new SavepointError('SECRET_EXPOSED', 'A secret key is sent over https:, or to this machine alone');
}

function rootOf(url: string, { apiVersion = 'v3' }: ClientOptions): string {
  return `${url.replace(/\/+$/, '')}/${apiVersion}`;
}

/**
 * Whether a request may go to `cdnUrl`: the read of a document that carries no secret key, whichever option it was given as, and no secret of a
 * guest's device, who is the player for good.
 */
function isForCdn({ publicKey, secretKey }: Settings, { isDocument }: ApiRequest, headers: HeaderMap): boolean {
  if (isDocument !== true || secretKey || secretIn(publicKey) !== '') return false;
  return !Object.values(headers).some(isGuestSecret);
}

/** `headers`: those that will be sent there. */
function addressOf(settings: Settings, ask: ApiRequest, headers: HeaderMap): Result<string> {
  const { family, path, query = {} } = ask;
  // An empty or dotted segment would change the path when the URL is normalised.
  const wrong = path.findIndex((part) => typeof part !== 'string' || ['', '.', '..'].includes(part));
  if (wrong !== -1) return failure('INVALID_ARGUMENT', `"${path[wrong]}" cannot be part of an address`);
  const url = settings.cdnUrl && isForCdn(settings, ask, headers) ? settings.cdnUrl : settings.url;
  const parameters = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]);
  });
  const text = new URLSearchParams(parameters).toString();
  const address = [rootOf(url, settings), family, settings.projectId, ...path.map(encodeURIComponent)].join('/');
  return success(text === '' ? address : `${address}?${text}`);
}
