import { requireClient, requireKind } from './arguments.ts';
import type { Client } from './client.ts';
import type { SavepointError } from './errors.ts';
import type { GameTypes } from './game.ts';
import { Listeners } from './listeners.ts';

/** Whether what the game writes is stored yet: for a sign on the screen. */

/** `saved` and `error` say how the last writes went; with several at once, `error` if one of them was refused. */
export type SaveStatus = 'idle' | 'saving' | 'saved' | 'error';

/** Follows the writes of a client: documents, save records, calls, and what waits in its offline queue. `saveState` makes it. */
export class SaveState {
  readonly #open = new Set<string>();
  readonly #changed: Listeners<SaveState>;
  readonly #stop: () => void;
  #status: SaveStatus = 'idle';
  #lastError: SavepointError | null = null;
  #hasFailed = false;

  /** @internal */
  constructor({ connection }: Pick<Client, 'connection'>, collection: string | undefined) {
    this.#changed = new Listeners((error) => connection.log('error', 'A listener to the save state threw', { error }));
    this.#stop = connection.follow((write) => {
      const isOther = collection !== undefined && write.collection !== collection;
      // The queue has begun this write, and says how it ends.
      if (isOther || this.#open.has(write.key)) return undefined;
      this.#begin(write.key);
      return (error) => this.#end(write.key, error);
    });
  }

  /**
   * What is going on.
   *
   * @example
   * ```ts
   * const saves = saveState(client);
   * const saving = client.documents('players').update(inc('gold'));
   * saves.status; // → 'saving'
   * await saving;
   * saves.status; // → 'saved'
   * ```
   */
  get status(): SaveStatus {
    return this.#status;
  }

  /**
   * Whether a write is under way, or waits.
   *
   * @example
   * ```ts
   * saveState(client).isBusy; // → false
   * ```
   */
  get isBusy(): boolean {
    return this.#status === 'saving';
  }

  /**
   * The last failure; `null`: there was none since all was saved.
   *
   * @example
   * ```ts
   * const saves = saveState(client);
   * await client.tryCall('buy', { item: 'castle' });
   * [saves.status, saves.lastError?.code]; // → ['error', 'NO_ITEM']
   * ```
   */
  get lastError(): SavepointError | null {
    return this.#lastError;
  }

  /**
   * Calls the listener at every change. Returns the function that removes it.
   *
   * @example
   * ```ts
   * const seen = [];
   * const saves = saveState(client);
   * saves.onChange(({ status }) => seen.push(status));
   * await client.documents('players').update(inc('gold'));
   * seen; // → ['saving', 'saved']
   * ```
   */
  onChange(listener: (state: SaveState) => void): () => void {
    return this.#changed.add(listener);
  }

  /**
   * Ends the following.
   *
   * @example
   * ```ts
   * saveState(client).close();
   * ```
   */
  close(): void {
    this.#stop();
  }

  #begin(key: string): void {
    if (this.#open.size === 0) this.#hasFailed = false;
    this.#open.add(key);
    this.#become('saving');
  }

  #end(key: string, error: SavepointError | null): void {
    this.#open.delete(key);
    this.#hasFailed ||= error !== null;
    if (error !== null) this.#lastError = error;
    if (this.#open.size > 0) return;
    if (!this.#hasFailed) this.#lastError = null;
    this.#become(this.#hasFailed ? 'error' : 'saved');
  }

  #become(status: SaveStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#changed.emit(this);
  }
}

/**
 * Follows the writes of the client from now on; with `collection`, those of its documents and save records alone. Make it before the
 * offline queue is opened, so that what an earlier run left counts, too.
 *
 * @example
 * ```ts
 * const saves = saveState(client, { collection: 'players' });
 * await client.documents('players').update(inc('gold'));
 * [saves.status, saves.isBusy, saves.lastError]; // → ['saved', false, null]
 * ```
 */
export function saveState<G extends GameTypes>(client: Client<G>, { collection }: { readonly collection?: string } = {}): SaveState {
  requireClient(client);
  if (collection !== undefined) requireKind('collection', collection, 'string');
  return new SaveState(client, collection);
}
