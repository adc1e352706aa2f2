import type { GlobalRecord, GlobalRecords, Page, PlayerStats, RateLimits } from '../contract/answers.ts';
import { checkArguments, requireClient, requireKind } from './arguments.ts';
import type { Client } from './client.ts';
import type { Connection } from './connection.ts';
import { mapped, orThrow, type Result, success } from './errors.ts';
import type { AnyGame, AnyJson, CollectionOf, GameTypes } from './game.ts';
import { newIdempotencyKey } from './ids.ts';
import type { RequestOptions, WriteOptions } from './options.ts';
import type { OfPlayer } from './records.ts';
import type { ApiRequest } from './request.ts';

/** Routes that few games need: functions, so that no other game loads them. */

const READ = { method: 'GET', isRepeatable: true } as const;
const STATS = { totalSeconds: 'value' } as const;
const LIMITS = { rules: 'list', collections: 'object' } as const;
const PAGE = { slug: 'string', type: 'string' } as const;
const APPENDED = { record: 'object' } as const;
const LIST = { records: 'list' } as const;

/**
 * What a player's heartbeats add up to; `null`: there was none.
 *
 * @example
 * ```ts
 * await analyticsOf(client).heartbeat('join');
 * (await readStats(client)).sessionCount; // → 1
 * ```
 */
export function readStats<G extends GameTypes = AnyGame>(
  client: Client<G>,
  options?: OfPlayer & RequestOptions,
): Promise<PlayerStats | null> {
  return orThrow(tryReadStats(client, options));
}

/**
 * The same as a value.
 *
 * @example
 * ```ts
 * await tryReadStats(client); // → { ok: true, value: null }
 * ```
 */
export async function tryReadStats<G extends GameTypes = AnyGame>(
  client: Client<G>,
  { player, ...options }: OfPlayer & RequestOptions = {},
): Promise<Result<PlayerStats | null>> {
  const given = checkArguments(() => requireClient(client));
  const key = given.ok ? client.connection.requirePlayer(player) : given;
  if (!key.ok) return key;
  const read = await client.connection.send({ ...READ, family: 'storage', path: ['stats', key.value], answer: STATS, options });
  return read.ok || read.error.code !== 'NOT_FOUND' ? mapped(read, ({ body }) => body as PlayerStats) : success(null);
}

/**
 * The project's rate limits, and what the client's player has used of each.
 *
 * @example
 * ```ts
 * const { used } = await readRateLimits(client);
 * used.every((limit) => limit.remaining === limit.limit); // → true
 * ```
 */
export function readRateLimits<G extends GameTypes = AnyGame>(client: Client<G>, options?: RequestOptions): Promise<RateLimits> {
  return orThrow(tryReadRateLimits(client, options));
}

/**
 * The same as a value.
 *
 * @example
 * ```ts
 * const read = await tryReadRateLimits(client);
 * read.ok && read.value.platformId === client.player.id; // → true
 * ```
 */
export async function tryReadRateLimits<G extends GameTypes = AnyGame>(
  client: Client<G>,
  options: RequestOptions = {},
): Promise<Result<RateLimits>> {
  const given = checkArguments(() => requireClient(client));
  if (!given.ok) return given;
  const { player } = client;
  const query = player === null ? {} : { platformId: player.id };
  const ask = { ...READ, family: 'storage', path: ['rate-limits'], query, player: 'proven', answer: LIMITS, options } as const;
  return mapped(await client.connection.send(ask), ({ body }) => body as RateLimits);
}

/**
 * A page of the project, such as its news; `null`: there is none.
 *
 * @example
 * ```ts
 * await readPage(client, 'news'); // → null
 * ```
 */
export function readPage<G extends GameTypes = AnyGame>(client: Client<G>, page: string, options?: RequestOptions): Promise<Page | null> {
  return orThrow(tryReadPage(client, page, options));
}

/**
 * The same as a value.
 *
 * @example
 * ```ts
 * await tryReadPage(client, 'news'); // → { ok: true, value: null }
 * ```
 */
export async function tryReadPage<G extends GameTypes = AnyGame>(
  client: Client<G>,
  page: string,
  options: RequestOptions = {},
): Promise<Result<Page | null>> {
  const given = checkArguments(() => {
    requireClient(client);
    requireKind('page', page, 'string');
  });
  if (!given.ok) return given;
  const read = await client.connection.send({ ...READ, family: 'pages', path: [page], query: { format: 'data' }, answer: PAGE, options });
  return read.ok || read.error.code !== 'NOT_FOUND' ? mapped(read, ({ body }) => body as Page) : success(null);
}

export interface ListOptions extends RequestOptions {
  /** 50 when left out, at most 100. */
  readonly limit?: number;
  /** `cursor` of the page before. */
  readonly cursor?: string | number;
}

/**
 * The records of a global collection: appended, listed, read.
 *
 * @example
 * ```ts
 * const feed = globalRecords(client, 'feed');
 * const { _id } = await feed.append({ text: 'Hello' });
 * (await feed.get(_id)).text; // → 'Hello'
 * ```
 */
export function globalRecords<G extends GameTypes, C extends CollectionOf<G>>(client: Client<G>, collection: C): GlobalCollection {
  requireClient(client);
  requireKind('collection', collection, 'string');
  return new GlobalCollection(client.connection, collection);
}

/** A global collection; `globalRecords` makes it. */
export class GlobalCollection {
  readonly #connection: Connection;
  readonly #collection: string;

  /** @internal */
  constructor(connection: Connection, collection: string) {
    this.#connection = connection;
    this.#collection = collection;
  }

  /**
   * Appends a record. A game may do so where the collection has `publicAppend: true`.
   *
   * @example
   * ```ts
   * const record = await globalRecords(client, 'feed').append({ text: 'Hello' });
   * record.text; // → 'Hello'
   * ```
   */
  append(record: Readonly<Record<string, unknown>>, options?: WriteOptions): Promise<GlobalRecord & AnyJson> {
    return orThrow(this.tryAppend(record, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const appended = await globalRecords(client, 'players').tryAppend({ text: 'Hello' });
   * appended.ok ? 'appended' : appended.error.code; // → 'FORBIDDEN'
   * ```
   */
  async tryAppend(record: Readonly<Record<string, unknown>>, options: WriteOptions = {}): Promise<Result<GlobalRecord & AnyJson>> {
    const given = checkArguments(() => requireKind('record', record, 'object'));
    if (!given.ok) return given;
    const { idempotencyKey = newIdempotencyKey() } = options;
    const sent = { method: 'POST', body: record, key: idempotencyKey, answer: APPENDED, isRepeatable: true } as const;
    return this.#send(['append'], { ...sent, options }, ({ record: appended }) => appended as GlobalRecord & AnyJson);
  }

  /**
   * A page of records, newest first.
   *
   * @example
   * ```ts
   * const feed = globalRecords(client, 'feed');
   * await feed.append({ text: 'Hello' });
   * const { records } = await feed.list({ limit: 1 });
   * records[0].text; // → 'Hello'
   * ```
   */
  list(options?: ListOptions): Promise<GlobalRecords> {
    return orThrow(this.tryList(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const listed = await globalRecords(client, 'players').tryList();
   * listed.ok ? 'listed' : listed.error.code; // → 'COLLECTION_TYPE_MISMATCH'
   * ```
   */
  async tryList(given: ListOptions = {}): Promise<Result<GlobalRecords>> {
    const checked = checkArguments(() => requireKind('limit', given.limit ?? 1, 'number'));
    if (!checked.ok) return checked;
    const { limit, cursor, ...options } = given;
    return this.#send(['list'], { ...READ, query: { limit, cursor }, answer: LIST, options }, (body) => body as GlobalRecords);
  }

  /**
   * One record; `null`: there is none.
   *
   * @example
   * ```ts
   * await globalRecords(client, 'feed').get('none'); // → null
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<(GlobalRecord & AnyJson) | null> {
    return orThrow(this.tryGet(id, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * await globalRecords(client, 'feed').tryGet('none'); // → { ok: true, value: null }
   * ```
   */
  async tryGet(id: string, options?: RequestOptions): Promise<Result<(GlobalRecord & AnyJson) | null>> {
    const read = await this.#send(['record', id], { ...READ, options }, (body) => body as GlobalRecord & AnyJson);
    return read.ok || read.error.code !== 'NOT_FOUND' ? read : success(null);
  }

  async #send<Value>(
    path: readonly string[],
    more: Omit<ApiRequest, 'family' | 'path' | 'player'>,
    read: (body: AnyJson) => Value,
  ): Promise<Result<Value>> {
    const ask = { ...more, family: 'storage', path: [this.#collection, ...path], player: 'proven' } as const;
    return mapped(await this.#connection.send(ask), ({ body }) => read(body));
  }
}
