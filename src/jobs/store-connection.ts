import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../kernel/error-reporting.ts';
import { refusal } from '../kernel/errors.ts';
import { openPostgresStore } from './postgres-store.ts';
import { openQueues, type Queues } from './queues.ts';
import { openRedisStore } from './redis-store.ts';
import type { Store } from './store.ts';

export interface OpenStore {
  readonly store: Store;
  readonly queues: Queues;
}

export interface StoreConnectionOptions {
  /** `null`: jobs are stored in Postgres. */
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
  /** The address of the store as messages may show it. */
  readonly address: string;
  /** The longest wait for an answer, ms. */
  readonly answerMs: number;
  readonly onError: (reason: string) => void;
}

/** The store of jobs with its queues. It is opened when first used; after a failure, the next use tries again. */
export class StoreConnection {
  readonly #options: StoreConnectionOptions;
  #opening: Promise<OpenStore> | null = null;
  #isClosed = false;

  constructor(options: StoreConnectionOptions) {
    this.#options = options;
  }

  async opened(): Promise<OpenStore> {
    if (this.#isClosed) throw new Error('it was closed');
    this.#opening ??= openStore(this.#options).catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  /** Sends a request to the store. Refuses with `STORAGE_UNAVAILABLE` if it fails or times out; `outcome` describes what is known then. */
  async ask<T>(outcome: string, question: (open: OpenStore) => Promise<T>): Promise<T> {
    const { address, answerMs } = this.#options;
    const timeout = new AbortController();
    const tooLong = sleep(answerMs, undefined, { signal: timeout.signal }).then(() => {
      throw new Error(`no answer within ${answerMs} ms`);
    });
    try {
      return await Promise.race([this.opened().then(question), tooLong]);
    } catch (error) {
      const known = outcome === '' ? '' : `. ${outcome}`;
      throw refusal('STORAGE_UNAVAILABLE', `The job queue (${address}) cannot do this now: ${errorMessage(error)}${known}`);
    } finally {
      tooLong.catch(() => undefined);
      timeout.abort();
    }
  }

  /** Refuses to open the store from now on. Resolves to the open store, for the caller to close; `null` if none is open. */
  async refuse(): Promise<OpenStore | null> {
    this.#isClosed = true;
    return (await this.#opening?.catch(() => null)) ?? null;
  }
}

async function openStore({ redisUrl, databaseUrl, answerMs, onError }: StoreConnectionOptions): Promise<OpenStore> {
  const store = await (redisUrl === null
    ? openPostgresStore({ url: databaseUrl, answerMs, onError })
    : openRedisStore({ url: redisUrl, answerMs, onError }));
  try {
    return { store, queues: await openQueues(store) };
  } catch (error) {
    await store.close(true);
    throw error;
  }
}
