import type { Written } from '../contract/answers.ts';
import { requireClient, requireKind, requireOptions } from './arguments.ts';
import { Client } from './client.ts';
import { type DocumentAddress, requireOperations } from './documents.ts';
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
import type { PublishTarget } from './options.ts';
import { QueueEntries } from './queue-entries.ts';
import { isPassing, pause } from './retry.ts';
import type { QueueStorage } from './storage.ts';

/**
 * Writes that can wait: they are stored first, and sent in their order when there is a network, one at a time, each under an
 * idempotency key of its own. So each happens once, also when the game or the server ends in between.
 */

/** A write as it is stored. */
export type QueuedWrite = {
  /** Its idempotency key. */
  readonly id: string;
  readonly player: string;
  readonly target: PublishTarget;
  /** Unix ms. */
  readonly queuedAt: number;
  /** When it was first sent, unix ms: the server remembers it from then on. */
  readonly sentAt?: number;
} & (
  | { readonly kind: 'call'; readonly slug: string; readonly input: AnyJson }
  | {
      readonly kind: 'update' | 'save' | 'delete';
      readonly collection: string;
      readonly at: DocumentAddress & { readonly ifVersion?: number };
      readonly body?: AnyJson;
    }
);

/** A write that is stored. */
export interface Queued<Value = AnyJson, Own extends string = string> {
  readonly id: string;
  /** The outcome, if it comes within this run of the game. */
  readonly result: Promise<Result<Value, Own>>;
}

export interface QueueOptions {
  /** Where writes wait: `localStorage`, `fileStorage(folder)`, or the game's own. */
  readonly storage: QueueStorage;
  /** Name of the queue in its storage; project and player when left out. One queue at a time may use it. */
  readonly name?: string;
  /** Writes that may wait; 1000 when left out. */
  readonly limit?: number;
  /**
   * Told of every write that is done or refused: a conflict is the game's to solve. Also of those that an earlier run queued, and again
   * where that run ended before it had listened.
   */
  readonly onSettled?: (write: QueuedWrite, result: Result<AnyJson>) => void | Promise<void>;
  /** How long the server keeps idempotency keys (`IDEMPOTENCY_HOURS`); 24 when left out. */
  readonly keptHours?: number;
}

/** `waiting`: there is no network. `blocked`: the server refuses whatever comes, as with a wrong key or an outdated game. */
export type QueueState = 'idle' | 'sending' | 'waiting' | 'blocked' | 'closed';

const LIMIT = 1000;
const KEPT_HOURS = 24;
const HOUR_MS = 3_600_000;
/** Clocks of servers and players differ. */
const MARGIN_MS = 600_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** After so many faults of the server, a write is given back to the game, and the next ones are sent. */
const MOST_FAILURES = 5;
/** Refusals that are not about the write. */
const BLOCKING: ReadonlySet<string> = new Set([
  ...['NOT_CONFIGURED', 'SECRET_EXPOSED', 'CRYPTO_UNAVAILABLE', 'UNAUTHORIZED', 'KEY_DISABLED', 'PROJECT_DISABLED', 'DISABLED'],
  ...['PLATFORM_AUTH_FAILED', 'REVISION_OUTDATED', 'QUOTA_EXCEEDED'],
]);

/**
 * Opens the queue of the client's player, with what an earlier run has left in it, and begins to send. Throws `QUEUE_STORAGE`.
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
export async function openQueue<G extends GameTypes = AnyGame>(client: Client<G>, options: QueueOptions): Promise<Queue<G>> {
  requireClient(client);
  requireKind('options', options, 'object');
  requireKind('storage', options.storage, 'object');
  requireOptions(options);
  const ready = await client.connection.ready();
  if (!ready.ok) throw ready.error;
  const player = client.connection.requirePlayer();
  if (!player.ok) throw player.error;
  const name = options.name ?? `savepoint-queue:${ready.value.projectId}:${player.value}`;
  const unlock = await lock(name);
  if (unlock === null) throw new SavepointError('QUEUE_STORAGE', `The queue ${name} is open in another page`);
  const entries = new QueueEntries<QueuedWrite>(options.storage, name);
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
  readonly #results = new Map<string, (result: Result<AnyJson>) => void>();
  readonly #ending = new AbortController();
  #waking = new AbortController();
  #state: QueueState = 'idle';
  #error: SavepointError | null = null;
  #running: Promise<void> | null = null;
  #reachable = false;
  readonly #wake = () => this.#waking.abort();

  /** @internal */
  constructor(client: Client<G>, player: string, entries: QueueEntries<QueuedWrite>, options: QueueOptions, unlock: () => void) {
    this.#client = client;
    this.#player = player;
    this.#entries = entries;
    this.#options = options;
    this.#unlock = unlock;
    (globalThis as Partial<EventTarget>).addEventListener?.('online', this.#wake);
    this.#run();
  }

  /**
   * What it does now.
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
   * The writes that wait.
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
   * Why it waits or is blocked; `null`: it is not.
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
   * Queues the call of an endpoint. Stored when it resolves. Throws `QUEUE_FULL` or `QUEUE_STORAGE`.
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
    const call = { ...this.#facts(), kind: 'call', slug, input: input ?? {} } as const;
    return this.#add(call) as Promise<Queued<AnswerOf<G, S>, RefusalsOf<G, S>>>;
  }

  /**
   * Queues operations on a document. Several that meet on the server add up.
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
    return this.#add({ ...this.#facts(), kind: 'update', collection, at, body });
  }

  /**
   * Queues a whole document. With `ifVersion` it is refused where somebody else has written since: `onSettled` gets `STALE_SAVE`.
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
    return this.#add({ ...this.#facts(), kind: 'save', collection, at, body: document });
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
    return this.#add({ ...this.#facts(), kind: 'delete', collection, at });
  }

  /**
   * Tries at once, whatever it waits for: after a log-in, or when the game knows that it is online again.
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
   * Resolves when nothing waits any more, or the queue is closed.
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
   * Ends it: what is under way is waited for, what waits stays in the storage for the next run.
   *
   * @example
   * ```ts
   * const queue = await openQueue(client, { storage: memoryStorage() });
   * await queue.close();
   * queue.state; // → 'closed'
   * ```
   */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake();
    await this.#running;
    this.#state = 'closed';
    (globalThis as Partial<EventTarget>).removeEventListener?.('online', this.#wake);
    this.#unlock();
  }

  #facts() {
    return { id: newIdempotencyKey(), player: this.#player, target: this.#client.publishTarget, queuedAt: Date.now() };
  }

  async #add(write: QueuedWrite): Promise<Queued> {
    const { limit = LIMIT } = this.#options;
    if (this.#ending.signal.aborted) throw new SavepointError('QUEUE_STORAGE', 'The queue is closed');
    if (this.#entries.size >= limit) throw new SavepointError('QUEUE_FULL', `${limit} writes wait already`);
    requireWrite(write);
    const printed = jsonText(write);
    if (!printed.ok) throw printed.error;
    const result = new Promise<Result<AnyJson>>((resolve) => this.#results.set(write.id, resolve));
    try {
      await this.#entries.add(write);
    } catch (error) {
      this.#results.delete(write.id);
      throw error;
    }
    this.#run();
    return { id: write.id, result };
  }

  #run(): void {
    if (this.#ending.signal.aborted || this.#running !== null || this.#entries.head === undefined) return;
    this.#running = this.#drain().finally(() => {
      this.#running = null;
      // Writes may have come at the last moment.
      this.#run();
    });
  }

  async #drain(): Promise<void> {
    let failures = 0;
    for (let write = this.#entries.head; write !== undefined; write = this.#entries.head) {
      if (this.#ending.signal.aborted) return;
      let error: SavepointError | null;
      try {
        error = await this.#next(write, failures);
      } catch (thrown) {
        error = thrown instanceof SavepointError ? thrown : new SavepointError('UNKNOWN', String(thrown), { cause: thrown });
      }
      failures = error === null ? 0 : failures + 1;
      this.#error = error;
      if (error !== null && !(await this.#rest(error, failures))) return;
    }
    this.#state = 'idle';
  }

  /** One attempt. `null`: the write is done or refused, and gone. Otherwise why it waits. */
  async #next(write: QueuedWrite, failures: number): Promise<SavepointError | null> {
    this.#state = 'sending';
    // Nothing is sent while the server is known to be away. A write that was never sent may wait for ever, but the key of one that was sent
    // is remembered for a while only.
    if (!this.#reachable && this.#client.relay === null) {
      const found = await this.#client.security.tryLoad({ retries: 0, signal: this.#ending.signal });
      if (!found.ok && isNothingOfTheWrite(found.error, 0)) return found.error;
      this.#reachable = true;
    }
    // By the server's clock, because the server decides how long it remembers a key. This machine's clock may be set meanwhile.
    const now = this.#client.security.now();
    const { keptHours = KEPT_HOURS } = this.#options;
    if (write.sentAt !== undefined && now > write.sentAt + keptHours * HOUR_MS - MARGIN_MS) {
      const forgotten = failure(
        'OUTCOME_UNKNOWN',
        'It was sent, but so long ago that the server may not know it any more; read before you repeat it',
      );
      await this.#settle(write, forgotten);
      return null;
    }
    const sent = write.sentAt === undefined ? { ...write, sentAt: now } : write;
    if (sent !== write) await this.#entries.changeHead(sent);
    const result = await this.#send(sent);
    if (!result.ok && isNothingOfTheWrite(result.error, failures)) {
      this.#reachable = false;
      return result.error;
    }
    await this.#settle(sent, result);
    return null;
  }

  async #send(write: QueuedWrite): Promise<Result<AnyJson>> {
    const client = this.#senderOf(write);
    if (client === null) return failure('PLATFORM_AUTH_FAILED', `The queue is of the player ${write.player}, and another one plays`);
    const options = { idempotencyKey: write.id, retries: 0, signal: this.#ending.signal };
    if (write.kind === 'call') return client.tryCall(write.slug, write.input, options);
    const documents = client.documents(write.collection);
    const at = { ...write.at, ...options };
    if (write.kind === 'update') return documents.tryUpdate(write.body, at);
    return write.kind === 'save' ? documents.trySave(write.body, at) : documents.tryDelete(at);
  }

  /** The client for the target that the write was made for. */
  #senderOf({ player, target }: QueuedWrite): Client | null {
    if (this.#client.player?.id !== player) return null;
    if (this.#client.publishTarget === target) return this.#client as unknown as Client;
    return new Client({ ...this.#client.connection.options, publishTarget: target });
  }

  /** The game is told first. After a crash before the entry is gone it is told again; it is never not told. */
  async #settle(write: QueuedWrite, result: Result<AnyJson>): Promise<void> {
    try {
      await this.#options.onSettled?.(write, result);
    } catch (error) {
      this.#client.connection.log('error', 'onSettled of the queue threw', { error });
    }
    await this.#entries.removeHead();
    this.#results.get(write.id)?.(result);
    this.#results.delete(write.id);
  }

  /** Waits before the next try. Resolves to `false` when the queue is being closed. */
  async #rest(error: SavepointError, failures: number): Promise<boolean> {
    this.#state = isBlocking(error) ? 'blocked' : 'waiting';
    const most =
      this.#state === 'blocked' ? LONGEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10));
    this.#waking = new AbortController();
    const waitMs = Math.max(most / 2 + (Math.random() * most) / 2, error.retryAfterMs ?? 0);
    if (!this.#ending.signal.aborted) await pause(waitMs, this.#waking.signal);
    return !this.#ending.signal.aborted;
  }
}

/** What could never be sent is not stored. Throws `INVALID_ARGUMENT`. */
function requireWrite(write: QueuedWrite): void {
  const [name, of] = write.kind === 'call' ? ['slug', write.slug] : ['collection', write.collection];
  requireKind(name, of || undefined, 'string');
  if (write.kind === 'call') requireKind('input', write.input, 'object');
  else requireOptions(write.at);
  if (write.kind === 'update') requireOperations(write.body);
}

function isBlocking(error: SavepointError): boolean {
  const { code, status } = error;
  if (isPassing(error)) return false;
  return status === 401 || BLOCKING.has(code) || code.startsWith('AUTH_SESSION_') || code.startsWith('SECURITY_');
}

/** Whether the failure says nothing about the write, which then stays in the queue. */
function isNothingOfTheWrite(error: SavepointError, failures: number): boolean {
  const { code, status, requestId } = error;
  if (isPassing(error) || isBlocking(error) || code === 'ABORTED' || code === 'PROXY_FAILED' || code === 'QUEUE_STORAGE') return true;
  // A captive portal answers, too. An answer of a node names the request.
  if (code === 'INVALID_RESPONSE' || (code === 'HTTP_ERROR' && requestId === undefined)) return true;
  return status >= 500 && failures < MOST_FAILURES;
}

/** Of the Web Locks API. */
interface Locks {
  readonly request: (
    name: string,
    options: { readonly ifAvailable: true },
    hold: (lock: unknown) => Promise<void> | undefined,
  ) => Promise<unknown>;
}

/** Where the platform has locks, only one page sends the writes of a queue. `null`: another page has the lock. */
function lock(name: string): Promise<(() => void) | null> {
  const { locks } = (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator ?? {};
  if (locks === undefined) return Promise.resolve(() => undefined);
  return new Promise((resolve, reject) => {
    const hold = (held: unknown) => {
      if (held !== null) return new Promise<void>((release) => resolve(release));
      resolve(null);
      return undefined;
    };
    locks.request(name, { ifAvailable: true }, hold).catch(reject);
  });
}
