import type { GameValues, Ledger, Publishes, SaveRecords } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import { requireClient, requireKind, requireOptions } from './arguments.ts';
import type { Client, ValuesOf } from './client.ts';
import type { Ask, Connection } from './connection.ts';
import type { DocumentAddress, LedgerOptions } from './documents.ts';
import { type ErrorCode, failure, orThrow, type Result, SavepointError, success, unwrap } from './errors.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { type Change, Followed, type Listener } from './followed.ts';
import type { AnyGame, BoardOf, CollectionOf, DocumentOf, GameTypes, QueryOf } from './game.ts';
import type { AnyResult, Leaderboard } from './queries.ts';
import { pause, pauseBefore } from './retry.ts';

export type { Change } from './followed.ts';

/** Values that change, without asking: one connection for all that a client follows, which comes back by itself and misses nothing. */

export interface FollowOptions {
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /**
   * Told why the value may not be had. It goes on: when the value may be had again, it comes. Where the player cannot be proven, not with a
   * new token either, it goes on with the next `player` that the client is given.
   */
  readonly onError?: (error: SavepointError) => void;
}

export interface Subscription<Value> {
  /** What is shown now; `undefined`: nothing came yet. */
  readonly value: Value | undefined;
  /** The first value. Fails with the first refusal, and with `ABORTED` when it ends before. */
  readonly ready: Promise<Value>;
  close(): void;
}

export type OnValue<Value> = (value: Value, change: Change) => void;

/** A live server sends something every 15 s at least. */
const SILENT_MS = 45_000;
/** How often silence is looked for, ms. */
const LOOK_MS = 5_000;
/** A stream that lasted this long did not fail at its opening, ms. */
const STEADY_MS = 5_000;
/** Streams in a row that opened and were refused at once. */
const MOST_SHORT = 3;
/** Subscriptions made within this time are asked for together, ms. */
const GATHER_MS = 10;
const MOST_RECOVERIES = 2;

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
export function openLive<G extends GameTypes = AnyGame>(client: Client<G>): Live<G> {
  return new Live(client);
}

/** What a client follows, over one connection; `openLive` opens it. */
export class Live<G extends GameTypes = AnyGame> {
  readonly #client: Client<G>;
  readonly #connection: Connection;
  readonly #followed = new Map<string, Followed>();
  #stop = new AbortController();
  #isRunning = false;
  #isClosed = false;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  readonly #unobserve: () => void;
  readonly #online = () => this.#reopen();

  /** @internal */
  constructor(client: Client<G>) {
    requireClient(client);
    const { connection } = client;
    this.#client = client;
    this.#connection = connection;
    this.#unobserve = connection.observe({
      writing: ({ collection, key, change }) => this.#followed.get(`documents/${collection}/${key}`)?.write(change) ?? (() => undefined),
      changed: () => {
        for (const followed of this.#followed.values()) followed.forget();
        this.#reopen(true);
      },
    });
    // A connection over the network before is dead.
    (globalThis as Partial<EventTarget>).addEventListener?.('online', this.#online);
  }

  /**
   * Follows a document, the player's own where no key is named; `null`: there is none. The client's own writes show at once, and go away
   * again where they are refused.
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
    return this.#follow(
      this.#topic('documents', collection, `${this.#owner(key)}${record === undefined ? '' : `_${record}`}`),
      onValue,
      options,
    );
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
    { key, field, limit, order, ...options }: FollowOptions & FollowedLedger = {},
  ): Subscription<Ledger | null> {
    requireOptions({ field, limit, order });
    return this.#follow(`${this.#topic('ledger', collection, this.#owner(key))}${search({ field, limit, order })}`, onValue, options);
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
    return this.#follow(this.#topic('records', collection, this.#owner(player)), onValue, options);
  }

  /**
   * Follows a leaderboard, which comes once a second at most. `own` adds the player's row, `around` shows the rows near it.
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
   * Follows the game values: a publish changes them while the game runs.
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
   * Follows what is published; takes a secret key.
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
    return this.#follow(`publishes${search({ limit })}`, onValue, options);
  }

  /**
   * Ends all of it.
   *
   * @example
   * ```ts
   * openLive(client).close();
   * ```
   */
  close(): void {
    this.#isClosed = true;
    this.#unobserve();
    (globalThis as Partial<EventTarget>).removeEventListener?.('online', this.#online);
    clearTimeout(this.#gathering);
    this.#stop.abort();
    for (const { listeners } of this.#followed.values()) for (const listener of listeners) listener.end();
    this.#followed.clear();
  }

  #followQuery<Value>(query: string, onValue: OnValue<Value>, options: FollowOptions & LeaderboardOptions): Subscription<Value> {
    const { limit, offset, own = false, player, around, ...rest } = options;
    requireOptions({ limit, offset, own, around });
    const platformId = own || around !== undefined ? this.#owner(player) : player;
    return this.#follow(`${this.#topic('query', query)}${search({ limit, offset, platformId, around })}`, onValue, rest);
  }

  #owner(given: string | undefined): string {
    return unwrap(this.#connection.requirePlayer(given));
  }

  #topic(...parts: readonly string[]): string {
    const wrong = parts.findIndex((part) => typeof part !== 'string' || !/^[^/?@]+$/.test(part));
    if (wrong === -1) return parts.join('/');
    throw new SavepointError('INVALID_ARGUMENT', `"${parts[wrong]}" cannot be part of what is followed`);
  }

  #follow<Value>(text: string, onValue: OnValue<Value>, { signal, onError }: FollowOptions): Subscription<Value> {
    requireKind('onValue', onValue, 'function');
    requireOptions({ signal, onError });
    const followed = this.#followed.get(text) ?? new Followed(text);
    let settle: (first: Result<Value>) => void = () => undefined;
    const ready = orThrow(
      new Promise<Result<Value>>((resolve) => {
        settle = resolve;
      }),
    );
    // Where nobody waits for the first value, `onError` reports the refusal.
    ready.catch(() => undefined);
    const listener: Listener = {
      value: (value, change) => {
        settle({ ok: true, value: value as Value });
        this.#told(() => onValue(value as Value, change));
      },
      error: (error) => {
        settle({ ok: false, error });
        this.#told(() => onError?.(error));
      },
      end: () => {
        signal?.removeEventListener('abort', close);
        settle(failure('ABORTED', 'The value is not followed any more'));
      },
    };
    const close = () => this.#leave(followed, listener);
    if (this.#isClosed || signal?.aborted === true) listener.end();
    else {
      signal?.addEventListener('abort', close, { once: true });
      this.#join(followed, listener);
    }
    return {
      get value() {
        return followed.shown as Value | undefined;
      },
      ready,
      close,
    };
  }

  #join(followed: Followed, listener: Listener): void {
    followed.listeners.add(listener);
    if (this.#followed.get(followed.text) === followed) queueMicrotask(() => repeat(followed, listener));
    else {
      this.#followed.set(followed.text, followed);
      this.#reopen();
    }
  }

  #leave(followed: Followed, listener: Listener): void {
    followed.listeners.delete(listener);
    listener.end();
    if (followed.listeners.size > 0 || this.#followed.get(followed.text) !== followed) return;
    this.#followed.delete(followed.text);
    this.#reopen(true);
  }

  /** Calls a listener. One that throws stops no other. */
  #told(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#connection.log('error', 'A listener of live values failed', { error });
    }
  }

  /** Opens the stream anew, and goes on where it was. `asksAgain`: also for topics that were left out. */
  #reopen(asksAgain = false): void {
    if (this.#isClosed) return;
    if (asksAgain) for (const followed of this.#followed.values()) followed.isLeftOut = false;
    clearTimeout(this.#gathering);
    this.#gathering = setTimeout(() => {
      this.#stop.abort();
      this.#stop = new AbortController();
      if (!this.#isRunning) void this.#run();
    }, GATHER_MS);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let failures = 0;
    let recoveries = 0;
    for (let asked = this.#asked(); !this.#isClosed && asked.length > 0; asked = this.#asked()) {
      const stop = this.#stop.signal;
      const began = performance.now();
      const { error, came } = await this.#once(asked, stop);
      if (stop.aborted) continue;
      if (came) recoveries = 0;
      failures = came && performance.now() - began > STEADY_MS ? 1 : failures + 1;
      const isLost = this.#connection.lostProof(error.code) && recoveries < MOST_RECOVERIES;
      if (isLost) {
        recoveries++;
        continue;
      }
      if (error.code === 'INVALID_REQUEST' && !came) {
        this.#leaveOut(asked, error);
        continue;
      }
      const isForeign = error.code === 'HTTP_ERROR';
      // The next opening makes a new proof. So it may succeed where a stream had opened and was ended, for a proof that had become too old.
      const mayOpen = came && failures <= MOST_SHORT;
      if (!this.#connection.mayPass(error) && !mayOpen) {
        // A proxy that answers by itself may let the next request through.
        this.#refuse(isForeign ? asked.filter((one) => one.upTo === null && one.error === null) : asked, error);
        if (!isForeign) break;
      }
      await pause(pauseBefore(failures, error, Math.random), stop);
    }
    this.#isRunning = false;
  }

  #asked(): readonly Followed[] {
    return [...this.#followed.values()].filter(({ isLeftOut }) => !isLeftOut);
  }

  /** Reports that these topics are refused. */
  #refuse(followed: readonly Followed[], error: SavepointError): void {
    this.#connection.log('warn', `live: ${error.code}: ${error.message}`, { error });
    for (const one of followed) one.refuse(error);
  }

  /**
   * A topic that an older server does not know, or one topic too many, must not end the others. The topic that the server names is left
   * out, else the newest one.
   */
  #leaveOut(asked: readonly Followed[], error: SavepointError): void {
    const [wrong] = [...asked.filter(({ text }) => error.message.startsWith(JSON.stringify(text.slice(0, 100)))), ...asked.slice(-1)];
    if (wrong === undefined) return;
    wrong.isLeftOut = true;
    this.#refuse([wrong], error);
  }

  /** One connection, until it ends. */
  async #once(followed: readonly Followed[], stop: AbortSignal): Promise<{ readonly error: SavepointError; readonly came: boolean }> {
    const silent = new AbortController();
    const topic = followed.map(({ text, upTo }) => (upTo === null ? text : `${text}@${upTo}`));
    const ask = { method: 'GET', family: 'live', path: [], query: { topic }, player: 'proven', repeats: true } as const;
    const signal = AbortSignal.any([stop, silent.signal]);
    const opened = await this.#connection.open(ask, signal);
    if (!opened.ok) return { error: opened.error, came: false };
    let ended: SavepointError | null = null;
    // Measured by two clocks: one stands still while the machine sleeps, the other may be set back.
    let heard = [performance.now(), Date.now()] as const;
    const alive = () => {
      heard = [performance.now(), Date.now()];
    };
    const timer = setInterval(() => {
      const now = Date.now();
      if (Math.max(performance.now() - heard[0], now - heard[1]) > SILENT_MS) silent.abort();
    }, LOOK_MS);
    try {
      if (opened.value.body !== null) {
        const hear = (event: ServerEvent) => {
          ended = this.#hear(event, followed) ?? ended;
        };
        await readEvents(opened.value.body, { signal, alive, hear });
      }
    } catch (cause) {
      this.#connection.log('debug', `The live stream broke: ${String(cause)}`);
    }
    clearInterval(timer);
    return { error: ended ?? new SavepointError('NETWORK_ERROR', 'The live stream has ended'), came: true };
  }

  /** Handles an event. Returns why the stream ends, if it does. */
  #hear({ id, event, data }: ServerEvent, all: readonly Followed[]): SavepointError | null {
    const parse = this.#connection.options.json?.parse ?? JSON.parse;
    const said: unknown = data === null ? {} : parse(data);
    const { topic, revision, version, value, error } = isObject(said) ? said : ({} as Readonly<Record<string, unknown>>);
    const followed = all.find(({ text }) => text === topic);
    if (event === 'refused') {
      const refused = errorOf(error);
      if (topic === undefined) return refused;
      followed?.refuse(refused);
    } else if (event === 'resync') void this.#readAnew(followed, Number(revision));
    else if (event === 'message' && data !== null) {
      this.#connection.reached(Number(revision));
      followed?.take(value, Number(revision), Number(version ?? 0));
    }
    if (id !== null) for (const one of all) one.isUpTo(Number(id));
    return null;
  }

  /** Reads a value that is too large for the stream. Without a topic the server sends all values by itself. */
  async #readAnew(followed: Followed | undefined, revision: number): Promise<void> {
    if (followed === undefined) return;
    this.#connection.reached(revision);
    const read = await plainRead(this.#client, followed.text);
    if (read.ok) followed.take(read.value.value, revision, read.value.version);
    else followed.refuse(read.error);
  }
}

interface FollowedLedger extends Pick<LedgerOptions, 'field' | 'limit' | 'order'> {
  readonly key?: string;
}

interface LeaderboardOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly own?: boolean;
  readonly player?: string;
  readonly around?: number;
}

function repeat(followed: Followed, listener: Listener): void {
  if (!followed.listeners.has(listener)) return;
  if (followed.error !== null) listener.error(followed.error);
  else if (followed.upTo !== null) listener.value(followed.shown, followed.change);
}

function search(options: Readonly<Record<string, string | number | undefined>>): string {
  const asked = Object.entries(options).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

function errorOf(error: unknown): SavepointError {
  const { code, message, status } = isObject(error) ? error : ({} as Readonly<Record<string, unknown>>);
  return new SavepointError(String(code) as ErrorCode, String(message), { status: Number(status), details: isObject(error) ? error : {} });
}

/** The plain read of a topic, whose path it is. */
async function plainRead(
  { connection }: { readonly connection: Connection },
  text: string,
): Promise<Result<{ readonly value: unknown; readonly version: number }>> {
  const [path = '', asked = ''] = text.split('?');
  const { family, path: rest } = placeOf(path);
  const query = Object.fromEntries(new URLSearchParams(asked));
  const answer = await connection.send({ method: 'GET', family, path: rest, query, player: 'proven', repeats: true });
  if (answer.ok) return success({ value: answer.value.body, version: Number(answer.value.headers.get('x-ns-save-version') ?? 0) });
  return answer.error.code === 'NOT_FOUND' ? success({ value: null, version: 0 }) : answer;
}

function placeOf(path: string): Pick<Ask, 'family' | 'path'> {
  const [kind = '', of = '', key = ''] = path.split('/');
  if (kind === 'query') return { family: 'queries', path: [of] };
  if (kind === 'values') return { family: 'values', path: [] };
  if (kind === 'publishes') return { family: 'manage', path: [kind] };
  return { family: 'storage', path: kind === 'documents' ? [of, key] : [of, key, kind] };
}
