import { type Answer, readAnswer } from './answer.ts';
import { looked, requireKind, requireOptions, requirePlayer } from './arguments.ts';
import { credentials } from './credentials.ts';
import { failure, type Result, SavepointError, success } from './errors.ts';
import { aborted, exchange } from './exchange.ts';
import { jsonText } from './json-text.ts';
import type { Operation } from './operations.ts';
import type { ClientOptions, Credentials, Fetch, LogEntry, Player, RequestOptions } from './options.ts';
import { isLoginAway, isPassing, LONGEST_WAIT_MS, pause, pauseBefore, wasRefusedUnseen } from './retry.ts';

/** Everything that a client sends goes through here: to which address, with which key, for which player, how often. */

/** A write to a document that is on its way. */
export interface OwnWrite {
  readonly collection: string;
  readonly key: string;
  /** `{ document }` replaces the document, `{ ops }` changes it, `{}` deletes it. */
  readonly change: { readonly document?: unknown; readonly ops?: readonly Operation[] };
}

/** Observes what a client does. */
export interface Observer {
  /** Called for each write to a document. The function that it returns is called with the outcome. */
  writing(write: OwnWrite): (answer: Result<Answer>) => void;
  /** Options have changed. */
  changed(): void;
}

/** A request that a part of the library wants sent. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly family: 'storage' | 'endpoints' | 'queries' | 'values' | 'auth-sessions' | 'guests' | 'security-config' | 'manage' | 'live';
  /** Segments of the path after the project's id. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly headers?: Headings;
  readonly body?: unknown;
  /** Whether the request names the player, and what proves the player: `token` is the player's own token, even if there is a session. */
  readonly player?: 'named' | 'proven' | 'token';
  /** Its idempotency key. */
  readonly key?: string;
  /** Whether it may be sent again when its outcome is unknown: a read, or a write with a key. */
  readonly repeats: boolean;
  /** A refusal may come with status 200. */
  readonly refusesInside?: boolean;
  readonly options?: RequestOptions | undefined;
  /** Made anew for each attempt, laid over `headers` and `body`. */
  prepare?(settings: Settings): Promise<Result<Prepared>>;
  /** Removes the cause of a refusal. Resolves to whether it did, so that the request is sent again at once. Called once for each code. */
  recover?(error: SavepointError): Promise<boolean>;
}

export interface Prepared {
  readonly headers?: Headings;
  readonly body?: unknown;
}

export type Headings = Readonly<Record<string, string>>;

export type Settings = Omit<ClientOptions, keyof Credentials | 'player'> & Credentials & { readonly player: Player | null };

const TIMEOUT_MS = 15_000;
const RETRIES = 3;
/** The most recoveries within one request. */
const MOST_RECOVERIES = 3;

export class Connection {
  #options: ClientOptions;
  #loading: Promise<Result<Settings>> | null = null;
  #loaded: Partial<Credentials> = {};
  /**
   * The last revision of the project's log that this client has seen or written. Its reads must show it, and no decision may rest on less.
   */
  #position = 0;
  /** Makes the headers that prove the player. Another part of the library may replace it. */
  proof: (player: Player) => Promise<Headings> = proofByToken;
  /** Whether a new proof may replace one that was refused with this code. */
  lostProof: (code: string) => boolean = () => false;

  readonly #observers = new Set<Observer>();

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

  /** Returns the function that ends it. */
  observe(observer: Observer): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Reports that a write to a document begins. The function that it returns is to be called with the outcome. */
  writing(write: OwnWrite): (answer: Result<Answer>) => void {
    const settled = [...this.#observers].map((observer) => observer.writing(write));
    return (answer) => {
      for (const tell of settled) tell(answer);
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

  /** The settings, once the credentials are there. */
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
    const wrong = isComplete(options) ? (misaddressed(url) ?? exposed(url, secretKey || secretIn(publicKey))) : notConfigured();
    if (wrong !== null) {
      this.#loading = null;
      return { ok: false, error: wrong };
    }
    return success({ ...options, url, projectId, publicKey, player: this.player });
  }

  /** The player's id. Fails where no player is set. */
  requirePlayer(given?: string): Result<string> {
    const id = given ?? this.player?.id ?? '';
    if (typeof id !== 'string') return failure('INVALID_ARGUMENT', `${String(id)} is no key of a document, which is a text`);
    return id === '' ? failure('NO_PLAYER', 'This is about a player: give `player` to the client, or name a key') : success(id);
  }

  /** Sends the request, again where that helps, until it is carried out or refused. */
  async send(ask: Ask): Promise<Result<Answer>> {
    const given = looked(() => requireOptions(ask.options));
    if (!given.ok) return given;
    const ready = await this.ready();
    if (!ready.ok) return ready;
    const retries = ask.options?.retries ?? this.#options.retries ?? RETRIES;
    const recovered = new Set<string>();
    for (let attempt = 1; ; ) {
      const result = await this.#attempt(ready.value, ask);
      if (result.ok) {
        this.#noteWrite(ask, result.value);
        return result;
      }
      const { error } = result;
      if (recovered.size < MOST_RECOVERIES && !recovered.has(error.code) && (await this.#recovers(ask, error))) {
        recovered.add(error.code);
        continue;
      }
      if (attempt > retries || !this.mayPass(error) || !(ask.repeats || wasRefusedUnseen(error))) return this.#told(ask, error);
      const waitMs = pauseBefore(attempt, error, Math.random);
      if (waitMs > LONGEST_WAIT_MS) return this.#told(ask, error);
      this.log('debug', `${ask.method} ${ask.family} is sent again in ${Math.round(waitMs)} ms`, { code: error.code, attempt });
      if (!(await pause(waitMs, ask.options?.signal))) return aborted(ask.options?.signal);
      attempt++;
    }
  }

  /** Whether the same request may fare better in a moment. Without a token there is nothing that a login, once it is back, could judge. */
  mayPass(error: SavepointError): boolean {
    return isPassing(error) && !(isLoginAway(error) && this.player?.token === undefined);
  }

  async #recovers(ask: Ask, error: SavepointError): Promise<boolean> {
    if (ask.player === 'proven' && this.lostProof(error.code)) return true;
    return (await ask.recover?.(error)) === true;
  }

  #told(ask: Ask, error: SavepointError): Result<Answer> {
    const level = error.code === 'NOT_FOUND' || error.code === 'ABORTED' ? 'debug' : 'warn';
    this.log(level, `${ask.method} ${[ask.family, ...ask.path].join('/')}: ${error.code}: ${error.message}`, { error });
    return { ok: false, error };
  }

  async #attempt(settings: Settings, ask: Ask): Promise<Result<Answer>> {
    const request = await this.#request(settings, ask);
    if (!request.ok) return request;
    const { url, init } = request.value;
    const timeoutMs = ask.options?.timeoutMs ?? settings.timeoutMs ?? TIMEOUT_MS;
    const reply = await exchange(fetcherOf(settings), url, init, { timeoutMs, signal: ask.options?.signal });
    if (!reply.ok) return reply;
    return readAnswer(reply.value, settings.json?.parse ?? JSON.parse, ask.refusesInside === true);
  }

  /** One attempt at an answer that goes on. Resolves as soon as the answer begins. */
  async open(ask: Ask, signal: AbortSignal): Promise<Result<Response>> {
    const ready = await this.ready();
    const request = ready.ok ? await this.#request(ready.value, ask) : ready;
    if (!ready.ok || !request.ok) return request.ok ? failure('NOT_CONFIGURED', 'The client is not configured') : request;
    const settings = ready.value;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), settings.timeoutMs ?? TIMEOUT_MS);
    try {
      const { url, init } = request.value;
      // A redirect is not followed: it would send keys and tokens to another server.
      const response = await fetcherOf(settings)(url, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, late.signal]) });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response.ok && response.body !== null && isStream) return success(response);
      const answer = readAnswer({ status: response.status, headers: response.headers, text: await response.text() }, JSON.parse, false);
      return answer.ok ? failure('INVALID_RESPONSE', 'The answer is no stream') : answer;
    } catch (cause) {
      if (late.signal.aborted && !signal.aborted) return failure('TIMEOUT', 'The stream did not open in time', { cause });
      return signal.aborted ? aborted(signal) : failure('NETWORK_ERROR', `The stream could not be opened: ${String(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Later reads show this revision at least. */
  reached(position: number): void {
    if (position > this.#position) this.#position = position;
  }

  async #request(settings: Settings, ask: Ask): Promise<Result<{ readonly url: string; readonly init: RequestInit }>> {
    const address = addressOf(settings, ask);
    if (!address.ok) return address;
    let prepared: Prepared;
    let headers: Headings;
    try {
      const result = (await ask.prepare?.(settings)) ?? success({});
      if (!result.ok) return result;
      prepared = result.value;
      // Done after `prepare`, which may have opened a session.
      headers = { ...this.#headers(settings, ask), ...(await this.#identity(settings, ask)) };
    } catch (cause) {
      if (cause instanceof SavepointError) return { ok: false, error: cause };
      return failure('PLATFORM_AUTH_FAILED', `The player's token could not be had: ${String(cause)}`, { cause });
    }
    const body = this.#printed(prepared.body ?? ask.body);
    if (!body.ok) return body;
    const all = { ...headers, ...ask.headers, ...prepared.headers, ...(body.value === null ? {} : { 'content-type': 'application/json' }) };
    // A header that cannot be sent is found here: `fetch` would throw what it throws for a network failure. The text may be a secret, so it
    // is not shown.
    const wrong = Object.entries(all).find(([, text]) => typeof text !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text));
    if (wrong !== undefined) return failure('INVALID_ARGUMENT', `${wrong[0]} holds what no header can carry`);
    return success({
      url: address.value,
      init: { method: ask.method, headers: all, ...(body.value === null ? {} : { body: body.value }) },
    });
  }

  #headers({ publicKey, secretKey, publishTarget, revision, clientType }: Settings, ask: Ask): Headings {
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

  async #identity({ player, secretKey }: Settings, { player: kind }: Ask): Promise<Headings> {
    if (player === null || kind === undefined) return {};
    const named = { 'x-platform-id': player.id };
    // With a secret key the server's own word is enough.
    if (kind === 'named' || secretKey) return named;
    return { ...named, ...(await (kind === 'token' ? proofByToken : this.proof)(player)) };
  }

  #printed(body: unknown): Result<string | null> {
    return body === undefined ? success(null) : jsonText(body, this.#options.json);
  }

  #noteWrite(ask: Ask, { headers }: Answer): void {
    if (ask.method !== 'GET') this.reached(Number(headers.get('x-ns-position') ?? 0));
  }
}

/** The player's own token, asked for anew. */
export async function proofByToken({ token }: Player): Promise<Headings> {
  const text = typeof token === 'function' ? await token() : token;
  return text ? { 'x-platform-token': text } : {};
}

function fetcherOf(settings: Settings): Fetch {
  return settings.fetch ?? ((url, given) => fetch(url, given));
}

function checked(options: ClientOptions): ClientOptions {
  requireKind('options', options, 'object');
  requireOptions(options);
  requirePlayer(options.player);
  return options;
}

function isComplete({ url, projectId, publicKey, secretKey }: Partial<Credentials>): boolean {
  return Boolean(url && projectId && (publicKey || secretKey));
}

function notConfigured(): SavepointError {
  return new SavepointError('NOT_CONFIGURED', 'The client needs `url`, `projectId` and `publicKey`: give them to createClient');
}

function misaddressed(url: string): SavepointError | null {
  if (/^https?:$/.test(parsed(url)?.protocol ?? '')) return null;
  return new SavepointError('INVALID_ARGUMENT', `"${url}" is no address of a server: it begins with https:// or http://`);
}

/** A page may name its own server by a path. */
function parsed(url: string): URL | null {
  try {
    return new URL(url, (globalThis as { readonly location?: { readonly href: string } }).location?.href);
  } catch {
    return null;
  }
}

/** A secret key that was given as the public one. */
function secretIn(publicKey: string): string {
  return /^[a-z]+_sk_/.test(publicKey) ? publicKey : '';
}

/** A secret key is sent over TLS or within the machine only, and never from a page. */
function exposed(url: string, secretKey: string): SavepointError | null {
  if (secretKey === '') return null;
  if ('document' in globalThis)
    return new SavepointError('SECRET_EXPOSED', 'A page must not hold a secret key: everybody who plays can read it');
  const { protocol, hostname } = parsed(url) ?? { protocol: '', hostname: '' };
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  if (protocol === 'https:' || isLocal) return null;
  return new SavepointError('SECRET_EXPOSED', 'A secret key is sent over https:, or to this machine alone');
}

function rootOf(url: string, { apiVersion = 'v3' }: ClientOptions): string {
  return `${url.replace(/\/+$/, '')}/${apiVersion}`;
}

function addressOf(settings: Settings, { method, family, path, query = {} }: Ask): Result<string> {
  // A part that is empty or made of dots would change the address on its way.
  const wrong = path.findIndex((part) => typeof part !== 'string' || ['', '.', '..'].includes(part));
  if (wrong !== -1) return failure('INVALID_ARGUMENT', `"${path[wrong]}" cannot be part of an address`);
  const url = method === 'GET' && family === 'storage' && settings.cdnUrl ? settings.cdnUrl : settings.url;
  const asked = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]);
  });
  const text = new URLSearchParams(asked).toString();
  const address = [rootOf(url, settings), family, settings.projectId, ...path.map(encodeURIComponent)].join('/');
  return success(text === '' ? address : `${address}?${text}`);
}
