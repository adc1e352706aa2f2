import type { ServerInfo } from '../contract/answers.ts';
import { addressError, addressOf, isForCdn, rootOf } from './address.ts';
import { type Answer, fitting, readAnswer } from './answer.ts';
import { checkArguments, requireClientOptions, requireOptions, requirePlayer } from './arguments.ts';
import { credentials } from './credentials.ts';
import { type Failed, failure, isMissing, mapped, type Result, SavepointError, success } from './errors.ts';
import { aborted, exchange } from './exchange.ts';
import { exposedSecret, misplacedSecret } from './exposure.ts';
import { type ExactNumbers, inexactNumbers, jsonText } from './json-text.ts';
import type { Operation } from './operations.ts';
import {
  type ClientOptions,
  type Credentials,
  type Fetch,
  type LogEntry,
  liveRevision,
  type Player,
  type RequestOptions,
} from './options.ts';
import type { Addressed, ApiRequest, HeaderMap, Prepared, PreparedRequest, Settings } from './request.ts';
import { isTransient, isVerifierUnavailable, MAX_RETRY_AFTER_MS, pause, retryDelayMs, wasNotProcessed } from './retry.ts';
import { RevisionReports } from './revision-reports.ts';
import { readServerInfo, unservedRoute } from './server.ts';
import { LIBRARY_VERSION } from './version.ts';

/** All requests of a client pass here. It decides on address, key, player and retries. */

/** A write to a document that is on its way. */
export interface OwnWrite {
  readonly collection: string;
  readonly key: string;
  /** `{ document }` replaces the document, `{ ops }` changes it, `{}` deletes it. */
  readonly change: { readonly document?: unknown; readonly ops?: readonly Operation[] };
}

/** A write that begins. */
export interface FollowedWrite {
  /** Its idempotency key. */
  readonly key: string;
  /** `undefined`: it is a call. */
  readonly collection?: string | undefined;
  /** The document's key; of save records the rest of their path. */
  readonly document?: string | undefined;
}

/** Is told of a write; what it returns is told the outcome, `null` for a success. */
export type Follower = (write: FollowedWrite) => ((error: SavepointError | null) => void) | undefined;

/** Observes what a client does. */
export interface Observer {
  /** Called for each write to a document. The function that it returns is then called with the outcome. */
  writing(write: OwnWrite): (answer: Result<Answer>) => void;
  /** Options have changed. */
  changed(): void;
  /** Why a write to a document must not be sent now; `null`: it may be. `key`: its idempotency key. */
  refuses?(write: OwnWrite, key: string): SavepointError | null;
}

export const TIMEOUT_MS = 15_000;
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
  readonly revisions = new RevisionReports();
  readonly #observers = new Set<Observer>();
  readonly #followers = new Set<Follower>();
  /** Of documents whose numbers doubles do not hold, by collection and key. */
  readonly #exact = new Map<string, ExactNumbers>();
  /** What the server says of itself. */
  #serverInfo: ServerInfo | null = null;
  /** Collections whose documents not everybody may read: they are asked for at `url`, with the player's proof. */
  readonly #notPublic = new Set<string>();
  /** Secret keys that the server has taken, with their projects. Clients that are made of this one share them. */
  readonly #validKeys: Set<string>;

  /** Throws `INVALID_ARGUMENT`, and `SECRET_EXPOSED`. `origin`: the connection whose client this one is made of. */
  constructor(options: ClientOptions, origin?: Connection) {
    this.#options = checked(options);
    this.#validKeys = origin === undefined ? new Set() : origin.#validKeys;
  }

  get options(): ClientOptions {
    return { ...this.#loaded, ...this.#options };
  }

  /** Throws `INVALID_ARGUMENT` and `SECRET_EXPOSED`, and changes nothing then. */
  change(changes: ClientOptions): void {
    requireClientOptions(changes);
    this.#options = checked({ ...this.#options, ...changes });
    this.#loading = null;
    if ('url' in changes || 'projectId' in changes) this.#position = 0;
    if ('url' in changes) this.#serverInfo = null;
    this.#notPublic.clear();
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
    const loaded = await this.#loadCredentials();
    const settings = loaded.ok ? usable(this.options, this.player) : loaded;
    const refused = settings.ok ? await this.#validate(settings.value) : settings;
    if (refused !== null) this.#loading = null;
    return refused ?? settings;
  }

  async #loadCredentials(): Promise<Result<void>> {
    if (isComplete(this.#options)) return success(undefined);
    const { credentials: given, clientType } = this.#options;
    try {
      const { secretKey, ...found } = (await (given ?? credentials)()) ?? {};
      // What lies on the machine becomes a game's secret key only if the game says that it is a server.
      const isWanted = secretKey !== undefined && (given !== undefined || (clientType ?? 'game') !== 'game');
      this.#loaded = isWanted ? { ...found, secretKey } : found;
      return success(undefined);
    } catch (cause) {
      return failure('NOT_CONFIGURED', `The credentials could not be read: ${String(cause)}`, { cause });
    }
  }

  /** Asks the server, at the start, whether it takes the secret key. `null`: it does, or cannot be asked now. */
  async #validate(settings: Settings): Promise<Failed | null> {
    const { url, projectId, secretKey } = settings;
    const key = `${url} ${projectId} ${secretKey}`;
    if (!secretKey || this.#validKeys.has(key)) return null;
    const asked = await this.#attempt(settings, { method: 'GET', family: 'manage', path: ['validate'], isRepeatable: true });
    if (asked.ok) this.#validKeys.add(key);
    if (asked.ok || (asked.error.status !== 401 && asked.error.status !== 403)) return null;
    const { message, status, details } = asked.error;
    return failure('SECRET_KEY_INVALID', `The server does not take the secret key of the project ${projectId}: ${message}`, {
      status,
      details,
    });
  }

  /** The given key, or else the player's id. Fails if there is neither. */
  requirePlayer(given?: string): Result<string> {
    const id = given ?? this.player?.id ?? '';
    if (typeof id !== 'string') return failure('INVALID_ARGUMENT', `${String(id)} is no key of a document, which is a text`);
    return id === ''
      ? failure('NO_PLAYER', 'This is about a player, and the client has none: give it `player`, sign in a guest first, or name a key')
      : success(id);
  }

  /** Calls the follower for each write that begins. Returns the function that ends this. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Does the work of a write, and tells the followers how it goes. */
  async followed<T>(write: FollowedWrite, work: () => Promise<Result<T>>): Promise<Result<T>> {
    const ends = [...this.#followers].map((follower) => follower(write));
    const result = await work();
    for (const end of ends) end?.(result.ok ? null : result.error);
    return result;
  }

  /** Sends the request until it is carried out or refused, with retries where they may help. */
  send(ask: ApiRequest): Promise<Result<Answer>> {
    const { family, key, path } = ask;
    // Calls are followed where the game makes them: a host sends those of its guests, too.
    if (key === undefined || family !== 'storage') return this.#send(ask);
    const [collection, ...document] = path;
    return this.followed({ key, collection, document: document.join('/') }, () => this.#send(ask));
  }

  async #send(ask: ApiRequest): Promise<Result<Answer>> {
    const given = checkArguments(() => requireOptions(ask.options));
    if (!given.ok) return given;
    const ready = await this.ready();
    if (!ready.ok) return ready;
    const retries = ask.options?.retries ?? this.#options.retries ?? RETRIES;
    const recovered = new Set<string>();
    for (let attempt = 1; ; ) {
      const isAtCdn = isForCdn(ready.value, ask) && !this.#notPublic.has(ask.path[0] ?? '');
      const result = await this.#attempt(ready.value, ask, isAtCdn);
      if (result.ok) {
        this.#trackPosition(ask, result.value);
        this.#noteRevision(ask, null);
        return result;
      }
      if (isAtCdn && !isTransient(result.error) && !isMissing(result.error)) {
        // Not everybody may read it, or the CDN does not have it: the server is asked, and told who asks.
        this.#notPublic.add(ask.path[0] ?? '');
        continue;
      }
      const error = await this.#explained(ready.value, ask, result.error);
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

  /** What the server is. It is read once. */
  async serverInfo(options?: RequestOptions): Promise<Result<ServerInfo>> {
    if (this.#serverInfo !== null) return success(this.#serverInfo);
    const { url } = this.options;
    const read = await readServerInfo((ask) => this.send(ask), options);
    if (read.ok && url === this.options.url) this.#serverInfo = read.value;
    return read;
  }

  /** A route that is not served is told with its reason, so that a wrong `url` shows at the first request. */
  async #explained({ url }: Settings, { family }: ApiRequest, error: SavepointError): Promise<SavepointError> {
    if (error.code !== 'ROUTE_NOT_FOUND' || family === 'server-info') return error;
    return unservedRoute(url, await this.serverInfo({ retries: 0 }), error);
  }

  async #recover(ask: ApiRequest, error: SavepointError): Promise<boolean> {
    if (ask.player === 'proven' && this.renewProof(error.code)) return true;
    return (await ask.recover?.(error)) === true;
  }

  #fail(ask: ApiRequest, error: SavepointError): Result<Answer> {
    const level = error.code === 'NOT_FOUND' || error.code === 'ABORTED' ? 'debug' : 'warn';
    this.log(level, `${ask.method} ${[ask.family, ...ask.path].join('/')}: ${error.code}: ${error.message}`, { error });
    if (error.code === 'REVISION_OUTDATED') this.#noteRevision(ask, error.message);
    return { ok: false, error };
  }

  async #attempt(settings: Settings, ask: ApiRequest, isAtCdn = false): Promise<Result<Answer>> {
    const request = await this.#request(settings, ask, isAtCdn);
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

  /** A request as it would be sent now, for a part that sends it itself. */
  async prepared(ask: ApiRequest): Promise<Result<PreparedRequest>> {
    const ready = await this.ready();
    if (!ready.ok) return ready;
    return mapped(await this.#request(ready.value, ask), (request) => ({ ...request, settings: ready.value }));
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

  async #request(settings: Settings, ask: ApiRequest, isAtCdn = false): Promise<Result<Addressed>> {
    let prepared: Prepared;
    let headers: HeaderMap;
    try {
      const result = (await ask.prepare?.(settings)) ?? success({});
      if (!result.ok) return result;
      prepared = result.value;
      // Done after `prepare`, which may have opened a session.
      headers = { ...this.#headers(settings, ask), ...(isAtCdn ? {} : await this.#identityHeaders(settings, ask)) };
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
    const address = addressOf(isAtCdn ? (settings.cdnUrl ?? settings.url) : settings.url, settings, ask);
    if (!address.ok) return address;
    return success({
      url: address.value,
      init: { method: ask.method, headers: all, ...(body.value === null ? {} : { body: body.value }) },
    });
  }

  #headers(settings: Settings, ask: ApiRequest): HeaderMap {
    const { publicKey, secretKey, publishTarget, clientType } = settings;
    const revision = liveRevision(settings);
    return {
      ...(publicKey === '' ? {} : { 'x-public-key': publicKey }),
      ...(secretKey ? { 'x-secret-key': secretKey } : {}),
      ...(publishTarget === 'next' ? { 'x-ns-publish-target': 'next' } : {}),
      ...(revision ? { 'x-ns-revision-id': String(revision) } : {}),
      'x-ns-client-type': clientType ?? 'game',
      'x-ns-library-version': LIBRARY_VERSION,
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

  #noteRevision({ family, player, method }: ApiRequest, refusal: string | null): void {
    if (family === 'storage' && player === 'proven') this.revisions.noteDocument(method !== 'GET', refusal);
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

export function fetcherOf(settings: Settings): Fetch {
  return settings.fetch ?? ((url, given) => fetch(url, given));
}

/** Throws `INVALID_ARGUMENT` and `SECRET_EXPOSED`. */
function checked(options: ClientOptions): ClientOptions {
  requireClientOptions(options);
  requirePlayer(options.player);
  const misplaced = misplacedSecret(options);
  if (misplaced !== null) throw misplaced;
  return options;
}

/** The settings that the options come to, once the credentials are loaded. */
function usable(options: ClientOptions, player: Player | null): Result<Settings> {
  const { url = '', cdnUrl, projectId = '', publicKey = '' } = options;
  if (!isComplete(options))
    return failure('NOT_CONFIGURED', 'The client needs `url`, `projectId` and `publicKey`: give them to createClient');
  const wrong = addressError('url', url) ?? (cdnUrl ? addressError('cdnUrl', cdnUrl) : null);
  const exposed = wrong ?? misplacedSecret(options) ?? exposedSecret(url, options);
  return exposed === null ? success({ ...options, url, projectId, publicKey, player }) : { ok: false, error: exposed };
}

function isComplete({ url, projectId, publicKey, secretKey }: Partial<Credentials>): boolean {
  return Boolean(url && projectId && (publicKey || secretKey));
}
