import type { GameValues, Ledger, Publishes, SaveRecords } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import { requireClient, requireKind, requireOptions } from './arguments.ts';
import type { Client, ValuesOf } from './client.ts';
import type { Connection } from './connection.ts';
import { type DocumentAddress, documentKey, type LedgerOptions } from './documents.ts';
import { type ErrorCode, failure, isMissing, orThrow, type Result, SavepointError, success, unwrap } from './errors.ts';
import { readEvents, type ServerEvent } from './events.ts';
import type { AnyGame, BoardOf, CollectionOf, DocumentOf, GameTypes, QueryOf } from './game.ts';
import type { AnyResult, Leaderboard } from './queries.ts';
import type { ApiRequest } from './request.ts';
import { pause, retryDelayMs } from './retry.ts';
import { openStream } from './stream.ts';
import { type Change, type Listener, Topic } from './topic.ts';

export type { Change } from './topic.ts';

/** Live values: one connection for all topics that a client follows. It reconnects by itself and misses no change. */

export interface FollowOptions {
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /**
   * Called with the reason why the value is refused. The subscription stays: the value comes once it is allowed again. If the player cannot
   * be proven, not even with a new token, the subscription goes on when the client is given another `player`.
   */
  readonly onError?: (error: SavepointError) => void;
}

export interface LiveOptions {
  /** Told `true` when the server loses sight of its log: later values may exist. Told `false` when the server sees the log again. */
  readonly onStale?: (isStale: boolean) => void;
}

export interface Subscription<Value> {
  /** The value now; `undefined`: none has come yet. */
  readonly value: Value | undefined;
  /** The first value. Fails with the first refusal, and with `ABORTED` if the subscription ends before. */
  readonly ready: Promise<Value>;
  close(): void;
}

export type OnValue<Value> = (value: Value, change: Change) => void;

/** A stream that is silent for this long is broken, ms: the server sends something at least every 15 s. */
const SILENCE_TIMEOUT_MS = 45_000;
/** Interval of the check for silence, ms. */
const SILENCE_CHECK_MS = 5_000;
/** A stream that lasted this long counts as opened without failure, ms. */
const STABLE_STREAM_MS = 5_000;
/** So many streams in a row may open and end at once before their topics are refused. */
const MAX_SHORT_STREAMS = 3;
/** The stream opens this long after the last change of subscriptions, ms: those made together need one request. */
const DEBOUNCE_MS = 10;
const MAX_RECOVERIES = 2;

/**
 * Follows values of a client's project. A game that follows nothing does not load this.
 *
 * @example
 * ```ts
 * const live = openLive(client);
 * const me = live.document('players', (player) => {});
 * (await me.ready)?.gold; // → 10
 * live.close();
 * ```
 */
export function openLive<G extends GameTypes = AnyGame>(client: Client<G>, options: LiveOptions = {}): Live<G> {
  return new Live(client, options);
}

/** What a client follows, over one connection; `openLive` opens it. */
export class Live<G extends GameTypes = AnyGame> {
  readonly #client: Client<G>;
  readonly #connection: Connection;
  readonly #topics = new Map<string, Topic>();
  #stop = new AbortController();
  #isRunning = false;
  #isClosed = false;
  #isStale = false;
  readonly #onStale: LiveOptions['onStale'];
  #reopenTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #stopObserving: () => void;
  readonly #onOnline = () => this.#reopen();

  /** @internal */
  constructor(client: Client<G>, { onStale }: LiveOptions) {
    requireClient(client);
    requireOptions({ onStale });
    this.#onStale = onStale;
    const { connection } = client;
    this.#client = client;
    this.#connection = connection;
    this.#stopObserving = connection.observe({
      writing: ({ collection, key, change }) => this.#topics.get(`documents/${collection}/${key}`)?.showWrite(change) ?? (() => undefined),
      changed: () => {
        for (const topic of this.#topics.values()) topic.forget();
        this.#reopen(true);
      },
    });
    // A connection over the previous network is dead.
    (globalThis as Partial<EventTarget>).addEventListener?.('online', this.#onOnline);
  }

  /**
   * Follows a document, the player's own if no key is given; `null`: there is none. The client's own writes show at once, and are taken
   * back if they are refused.
   *
   * @example
   * ```ts
   * const live = openLive(client);
   * const seen = [];
   * const me = live.document('players', (player) => seen.push(player.gold));
   * await me.ready;
   * await client.documents('players').update(inc('gold', 5));
   * me.value.gold; // → 15
   * live.close();
   * ```
   */
  document<C extends CollectionOf<G>>(
    collection: C,
    onValue: OnValue<DocumentOf<G, C> | null>,
    { key, record, ...options }: FollowOptions & DocumentAddress = {},
  ): Subscription<DocumentOf<G, C> | null> {
    return this.#follow(this.#topicPath('documents', collection, documentKey(this.#keyOrPlayer(key), record)), onValue, options);
  }

  /**
   * Follows the ledger of a player, oldest entries first, or newest first with `order: 'desc'`; `null`: nothing is known of the player.
   *
   * @example
   * ```ts
   * const live = openLive(client);
   * const gold = live.ledger('players', () => {}, { field: 'gold' });
   * (await gold.ready).summary.netChange; // → 10
   * live.close();
   * ```
   */
  ledger<C extends CollectionOf<G>>(
    collection: C,
    onValue: OnValue<Ledger | null>,
    { key, field, limit, order, ...options }: FollowOptions & LedgerTopicOptions = {},
  ): Subscription<Ledger | null> {
    requireOptions({ field, limit, order });
    return this.#follow(
      `${this.#topicPath('ledger', collection, this.#keyOrPlayer(key))}${queryString({ field, limit, order })}`,
      onValue,
      options,
    );
  }

  /**
   * Follows the save records of a player.
   *
   * @example
   * ```ts
   * const live = openLive(client);
   * const slots = live.records('slots', () => {});
   * (await slots.ready).records.length; // → 0
   * live.close();
   * ```
   */
  records<C extends CollectionOf<G>>(
    collection: C,
    onValue: OnValue<SaveRecords>,
    { player, ...options }: FollowOptions & { readonly player?: string } = {},
  ): Subscription<SaveRecords> {
    return this.#follow(this.#topicPath('records', collection, this.#keyOrPlayer(player)), onValue, options);
  }

  /**
   * Follows a leaderboard, which is sent at most once a second. `own` adds the player's row, `around` shows the rows near it.
   *
   * @example
   * ```ts
   * const live = openLive(client);
   * const board = live.leaderboard('top', () => {}, { limit: 10, own: true });
   * (await board.ready).player; // → null
   * live.close();
   * ```
   */
  leaderboard<Q extends BoardOf<G>>(
    query: Q,
    onValue: OnValue<Leaderboard<G['queries'][Q]>>,
    options: FollowOptions & LeaderboardOptions = {},
  ): Subscription<Leaderboard<G['queries'][Q]>> {
    return this.#followQuery(query, onValue, options);
  }

  /**
   * Follows a query of any type.
   *
   * @example
   * ```ts
   * const live = openLive(client);
   * (await live.query('top', () => {}).ready).type; // → 'leaderboard'
   * live.close();
   * ```
   */
  query<Q extends QueryOf<G>>(
    query: Q,
    onValue: OnValue<AnyResult<G['queries'][Q]>>,
    options: FollowOptions & LeaderboardOptions = {},
  ): Subscription<AnyResult<G['queries'][Q]>> {
    return this.#followQuery(query, onValue, options);
  }

  /**
   * Follows the game values, which a publish may change while the game runs.
   *
   * @example
   * ```ts
   * const live = openLive(client);
   * (await live.values(() => {}).ready).constants.shop; // → { axe: 7 }
   * live.close();
   * ```
   */
  values(onValue: OnValue<ValuesOf<G>>, options: FollowOptions = {}): Subscription<ValuesOf<G>> {
    return this.#follow<ValuesOf<G> & GameValues>('values', onValue, options);
  }

  /**
   * Follows the publishes of the project. Needs a secret key.
   *
   * @example
   * ```ts
   * const live = openLive(client);
   * await live.publishes(() => {}).ready.catch(({ code }) => code); // → 'SECRET_KEY_REQUIRED'
   * live.close();
   * ```
   */
  publishes(onValue: OnValue<Publishes>, { limit, ...options }: FollowOptions & { readonly limit?: number } = {}): Subscription<Publishes> {
    requireOptions({ limit });
    return this.#follow(`publishes${queryString({ limit })}`, onValue, options);
  }

  /**
   * Whether there may be later values than those that came, because the server has lost sight of its log.
   *
   * @example
   * ```ts
   * const live = openLive(client, { onStale: (isStale) => {} });
   * await live.values(() => {}).ready;
   * live.isStale; // → false
   * live.close();
   * ```
   */
  get isStale(): boolean {
    return this.#isStale;
  }

  /**
   * Ends all subscriptions and the connection.
   *
   * @example
   * ```ts
   * openLive(client).close();
   * ```
   */
  close(): void {
    this.#isClosed = true;
    this.#stopObserving();
    (globalThis as Partial<EventTarget>).removeEventListener?.('online', this.#onOnline);
    clearTimeout(this.#reopenTimer);
    this.#stop.abort();
    for (const { listeners } of this.#topics.values()) for (const listener of listeners) listener.end();
    this.#topics.clear();
  }

  #followQuery<Value>(query: string, onValue: OnValue<Value>, options: FollowOptions & LeaderboardOptions): Subscription<Value> {
    const { limit, offset, own = false, player, around, ...rest } = options;
    requireOptions({ limit, offset, own, around });
    const platformId = own || around !== undefined ? this.#keyOrPlayer(player) : player;
    return this.#follow(`${this.#topicPath('query', query)}${queryString({ limit, offset, platformId, around })}`, onValue, rest);
  }

  #keyOrPlayer(given: string | undefined): string {
    return unwrap(this.#connection.requirePlayer(given));
  }

  #topicPath(...parts: readonly string[]): string {
    const wrong = parts.findIndex((part) => typeof part !== 'string' || !/^[^/?@]+$/.test(part));
    if (wrong === -1) return parts.join('/');
    throw new SavepointError('INVALID_ARGUMENT', `"${parts[wrong]}" cannot be part of a topic`);
  }

  #follow<Value>(text: string, onValue: OnValue<Value>, { signal, onError }: FollowOptions): Subscription<Value> {
    requireKind('onValue', onValue, 'function');
    requireOptions({ signal, onError });
    const topic = this.#topics.get(text) ?? new Topic(text);
    let settle: (first: Result<Value>) => void = () => undefined;
    const ready = orThrow(
      new Promise<Result<Value>>((resolve) => {
        settle = resolve;
      }),
    );
    // If nobody waits for the first value, `onError` reports the refusal.
    ready.catch(() => undefined);
    const listener: Listener = {
      value: (value, change) => {
        settle({ ok: true, value: value as Value });
        this.#callListener(() => onValue(value as Value, change));
      },
      error: (error) => {
        settle({ ok: false, error });
        this.#callListener(() => onError?.(error));
      },
      end: () => {
        signal?.removeEventListener('abort', close);
        settle(failure('ABORTED', 'The value is not followed any more'));
      },
    };
    const close = () => this.#removeListener(topic, listener);
    if (this.#isClosed || signal?.aborted === true) listener.end();
    else {
      signal?.addEventListener('abort', close, { once: true });
      this.#addListener(topic, listener);
    }
    return {
      get value() {
        return topic.value as Value | undefined;
      },
      ready,
      close,
    };
  }

  #addListener(topic: Topic, listener: Listener): void {
    topic.listeners.add(listener);
    if (this.#topics.get(topic.text) === topic) queueMicrotask(() => replay(topic, listener));
    else {
      this.#topics.set(topic.text, topic);
      this.#reopen();
    }
  }

  #removeListener(topic: Topic, listener: Listener): void {
    topic.listeners.delete(listener);
    listener.end();
    if (topic.listeners.size > 0 || this.#topics.get(topic.text) !== topic) return;
    this.#topics.delete(topic.text);
    this.#reopen(true);
  }

  /** Calls a listener. One that throws stops no other. */
  #callListener(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#connection.log('error', 'A listener of live values failed', { error });
    }
  }

  /** Reopens the stream, which resumes where it was. `includesAll`: excluded topics are included again. */
  #reopen(includesAll = false): void {
    if (this.#isClosed) return;
    if (includesAll) for (const topic of this.#topics.values()) topic.isExcluded = false;
    clearTimeout(this.#reopenTimer);
    this.#reopenTimer = setTimeout(() => {
      this.#stop.abort();
      this.#stop = new AbortController();
      if (!this.#isRunning) void this.#run();
    }, DEBOUNCE_MS);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let failures = 0;
    let recoveries = 0;
    for (let topics = this.#activeTopics(); !this.#isClosed && topics.length > 0; topics = this.#activeTopics()) {
      const stop = this.#stop.signal;
      const began = performance.now();
      const { error, wasOpen } = await this.#readStream(topics, stop);
      if (stop.aborted) continue;
      if (wasOpen) recoveries = 0;
      failures = wasOpen && performance.now() - began > STABLE_STREAM_MS ? 1 : failures + 1;
      const isRenewable = this.#connection.renewProof(error.code) && recoveries < MAX_RECOVERIES;
      if (isRenewable) {
        recoveries++;
        continue;
      }
      if (error.code === 'INVALID_REQUEST' && !wasOpen) {
        this.#exclude(topics, error);
        continue;
      }
      const isFromProxy = error.code === 'HTTP_ERROR';
      // A stream may have ended because its proof expired. Opening it again makes a new proof, so that may succeed.
      const mayReopen = wasOpen && failures <= MAX_SHORT_STREAMS;
      if (!this.#connection.isRetryable(error) && !mayReopen) {
        // A proxy that answered by itself may let the next request through, so values that are shown stay.
        this.#refuse(isFromProxy ? topics.filter((one) => one.upTo === null && one.error === null) : topics, error);
        if (!isFromProxy) break;
      }
      await pause(retryDelayMs(failures, error, Math.random), stop);
    }
    this.#isRunning = false;
  }

  #activeTopics(): readonly Topic[] {
    return [...this.#topics.values()].filter(({ isExcluded }) => !isExcluded);
  }

  /** Reports that these topics are refused. */
  #refuse(topics: readonly Topic[], error: SavepointError): void {
    this.#connection.log('warn', `live: ${error.code}: ${error.message}`, { error });
    for (const one of topics) one.refuse(error);
  }

  /**
   * Excludes the topic that the server refuses, or else the newest one: a topic that an older server does not know, or one too many, must
   * not end the others.
   */
  #exclude(topics: readonly Topic[], error: SavepointError): void {
    const [wrong] = [...topics.filter(({ text }) => error.message.startsWith(JSON.stringify(text.slice(0, 100)))), ...topics.slice(-1)];
    if (wrong === undefined) return;
    wrong.isExcluded = true;
    this.#refuse([wrong], error);
  }

  /** Opens one stream and reads it until it ends. `wasOpen`: whether it opened. */
  async #readStream(topics: readonly Topic[], stop: AbortSignal): Promise<{ readonly error: SavepointError; readonly wasOpen: boolean }> {
    const silent = new AbortController();
    const positions = topics.map(({ text, upTo }) => (upTo === null ? text : `${text}@${upTo}`));
    const request = { method: 'GET', family: 'live', path: [], query: { topic: positions }, player: 'proven', isRepeatable: true } as const;
    const signal = AbortSignal.any([stop, silent.signal]);
    const opened = await openStream(this.#connection, request, signal);
    if (!opened.ok) return { error: opened.error, wasOpen: false };
    // A stream that begins stale says so.
    this.#setStale(false);
    let ended: SavepointError | null = null;
    // Two clocks measure the silence: the monotonic one stands still while the machine sleeps, and the wall clock may be set back.
    let lastActivity = [performance.now(), Date.now()] as const;
    const onData = () => {
      lastActivity = [performance.now(), Date.now()];
    };
    const timer = setInterval(() => {
      const now = Date.now();
      if (Math.max(performance.now() - lastActivity[0], now - lastActivity[1]) > SILENCE_TIMEOUT_MS) silent.abort();
    }, SILENCE_CHECK_MS);
    try {
      if (opened.value.body !== null) {
        const onEvent = (event: ServerEvent) => {
          ended = this.#handleEvent(event, topics) ?? ended;
        };
        await readEvents(opened.value.body, { signal, onData, onEvent });
      }
    } catch (cause) {
      this.#connection.log('debug', `The live stream broke: ${String(cause)}`);
    }
    clearInterval(timer);
    return { error: ended ?? new SavepointError('NETWORK_ERROR', 'The live stream has ended'), wasOpen: true };
  }

  /** Handles an event. Returns why the stream ends, if it does. */
  #handleEvent({ id, event, data }: ServerEvent, topics: readonly Topic[]): SavepointError | null {
    const parse = this.#connection.options.json?.parse ?? JSON.parse;
    const message: unknown = data === null ? {} : parse(data);
    const { topic: text, revision, version, value, error, stale } = isObject(message) ? message : ({} as Readonly<Record<string, unknown>>);
    const topic = topics.find((one) => one.text === text);
    if (event === 'refused') {
      const refusal = errorOf(error);
      if (text === undefined) return refusal;
      topic?.refuse(refusal);
    } else if (event === 'stale') this.#setStale(stale === true);
    else if (event === 'resync') void this.#reread(topic, Number(revision));
    else if (event === 'message' && data !== null) {
      this.#connection.advancePosition(Number(revision));
      noteNumbers(this.#connection, String(text), data);
      topic?.receive(value, Number(revision), Number(version ?? 0));
    }
    if (id !== null) for (const one of topics) one.advanceTo(Number(id));
    return null;
  }

  #setStale(isStale: boolean): void {
    if (this.#isStale === isStale) return;
    this.#isStale = isStale;
    this.#callListener(() => this.#onStale?.(isStale));
  }

  /** Reads a value that is too large for the stream. If no topic is named, the server sends all values by itself. */
  async #reread(topic: Topic | undefined, revision: number): Promise<void> {
    if (topic === undefined) return;
    this.#connection.advancePosition(revision);
    const read = await readTopic(this.#client, topic.text);
    if (read.ok) topic.receive(read.value.value, revision, read.value.version);
    else topic.refuse(read.error);
  }
}

interface LedgerTopicOptions extends Pick<LedgerOptions, 'field' | 'limit' | 'order'> {
  readonly key?: string;
}

interface LeaderboardOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly own?: boolean;
  readonly player?: string;
  readonly around?: number;
}

function replay(topic: Topic, listener: Listener): void {
  if (!topic.listeners.has(listener)) return;
  if (topic.error !== null) listener.error(topic.error);
  else if (topic.upTo !== null) listener.value(topic.value, topic.change);
}

function queryString(options: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

function errorOf(error: unknown): SavepointError {
  const { code, message, status } = isObject(error) ? error : ({} as Readonly<Record<string, unknown>>);
  return new SavepointError(String(code) as ErrorCode, String(message), { status: Number(status), details: isObject(error) ? error : {} });
}

/** Reads the value of a topic by a plain request; the topic is its path. */
async function readTopic(
  { connection }: { readonly connection: Connection },
  text: string,
): Promise<Result<{ readonly value: unknown; readonly version: number }>> {
  const [path = '', parameters = ''] = text.split('?');
  const { family, path: rest } = requestPathOf(path);
  const query = Object.fromEntries(new URLSearchParams(parameters));
  const answer = await connection.send({ method: 'GET', family, path: rest, query, player: 'proven', isRepeatable: true });
  if (answer.ok) noteNumbers(connection, text, answer.value.text);
  if (answer.ok) return success({ value: answer.value.body, version: Number(answer.value.headers.get('x-ns-save-version') ?? 0) });
  return isMissing(answer.error) ? success({ value: null, version: 0 }) : answer;
}

function noteNumbers(connection: Connection, topic: string, text: string): void {
  const [kind, collection = '', key = ''] = topic.split('/');
  if (kind === 'documents') connection.noteNumbers(collection, key, text);
}

function requestPathOf(path: string): Pick<ApiRequest, 'family' | 'path'> {
  const [kind = '', name = '', key = ''] = path.split('/');
  if (kind === 'query') return { family: 'queries', path: [name] };
  if (kind === 'values') return { family: 'values', path: [] };
  if (kind === 'publishes') return { family: 'manage', path: [kind] };
  return { family: 'storage', path: kind === 'documents' ? [name, key] : [name, key, kind] };
}
