import type { NamedRecord, SaveRecords } from '../contract/answers.ts';
import { checkArguments, requireKind } from './arguments.ts';
import type { Connection } from './connection.ts';
import { mapped, orThrow, type Result } from './errors.ts';
import { newIdempotencyKey } from './ids.ts';
import type { RequestOptions, WriteOptions } from './options.ts';
import type { ApiRequest } from './request.ts';

/** Save records: the named slots of a player. `documents(collection).get({ record })` reads the document of one. */

export interface OfPlayer {
  /** The client's own player when left out. */
  readonly player?: string;
}

/** The save records of one collection: named slots of a player, each with a document of its own. */
export class Records {
  readonly #connection: Connection;
  readonly #collection: string;

  constructor(connection: Connection, collection: string) {
    this.#connection = connection;
    this.#collection = collection;
  }

  /**
   * Lists the player's slots, oldest first, and how many there may be.
   *
   * @example
   * ```ts
   * const { records, maxRecords } = await client.records('slots').list();
   * [records.length, maxRecords]; // → [0, 3]
   * ```
   */
  list(options?: OfPlayer & RequestOptions): Promise<SaveRecords> {
    return orThrow(this.tryList(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const slots = await client.records('slots').tryList();
   * slots.ok && slots.value.records; // → []
   * ```
   */
  tryList(options: OfPlayer & RequestOptions = {}): Promise<Result<SaveRecords>> {
    return this.#send('GET', [], options, { answer: { records: 'list' } });
  }

  /**
   * Makes a new slot. It has no document until the first save.
   *
   * @example
   * ```ts
   * const { recordId } = await client.records('slots').create('Camp');
   * await client.documents('slots').save({ day: 1 }, { record: recordId });
   * (await client.documents('slots').get({ record: recordId })).day; // → 1
   * ```
   */
  create(name?: string, options?: OfPlayer & WriteOptions): Promise<NamedRecord> {
    return orThrow(this.tryCreate(name, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const slot = await client.records('slots').tryCreate('Camp');
   * slot.ok && slot.value.recordName; // → 'Camp'
   * ```
   */
  tryCreate(name?: string, options: OfPlayer & WriteOptions = {}): Promise<Result<NamedRecord>> {
    return this.#named('POST', [], name, options);
  }

  /**
   * Renames a slot.
   *
   * @example
   * ```ts
   * const { recordId } = await client.records('slots').create('Camp');
   * (await client.records('slots').rename(recordId, 'Old camp')).recordName; // → 'Old camp'
   * ```
   */
  rename(record: string, name: string, options?: OfPlayer & WriteOptions): Promise<NamedRecord> {
    return orThrow(this.tryRename(record, name, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const renamed = await client.records('slots').tryRename('nothing', 'Camp');
   * renamed.ok ? 'renamed' : renamed.error.code; // → 'RECORD_NOT_FOUND'
   * ```
   */
  tryRename(record: string, name: string, options: OfPlayer & WriteOptions = {}): Promise<Result<NamedRecord>> {
    return this.#named('PATCH', [record], name, options);
  }

  /**
   * Deletes a slot and its document, if the collection has `allowRecordDelete`.
   *
   * @example
   * ```ts
   * const { recordId } = await client.records('slots').create('Camp');
   * await client.records('slots').delete(recordId);
   * (await client.records('slots').list()).records; // → []
   * ```
   */
  delete(record: string, options?: OfPlayer & WriteOptions): Promise<void> {
    return orThrow(this.tryDelete(record, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const deleted = await client.records('slots').tryDelete('nothing');
   * deleted.ok ? 'gone' : deleted.error.status; // → 404
   * ```
   */
  tryDelete(record: string, options: OfPlayer & WriteOptions = {}): Promise<Result<void>> {
    return this.#send('DELETE', [record], options, keyFor(options));
  }

  async #named(
    method: 'POST' | 'PATCH',
    path: readonly string[],
    name: string | undefined,
    options: OfPlayer & WriteOptions,
  ): Promise<Result<NamedRecord>> {
    const given = checkArguments(() => name === undefined || requireKind('name', name, 'string'));
    if (!given.ok) return given;
    return this.#send(method, path, options, { body: { recordName: name }, answer: { recordId: 'string' }, ...keyFor(options) });
  }

  async #send<T>(
    method: ApiRequest['method'],
    path: readonly string[],
    options: OfPlayer & RequestOptions,
    more: Partial<ApiRequest>,
  ): Promise<Result<T>> {
    const player = this.#connection.requirePlayer(options.player);
    if (!player.ok) return player;
    const at = [this.#collection, player.value, 'records', ...path];
    const ask: ApiRequest = { method, family: 'storage', path: at, player: 'proven', isRepeatable: true, options, ...more };
    return mapped(await this.#connection.send(ask), ({ body }) => body as T);
  }
}

const keyFor = ({ idempotencyKey = newIdempotencyKey() }: WriteOptions) => ({ key: idempotencyKey });
