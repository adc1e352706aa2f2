import type { Ledger, Written } from '../contract/answers.ts';
import { type Answer, isObject } from './answer.ts';
import { checkArguments, requireKind } from './arguments.ts';
import type { Connection, OwnWrite } from './connection.ts';
import { isMissing, mapped, orThrow, type Result, SavepointError, success } from './errors.ts';
import type { AnyJson, OperationOf } from './game.ts';
import { newIdempotencyKey } from './ids.ts';
import type { Operation } from './operations.ts';
import type { RequestOptions, WriteOptions } from './options.ts';
import type { Relay } from './relay.ts';
import type { ApiRequest } from './request.ts';

/** Documents of a collection. The key defaults to the player's id. */

/** The address of a document in its collection. */
export interface DocumentAddress {
  /** The player's id when left out; a shared collection needs one. */
  readonly key?: string;
  /** The save record that the document belongs to. */
  readonly record?: string;
}

export interface ReadOptions extends DocumentAddress, RequestOptions {}

export interface SaveOptions extends DocumentAddress, WriteOptions {
  /** The version that the change is based on; 0: there must be no document yet. Refused with `STALE_SAVE` if the version is another. */
  readonly ifVersion?: number;
}

/** A document with its version: the number of its writes. */
export interface Versioned<Doc> {
  /** `null`: there is none. */
  readonly value: Doc | null;
  readonly version: number;
}

export interface LedgerOptions extends DocumentAddress, RequestOptions {
  /** The path of one field. */
  readonly field?: string;
  /** ISO text or unix ms, inclusive. */
  readonly from?: string | number;
  /** Exclusive. */
  readonly to?: string | number;
  readonly limit?: number;
  /** `cursor` of the previous page, in the same order. */
  readonly cursor?: string;
  /** `asc`: oldest first (default); `desc`: newest first. */
  readonly order?: 'asc' | 'desc';
}

const WRITTEN = { version: 'value' } as const;
const LEDGER = { entries: 'list', summary: 'object' } as const;
/** Attempts of an edit that meets writes of others. */
const MAX_EDITS = 8;

/** The documents of one collection: read, saved, changed by operations. */
export class Documents<Doc = AnyJson, Save = Doc> {
  readonly #connection: Connection;
  readonly #collection: string;
  readonly #relay: () => Relay | null;

  constructor(connection: Connection, collection: string, relay: () => Relay | null = () => null) {
    this.#connection = connection;
    this.#collection = collection;
    this.#relay = relay;
  }

  /** @internal */
  get connection(): Connection {
    return this.#connection;
  }

  /** @internal */
  get collection(): string {
    return this.#collection;
  }

  /**
   * Reads the document; `null`: there is none. Throws a {@link SavepointError}.
   *
   * @example
   * ```ts
   * const me = await client.documents('players').get();
   * me.gold; // → 10
   * await client.documents('players').get({ key: '76561198000000999' }); // → null
   * ```
   */
  get(options?: ReadOptions): Promise<Doc | null> {
    return orThrow(this.tryGet(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const read = await client.documents('players').tryGet({ key: '76561198000000999' });
   * read.ok && read.value; // → null
   * ```
   */
  async tryGet(options?: ReadOptions): Promise<Result<Doc | null>> {
    return mapped(await this.tryLoad(options), ({ value }) => value);
  }

  /**
   * Reads the document with its version, for a save that must not overwrite somebody else's write.
   *
   * @example
   * ```ts
   * const players = client.documents('players');
   * const { value, version } = await players.load();
   * await players.save({ ...value, level: 2 }, { ifVersion: version });
   * ```
   */
  load(options?: ReadOptions): Promise<Versioned<Doc>> {
    return orThrow(this.tryLoad(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const loaded = await client.documents('players').tryLoad({ key: '76561198000000999' });
   * loaded; // → { ok: true, value: { value: null, version: 0 } }
   * ```
   */
  async tryLoad(options: ReadOptions = {}): Promise<Result<Versioned<Doc>>> {
    const key = this.#keyOf(options);
    if (!key.ok) return key;
    const relay = this.#relay();
    const read = await (relay === null
      ? this.#connection.send(this.#request('GET', [key.value], { isRepeatable: true, isDocument: true, options }))
      : relay.document(this.#collection, key.value, options));
    if (read.ok) this.#connection.noteNumbers(this.#collection, key.value, read.value.text);
    return nullIfMissing(
      mapped(read, ({ body, headers }) => ({ value: body as Doc, version: Number(headers.get('x-ns-save-version') ?? 0) })),
    );
  }

  /**
   * Writes the whole document and replaces what was there.
   *
   * @example
   * ```ts
   * const { version } = await client.documents('players').save({ name: 'Ada', gold: 3 });
   * version; // → 2
   * ```
   */
  save(document: Save, options?: SaveOptions): Promise<Written> {
    return orThrow(this.trySave(document, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const saved = await client.documents('players').trySave({ gold: 1 }, { ifVersion: 0 });
   * saved.ok ? 'saved' : saved.error.code; // → 'STALE_SAVE'
   * ```
   */
  trySave(document: Save, options?: SaveOptions): Promise<Result<Written>> {
    return this.#write(document, { document }, options);
  }

  /**
   * Changes the document by operations, all or none: `set`, `inc`, `push`, `pull`, `remove`, `merge`, `setIfNull`.
   *
   * @example
   * ```ts
   * await client.documents('players').update([inc('gold', -7, { reason: 'an axe' }), push('items', 'axe')]);
   * (await client.documents('players').get()).items; // → ['axe']
   * ```
   */
  update(operations: OperationOf<Doc> | readonly OperationOf<Doc>[], options?: SaveOptions): Promise<Written> {
    return orThrow(this.tryUpdate(operations, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const spent = await client.documents('vault').tryUpdate(inc('n', 1));
   * spent.ok ? 'done' : spent.error.code; // → 'ENDPOINT_ONLY'
   * ```
   */
  async tryUpdate(operations: OperationOf<Doc> | readonly OperationOf<Doc>[], options?: SaveOptions): Promise<Result<Written>> {
    const ops: readonly Operation[] = Array.isArray(operations) ? operations : [operations];
    const given = checkArguments(() => requireOperations(ops));
    if (!given.ok) return given;
    return this.#write({ ops }, { ops }, options);
  }

  /**
   * Reads, changes and saves the document; starts again if somebody else wrote in between. If operations suffice, `update` is better.
   *
   * @example
   * ```ts
   * await client.documents('players').edit((me) => ({ ...me, level: (me?.level ?? 0) + 1 }));
   * (await client.documents('players').get()).level; // → 2
   * ```
   */
  edit(change: (document: Doc | null) => Save | Promise<Save>, options?: ReadOptions): Promise<Written> {
    return orThrow(this.tryEdit(change, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const edited = await client.documents('players').tryEdit((me) => ({ ...me, name: 'Bo' }));
   * edited.ok; // → true
   * ```
   */
  async tryEdit(change: (document: Doc | null) => Save | Promise<Save>, options?: ReadOptions): Promise<Result<Written>> {
    const given = checkArguments(() => requireKind('change', change, 'function'));
    if (!given.ok) return given;
    for (let edit = 1; ; edit++) {
      const loaded = await this.tryLoad(options);
      if (!loaded.ok) return loaded;
      const { value, version } = loaded.value;
      const saved = await this.trySave(await change(value), { ...options, ifVersion: version });
      if (saved.ok || saved.error.code !== 'STALE_SAVE' || edit === MAX_EDITS) return saved;
    }
  }

  /**
   * Deletes the document, if the collection has `allowRecordDelete`. Succeeds also if there is none.
   *
   * @example
   * ```ts
   * await client.documents('players').delete();
   * await client.documents('players').get(); // → null
   * ```
   */
  delete(options?: SaveOptions): Promise<void> {
    return orThrow(this.tryDelete(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const deleted = await client.documents('meters').tryDelete();
   * deleted.ok ? 'gone' : deleted.error.code; // → 'RECORD_DELETE_DISABLED'
   * ```
   */
  async tryDelete(options: SaveOptions = {}): Promise<Result<void>> {
    const key = this.#keyOf(options);
    if (!key.ok) return key;
    const { idempotencyKey = newIdempotencyKey() } = options;
    const more = { headers: versionHeaders(options), key: idempotencyKey, isRepeatable: true, options };
    return mapped(await this.#sendWrite(this.#request('DELETE', [key.value], more), key.value, {}), () => undefined);
  }

  /**
   * Whether there is a document, without reading it.
   *
   * @example
   * ```ts
   * await client.documents('players').exists(); // → true
   * ```
   */
  exists(options?: ReadOptions): Promise<boolean> {
    return orThrow(this.tryExists(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * await client.documents('players').tryExists({ key: '76561198000000999' }); // → { ok: true, value: false }
   * ```
   */
  async tryExists(options: ReadOptions = {}): Promise<Result<boolean>> {
    const key = this.#keyOf(options);
    if (!key.ok) return key;
    const probe = this.#request('GET', [key.value, 'probe'], { isRepeatable: true, answer: { exists: 'boolean' }, options });
    return mapped(await this.#connection.send(probe), ({ body }) => (body as { readonly exists: boolean }).exists);
  }

  /**
   * Reads a page of the ledger: every change of the ledger fields, oldest first; newest first with `order: 'desc'`.
   *
   * @example
   * ```ts
   * await client.documents('players').update(inc('gold', 5, { reason: 'found' }));
   * const { summary } = await client.documents('players').ledger({ field: 'gold' });
   * summary.netChange; // → 15
   * ```
   */
  ledger(options?: LedgerOptions): Promise<Ledger> {
    return orThrow(this.tryLedger(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const page = await client.documents('players').tryLedger({ limit: 1 });
   * page.ok && page.value.entries.length; // → 1
   * ```
   */
  async tryLedger(options: LedgerOptions = {}): Promise<Result<Ledger>> {
    const key = this.#keyOf(options);
    if (!key.ok) return key;
    const { field, from, to, limit, cursor, order } = options;
    const query = { field, from, to, limit, cursor, order };
    return mapped(
      await this.#connection.send(this.#request('GET', [key.value, 'ledger'], { query, isRepeatable: true, answer: LEDGER, options })),
      ({ body }) => body as Ledger,
    );
  }

  async #write(body: unknown, change: OwnWrite['change'], options: SaveOptions = {}): Promise<Result<Written>> {
    const key = this.#keyOf(options);
    if (!key.ok) return key;
    const { idempotencyKey = newIdempotencyKey() } = options;
    const exact = this.#connection.exactNumbers(this.#collection, key.value);
    const sent = { body, exact, answer: WRITTEN } as const;
    const more = { headers: versionHeaders(options), ...sent, key: idempotencyKey, isRepeatable: true, options };
    return mapped(
      await this.#sendWrite(this.#request('POST', [key.value], more), key.value, change),
      ({ body: written }) => written as Written,
    );
  }

  #sendWrite(request: ApiRequest, document: string, change: OwnWrite['change']): Promise<Result<Answer>> {
    const { key = '' } = request;
    const write = { collection: this.#collection, key: document, change };
    return this.#connection.followed({ key, collection: this.#collection, document }, async () => {
      const refused = this.#connection.refusalOf(write, key);
      if (refused !== null) return { ok: false, error: refused };
      const settled = this.#connection.writing(write);
      const answer = await this.#connection.send(request);
      settled(answer);
      return answer;
    });
  }

  #keyOf({ key, record }: DocumentAddress): Result<string> {
    const owner = this.#connection.requirePlayer(key);
    return mapped(owner, (id) => documentKey(id, record));
  }

  #request(method: ApiRequest['method'], path: readonly string[], more: Omit<ApiRequest, 'method' | 'family' | 'path'>): ApiRequest {
    return { method, family: 'storage', path: [this.#collection, ...path], player: 'proven', ...more };
  }
}

/** The key of a player's document, or of one of its save records. */
export function documentKey(owner: string, record?: string): string {
  return record === undefined ? owner : `${owner}_${record}`;
}

/** Throws `INVALID_ARGUMENT`. */
export function requireOperations(given: unknown): void {
  for (const one of Array.isArray(given) ? given : [given]) {
    if (isObject(one) && typeof one['op'] === 'string' && typeof one['path'] === 'string') continue;
    throw new SavepointError('INVALID_ARGUMENT', 'An update is made of operations: set, inc, push, pull, remove, merge, setIfNull');
  }
}

/** Turns `NOT_FOUND` into the answer that there is no document. */
function nullIfMissing<Doc>(read: Result<Versioned<Doc>>): Result<Versioned<Doc>> {
  return read.ok || !isMissing(read.error) ? read : success({ value: null, version: 0 });
}

function versionHeaders({ ifVersion }: SaveOptions): Readonly<Record<string, string>> {
  return ifVersion === undefined ? {} : { 'x-ns-save-version': String(ifVersion) };
}
