import { requireClient, requireOptions } from './arguments.ts';
import type { Client } from './client.ts';
import type { Connection, FollowedWrite } from './connection.ts';
import { type DocumentAddress, type Documents, documentKey } from './documents.ts';
import type { SavepointError } from './errors.ts';
import type { GameTypes } from './game.ts';
import { Listeners } from './listeners.ts';

/** Whether what the game writes is stored yet: for a sign on the screen. */

/** `saved` and `error` say how the last writes went; with several at once, `error` if one of them was refused. */
export type SaveStatus = 'idle' | 'saving' | 'saved' | 'error';

/** Whether a write is one that is followed. */
type Follows = (write: FollowedWrite) => boolean;

/** Follows writes of a client, also those that wait in its offline queue. `saveState` makes it. */
export class SaveState {
  readonly #open = new Set<string>();
  readonly #changed: Listeners<SaveState>;
  readonly #stop: () => void;
  #status: SaveStatus = 'idle';
  #lastError: SavepointError | null = null;
  #hasFailed = false;

  /** @internal */
  constructor(connection: Connection, follows: Follows) {
    this.#changed = new Listeners((error) => connection.log('error', 'A listener to the save state threw', { error }));
    this.#stop = connection.follow((write) => {
      // A write that is followed already, such as one of the offline queue, ends where it began.
      if (!follows(write) || this.#open.has(write.key)) return undefined;
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
 * Follows writes from now on: all of a client, or those of a collection's documents and save records; with `key` or `record`, those of one
 * document. Make it before the offline queue is opened, so that what an earlier run left counts, too.
 *
 * @example
 * ```ts
 * const players = client.documents('players');
 * const saves = saveState(players);
 * await players.update(inc('gold'));
 * [saves.status, saves.isBusy, saves.lastError]; // → ['saved', false, null]
 * saveState(players, { key: '76561198000000002' }).status; // → 'idle'
 * ```
 */
export function saveState<G extends GameTypes>(client: Client<G>): SaveState;
export function saveState<Doc, Save>(documents: Documents<Doc, Save>, address?: DocumentAddress): SaveState;
export function saveState(
  of: Pick<Client, 'connection'> | Pick<Documents, 'connection' | 'collection'>,
  address: DocumentAddress = {},
): SaveState {
  requireClient(of);
  requireOptions(address);
  const { connection } = of;
  if (!('collection' in of)) return new SaveState(connection, () => true);
  const { key, record } = address;
  const isOne = key !== undefined || record !== undefined;
  // The client may get its player later.
  const name = () => documentKey(key ?? connection.player?.id ?? '', record);
  return new SaveState(connection, ({ collection, document }) => collection === of.collection && (!isOne || document === name()));
}
