import type { Written } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import { requireClient, requireKind, requireOptions } from './arguments.ts';
import { Client } from './client.ts';
import type { OwnWrite } from './connection.ts';
import { type DocumentAddress, documentKey, requireOperations } from './documents.ts';
import { failure, type Result, SavepointError } from './errors.ts';
import type {
  AnswerOf,
  AnyGame,
  AnyJson,
  CollectionOf,
  DocumentOf,
  GameTypes,
  InputOf,
  OperationOf,
  QueuedInput,
  RefusalsOf,
  SaveOf,
  SlugOf,
} from './game.ts';
import { newIdempotencyKey } from './ids.ts';
import { jsonText } from './json-text.ts';
import type { JsonCodec, PublishTarget } from './options.ts';
import { type EntryFormat, QueueEntries } from './queue-entries.ts';
import { isTransient, pause } from './retry.ts';
import { type QueueStorage, storageOf } from './storage.ts';

/**
 * The offline queue: writes are stored first, and sent one at a time, in order, when there is a network. Each has an idempotency key of
 * its own, so it happens once even if the game or the server ends in between.
 */

/** A write as it is stored. */
export type QueuedWrite = {
  /** The idempotency key. */
  readonly id: string;
  readonly player: string;
  readonly target: PublishTarget;
  /** Unix ms. */
  readonly queuedAt: number;
  /** When it was first sent, unix ms by the server's clock: the server remembers the key from then on. */
  readonly sentAt?: number;
} & (
  | { readonly kind: 'call'; readonly slug: string; readonly input: AnyJson }
  | {
      readonly kind: 'update' | 'save' | 'delete';
      readonly collection: string;
      readonly at: DocumentAddress & { readonly ifVersion?: number };
      readonly body?: AnyJson;
    }
  /** What the storage holds is no write. It is kept in the storage, under the queue's name with `:damaged:` and a number appended. */
  | { readonly kind: 'damaged'; readonly text: string }
);

/** A write that can be sent. */
type Sendable = Exclude<QueuedWrite, { readonly kind: 'damaged' }>;

/** A write that is stored. */
export interface Queued<Value = AnyJson, Own extends string = string> {
  readonly id: string;
  /** The outcome, if it is known before this run of the game ends. */
  readonly result: Promise<Result<Value, Own>>;
}

export interface QueueOptions {
  /** Keeps the writes that wait: `localStorage` when left out, `fileStorage(folder)`, or the game's own. */
  readonly storage?: QueueStorage;
  /** Name of the queue in its storage. Only one queue at a time may use it. Default: made of project and player. */
  readonly name?: string;
  /** How many writes may wait; 1000 when left out. */
  readonly limit?: number;
  /**
   * Called for every write that is done or refused; resolving a conflict is up to the game. Also called for writes of an earlier run, and
   * called again if that run ended before this function had returned.
   */
  readonly onSettled?: (write: QueuedWrite, result: Result<AnyJson>) => void | Promise<void>;
  /** How long the server keeps idempotency keys (`IDEMPOTENCY_HOURS`); 24 when left out. */
  readonly keptHours?: number;
}

/** `waiting`: network or server are not available. `blocked`: the server refuses every write, as with a wrong key or an outdated game. */
export type QueueState = 'idle' | 'sending' | 'waiting' | 'blocked' | 'closed';

const LIMIT = 1000;
const KEY_LIFETIME_HOURS = 24;
const HOUR_MS = 3_600_000;
/** A key counts as forgotten this long before the server drops it, ms: the clock is not known exactly. */
const CLOCK_MARGIN_MS = 600_000;
const BASE_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** After so many failures of the server (5xx), a write is returned to the game, and the next ones are sent. */
const MAX_SERVER_FAILURES = 5;
/** Refusals that do not depend on the write. */
const BLOCKING: ReadonlySet<string> = new Set([
  ...['NOT_CONFIGURED', 'SECRET_EXPOSED', 'CRYPTO_UNAVAILABLE', 'UNAUTHORIZED', 'KEY_DISABLED', 'PROJECT_DISABLED', 'DISABLED'],
  ...['PLATFORM_AUTH_FAILED', 'REVISION_OUTDATED', 'QUOTA_EXCEEDED', 'ROUTE_NOT_FOUND', 'SERVER_OUTDATED'],
]);

/**
 * Opens the queue of the client's player with the writes that an earlier run left, and begins to send. Throws `QUEUE_STORAGE`, and
 * `QUEUE_OPEN` where another page has it open.
 *
 * @example
 * ```ts
 * const queue = await openQueue(client, { storage: memoryStorage() });
 * await queue.call('buy', { item: 'axe' });
 * await queue.update('players', inc('gold', 5));
 * await queue.idle();
 * (await client.documents('players').get()).gold; // → 8
 * ```
 */
export async function openQueue<G extends GameTypes = AnyGame>(client: Client<G>, options: QueueOptions = {}): Promise<Queue<G>> {
  requireClient(client);
  requireKind('options', options, 'object');
  requireOptions(options);
  const storage = storageOf(options.storage);
  if (storage === undefined) throw new SavepointError('QUEUE_STORAGE', 'Give `storage`, in which writes wait: there is no localStorage');
  const ready = await client.connection.ready();
  if (!ready.ok) throw ready.error;
  const player = client.connection.requirePlayer();
  if (!player.ok) throw player.error;
  const name = options.name ?? `savepoint-queue:${ready.value.projectId}:${player.value}`;
  const unlock = await lock(name);
  if (unlock === null) throw new SavepointError('QUEUE_OPEN', `The queue ${name} is open in another page`);
  const entries = new QueueEntries<QueuedWrite>(storage, name, entryFormat(player.value, ready.value.json));
  try {
    await entries.load();
  } catch (error) {
    unlock();
    throw error;
  }
  return new Queue(client, player.value, entries, options, unlock);
}

/** The offline queue of one player; `openQueue` opens it. */
export class Queue<G extends GameTypes = AnyGame> {
  readonly #client: Client<G>;
  readonly #player: string;
  readonly #entries: QueueEntries<QueuedWrite>;
  readonly #options: QueueOptions;
  readonly #unlock: () => void;
  /** Of the writes that wait: what ends `result` of each. */
  readonly #results = new Map<string, (result: Result<AnyJson>) => void>();
  /** The same for whoever follows the client's writes. */
  readonly #followed = new Map<string, (result: Result<AnyJson>) => void>();
  readonly #closing = new AbortController();
  #waking = new AbortController();
  #state: QueueState = 'idle';
  #error: SavepointError | null = null;
  #running: Promise<void> | null = null;
  #isReachable = false;
  readonly #wake = () => this.#waking.abort();
  readonly #unobserve: () => void;
  /** The write whose outcome the game is told now: it waits no longer. */
  #settling: QueuedWrite | null = null;

  /** @internal */
  constructor(client: Client<G>, player: string, entries: QueueEntries<QueuedWrite>, options: QueueOptions, unlock: () => void) {
    this.#client = client;
    this.#player = player;
    this.#entries = entries;
    this.#options = options;
    this.#unlock = unlock;
    (globalThis as Partial<EventTarget>).addEventListener?.('online', this.#wake);
    const [writing, changed] = [() => () => undefined, () => undefined];
    this.#unobserve = client.connection.observe({ writing, changed, refuses: (write, key) => this.#refusalOf(write, key) });
    for (const write of entries.all) if (write.kind !== 'damaged') void this.#resultOf(write);
    this.#run();
  }

  /**
   * What the queue is doing now.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * queue.state; // → 'idle'
   * ```
   */
  get state(): QueueState {
    return this.#state;
  }

  /**
   * How many writes wait.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * queue.size; // → 0
   * ```
   */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Why the queue is waiting or blocked; `null`: it is neither.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * queue.error; // → null
   * ```
   */
  get error(): SavepointError | null {
    return this.#error;
  }

  /**
   * Queues an endpoint call. Resolves once the call is stored. Throws `QUEUE_FULL`, `QUEUE_CLOSED`, `QUEUE_OPEN` or `QUEUE_STORAGE`.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * const { result } = await queue.call('buy', { item: 'castle' });
   * const bought = await result;
   * bought.ok ? 'bought' : bought.error.code; // → 'NO_ITEM'
   * ```
   */
  call<S extends SlugOf<G>>(slug: S, ...[input]: QueuedInput<InputOf<G, S>>): Promise<Queued<AnswerOf<G, S>, RefusalsOf<G, S>>> {
    const call = { ...this.#newWrite(), kind: 'call', slug, input: input ?? {} } as const;
    return this.#add(call) as Promise<Queued<AnswerOf<G, S>, RefusalsOf<G, S>>>;
  }

  /**
   * Queues operations on a document. They are applied to what the document is when they arrive.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * await queue.update('players', [inc('gold', 2), set('name', 'Bo')]);
   * await queue.idle();
   * (await client.documents('players').get()).gold; // → 12
   * ```
   */
  update<C extends CollectionOf<G>>(
    collection: C,
    operations: OperationOf<DocumentOf<G, C>> | readonly OperationOf<DocumentOf<G, C>>[],
    at: DocumentAddress = {},
  ): Promise<Queued<Written>> {
    const body = Array.isArray(operations) ? operations : [operations];
    return this.#add({ ...this.#newWrite(), kind: 'update', collection, at, body });
  }

  /**
   * Queues a whole document. With `ifVersion` it is refused if somebody else has written since: `onSettled` gets `STALE_SAVE`.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * const { result } = await queue.save('players', { gold: 1 }, { ifVersion: 0 });
   * const saved = await result;
   * saved.ok ? 'saved' : saved.error.code; // → 'STALE_SAVE'
   * ```
   */
  save<C extends CollectionOf<G>>(
    collection: C,
    document: SaveOf<G, C>,
    at: DocumentAddress & { readonly ifVersion?: number } = {},
  ): Promise<Queued<Written>> {
    return this.#add({ ...this.#newWrite(), kind: 'save', collection, at, body: document });
  }

  /**
   * Queues the deletion of a document.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * await queue.delete('players');
   * await queue.idle();
   * await client.documents('players').get(); // → null
   * ```
   */
  delete<C extends CollectionOf<G>>(collection: C, at: DocumentAddress & { readonly ifVersion?: number } = {}): Promise<Queued<void>> {
    return this.#add({ ...this.#newWrite(), kind: 'delete', collection, at });
  }

  /**
   * Sends without further waiting: after a log-in, or when the game knows that it is online again.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * queue.flush();
   * ```
   */
  flush(): void {
    this.#wake();
    this.#run();
  }

  /**
   * Resolves when no write waits, or the queue is closed.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * await queue.idle();
   * ```
   */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /**
   * Closes the queue. The attempt under way is aborted; its write and those that wait stay in the storage for the next run.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * await queue.close();
   * queue.state; // → 'closed'
   * ```
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.#running;
    this.#state = 'closed';
    const waits = failure('QUEUE_CLOSED', 'The queue was closed; the write waits until it is opened again');
    for (const tell of this.#followed.values()) tell(waits);
    this.#followed.clear();
    (globalThis as Partial<EventTarget>).removeEventListener?.('online', this.#wake);
    this.#unobserve();
    this.#unlock();
  }

  #newWrite() {
    return { id: newIdempotencyKey(), player: this.#player, target: this.#client.publishTarget, queuedAt: Date.now() };
  }

  /** Why a write that does not go through the queue must not be sent now; `null`: it may be. */
  #refusalOf({ collection, key, change }: OwnWrite, id: string): SavepointError | null {
    const waiting = this.#entries.all.filter((write) => write !== this.#settling);
    if (waiting.some((write) => write.id === id)) return null;
    const isOlder = (write: QueuedWrite) =>
      'collection' in write && write.collection === collection && this.#keyOf(write.at) === key && !(write.kind === 'update' && change.ops);
    if (!waiting.some(isOlder)) return null;
    const where = `${collection}/${key}`;
    return new SavepointError(
      'WRITE_QUEUED',
      `An older write of ${where} waits in the offline queue and would overwrite this one: send it through the queue, or await queue.idle()`,
    );
  }

  #keyOf({ key = this.#player, record }: DocumentAddress): string {
    return documentKey(key, record);
  }

  async #add(write: Sendable): Promise<Queued> {
    const { limit = LIMIT } = this.#options;
    if (this.#closing.signal.aborted) throw new SavepointError('QUEUE_CLOSED', 'The queue is closed; open it anew');
    if (this.#entries.size >= limit) throw new SavepointError('QUEUE_FULL', `${limit} writes wait already`);
    requireWrite(write);
    const { connection } = this.#client;
    // Numbers that the document holds and a double does not are refused: the entry would keep the doubles.
    const read = 'collection' in write ? connection.exactNumbers(write.collection, this.#keyOf(write.at)) : undefined;
    const inexact = read && new Map([...read.keys()].map((double) => [double, null]));
    const content = write.kind === 'call' ? write.input : write.body;
    const text = content === undefined ? null : jsonText(content, connection.options.json, inexact);
    if (text?.ok === false) throw text.error;
    await this.#entries.add(write);
    const result = this.#resultOf(write);
    this.#run();
    return { id: write.id, result };
  }

  /** The outcome of a write that is stored. Whoever follows the client's writes is told of it, too. */
  #resultOf(write: Sendable): Promise<Result<AnyJson>> {
    const result = new Promise<Result<AnyJson>>((resolve) => this.#results.set(write.id, resolve));
    const followed = new Promise<Result<AnyJson>>((resolve) => this.#followed.set(write.id, resolve));
    const about = write.kind === 'call' ? {} : { collection: write.collection, document: this.#keyOf(write.at) };
    void this.#client.connection.followed({ key: write.id, ...about }, () => followed);
    return result;
  }

  #run(): void {
    if (this.#closing.signal.aborted || this.#running !== null || this.#entries.head === undefined) return;
    this.#running = this.#drain().finally(() => {
      this.#running = null;
      // A write may have been added after the last look.
      this.#run();
    });
  }

  async #drain(): Promise<void> {
    let failures = 0;
    for (let write = this.#entries.head; write !== undefined; write = this.#entries.head) {
      if (this.#closing.signal.aborted) return;
      // Of this attempt, too: a log-in or a network that comes while it is under way must not wait out the pause behind it.
      this.#waking = new AbortController();
      let error: SavepointError | null;
      try {
        error = await this.#attempt(write, failures);
      } catch (thrown) {
        error = thrown instanceof SavepointError ? thrown : new SavepointError('UNKNOWN', String(thrown), { cause: thrown });
      }
      failures = error === null ? 0 : failures + 1;
      this.#error = error;
      if (error !== null && !(await this.#backOff(error, failures))) return;
    }
    this.#state = 'idle';
  }

  /** Sends a write once. Returns why it stays in the queue; `null`: it is done or refused, and removed. */
  async #attempt(write: QueuedWrite, failures: number): Promise<SavepointError | null> {
    this.#state = 'sending';
    if (write.kind === 'damaged') {
      await this.#entries.setAside(write.text);
      await this.#settle(write, failure('QUEUE_STORAGE', 'What the storage of the queue holds is no write; it is set aside'));
      return null;
    }
    // No write is sent before the server has answered a read. An unsent write may wait for ever; once sent, its key is remembered for a
    // limited time only.
    if (!this.#isReachable && this.#client.relay === null) {
      const loaded = await this.#client.security.tryLoad({ retries: 0, signal: this.#closing.signal });
      if (!loaded.ok && isUnrelatedToWrite(loaded.error, 0)) return loaded.error;
      this.#isReachable = true;
    }
    // The server's clock counts, because the server decides how long it remembers a key. This machine's clock may be changed meanwhile.
    const now = this.#client.security.now();
    const { keptHours = KEY_LIFETIME_HOURS } = this.#options;
    if (write.sentAt !== undefined && now > write.sentAt + keptHours * HOUR_MS - CLOCK_MARGIN_MS) {
      const unknownOutcome = failure(
        'OUTCOME_UNKNOWN',
        'The write was sent so long ago that the server may have forgotten its key; read before you repeat it',
      );
      await this.#settle(write, unknownOutcome);
      return null;
    }
    const sent = write.sentAt === undefined ? { ...write, sentAt: now } : write;
    if (sent !== write) await this.#entries.changeHead(sent);
    const result = await this.#send(sent);
    if (!result.ok && isUnrelatedToWrite(result.error, failures)) {
      this.#isReachable = false;
      return result.error;
    }
    await this.#settle(sent, result);
    return null;
  }

  async #send(write: Sendable): Promise<Result<AnyJson>> {
    const client = this.#senderOf(write);
    if (client === null) return failure('PLATFORM_AUTH_FAILED', `The queue belongs to the player ${write.player}, but another one plays`);
    const options = { idempotencyKey: write.id, retries: 0, signal: this.#closing.signal };
    if (write.kind === 'call') return client.tryCall(write.slug, write.input, options);
    const documents = client.documents(write.collection);
    const at = { ...write.at, ...options };
    if (write.kind === 'update') return documents.tryUpdate(write.body, at);
    return write.kind === 'save' ? documents.trySave(write.body, at) : documents.tryDelete(at);
  }

  /** The client for the write's target; `null`: another player plays. */
  #senderOf({ player, target }: QueuedWrite): Client | null {
    if (this.#client.player?.id !== player) return null;
    if (this.#client.publishTarget === target) return this.#client as unknown as Client;
    return new Client({ ...this.#client.connection.options, publishTarget: target }, this.#client as unknown as Client);
  }

  /** Reports the outcome before it removes the entry. After a crash in between the outcome is reported again, so none is lost. */
  async #settle(write: QueuedWrite, result: Result<AnyJson>): Promise<void> {
    this.#settling = write;
    try {
      await this.#options.onSettled?.(write, result);
    } catch (error) {
      this.#client.connection.log('error', 'onSettled of the queue threw', { error });
    }
    await this.#entries.removeHead();
    this.#settling = null;
    for (const told of [this.#followed, this.#results]) {
      told.get(write.id)?.(result);
      told.delete(write.id);
    }
  }

  /** Waits before the next attempt. Resolves to `false` if the queue is being closed. */
  async #backOff(error: SavepointError, failures: number): Promise<boolean> {
    this.#state = isBlocking(error) ? 'blocked' : 'waiting';
    const maxMs = this.#state === 'blocked' ? MAX_DELAY_MS : Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures - 1, 10));
    const waitMs = Math.max(maxMs / 2 + (Math.random() * maxMs) / 2, error.retryAfterMs ?? 0);
    if (!this.#closing.signal.aborted) await pause(waitMs, this.#waking.signal);
    return !this.#closing.signal.aborted;
  }
}

/** Throws `INVALID_ARGUMENT` for a write that could never be sent, so that it is not stored. */
function requireWrite(write: Sendable): void {
  const [name, value] = write.kind === 'call' ? ['slug', write.slug] : ['collection', write.collection];
  requireKind(name, value || undefined, 'string');
  if (write.kind === 'call') requireKind('input', write.input, 'object');
  else requireOptions(write.at);
  if (write.kind === 'update') requireOperations(write.body);
}

/** Writes in a storage. A codec of the game keeps the numbers that doubles do not hold. */
function entryFormat(player: string, codec: JsonCodec = JSON): EntryFormat<QueuedWrite> {
  return {
    stringify: (write) => codec.stringify(write),
    parse(text, n) {
      const damaged = { kind: 'damaged', id: `damaged:${n}`, player, target: 'live', queuedAt: 0, text } as const;
      try {
        const read = codec.parse(text);
        return isWrite(read) ? withPlainNumbers(read) : damaged;
      } catch {
        return damaged;
      }
    },
  };
}

/** A codec may read numbers as objects of its own; those of the queue itself are plain ones. */
function withPlainNumbers(write: Sendable): Sendable {
  const plain = (members: object) => Object.fromEntries(Object.entries(members).map(([name, value]) => [name, Number(value)]));
  const { queuedAt, sentAt } = write;
  const timed = { ...write, ...plain({ queuedAt, ...(sentAt !== undefined && { sentAt }) }) };
  if (timed.kind === 'call' || timed.at.ifVersion === undefined) return timed;
  return { ...timed, at: { ...timed.at, ...plain({ ifVersion: timed.at.ifVersion }) } };
}

function isWrite(value: unknown): value is Sendable {
  if (!isObject(value)) return false;
  const { id, player, target, kind, slug, collection, input, at } = value;
  if (![id, player, target].every((text) => typeof text === 'string')) return false;
  if (kind === 'call') return typeof slug === 'string' && isObject(input);
  return ['update', 'save', 'delete'].includes(String(kind)) && typeof collection === 'string' && isObject(at);
}

function isBlocking(error: SavepointError): boolean {
  const { code, status } = error;
  if (isTransient(error)) return false;
  return status === 401 || BLOCKING.has(code) || code.startsWith('AUTH_SESSION_') || code.startsWith('SECURITY_');
}

/** Whether the failure has nothing to do with the write, which then stays in the queue. */
function isUnrelatedToWrite(error: SavepointError, failures: number): boolean {
  const { code, status, requestId } = error;
  if (isTransient(error) || isBlocking(error) || code === 'ABORTED' || code === 'PROXY_FAILED' || code === 'QUEUE_STORAGE') return true;
  // A captive portal may answer instead of the node. Only a node's answer carries a request id.
  if (code === 'RESPONSE_TOO_LARGE' || code === 'INVALID_RESPONSE' || (code === 'HTTP_ERROR' && requestId === undefined)) return true;
  return status >= 500 && failures < MAX_SERVER_FAILURES;
}

/** The part of the Web Locks API that is used here. */
interface Locks {
  readonly request: (
    name: string,
    options: { readonly ifAvailable: true },
    callback: (lock: unknown) => Promise<void> | undefined,
  ) => Promise<unknown>;
}

/** Locks the queue, so that only one page sends its writes, if the platform has locks. `null`: another page holds the lock. */
function lock(name: string): Promise<(() => void) | null> {
  const { locks } = (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator ?? {};
  if (locks === undefined) return Promise.resolve(() => undefined);
  return new Promise((resolve, reject) => {
    const onGranted = (granted: unknown) => {
      if (granted !== null) return new Promise<void>((release) => resolve(release));
      resolve(null);
      return undefined;
    };
    locks.request(name, { ifAvailable: true }, onGranted).catch(reject);
  });
}
