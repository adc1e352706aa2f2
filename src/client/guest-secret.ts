import { isObject } from './answer.ts';
import { checkArguments, requireClient, requireOptions } from './arguments.ts';
import type { Client } from './client.ts';
import { base64url } from './crypto.ts';
import { failure, type Result, SavepointError } from './errors.ts';
import type { GameTypes } from './game.ts';
import { randomBytes } from './ids.ts';
import type { RequestOptions } from './options.ts';
import { GUEST_PREFIX } from './secret-shapes.ts';
import { type QueueStorage, storageOf } from './storage.ts';

/** The secret that proves a guest's device, and its storage on the device. */

export interface GuestOptions extends RequestOptions {
  /** Keeps the device's secret: `fileStorage(folder)`, or the game's own. Default: `localStorage`. */
  readonly storage?: QueueStorage;
  /** Name of the secret in its storage. Default: one per project. */
  readonly name?: string;
}

/** The secret as the storage holds it. */
interface StoredSecret {
  readonly secret: string;
  /** `null`: the secret is not known to be registered. */
  readonly player: string | null;
  /** A secret that was sent to join a guest; whether it did is not known. */
  readonly joining?: string;
}

export function newSecret(): string {
  return GUEST_PREFIX + base64url(randomBytes(32));
}

export interface SecretStore {
  read(): Promise<StoredSecret | null>;
  write(kept: StoredSecret): Promise<void>;
  keepBefore(kept: StoredSecret): Promise<void>;
  /** Puts aside what is stored, whatever it is. */
  setAside(): Promise<void>;
  remove(): Promise<void>;
}

interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Runs `work` with the storage of the secret, under a lock so that no other page uses it meanwhile. */
export async function withSecretStore<G extends GameTypes, T>(
  client: Client<G>,
  options: GuestOptions,
  work: (store: SecretStore) => Promise<Result<T>>,
): Promise<Result<T>> {
  const given = checkArguments(() => {
    requireClient(client);
    requireOptions(options);
  });
  if (!given.ok) return given;
  const ready = await client.connection.ready();
  if (!ready.ok) return ready;
  const storage = storageOf(options.storage);
  if (storage === undefined)
    return failure('GUEST_STORAGE', 'Give `storage`, in which the device keeps its secret: there is no localStorage');
  const name = options.name ?? `savepoint-guest:${ready.value.projectId}`;
  const { locks } = (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator ?? {};
  try {
    const run = () => work(secretStore(storage, name));
    return await (locks === undefined ? inTurn(storage, run) : locks.request(name, run));
  } catch (cause) {
    if (cause instanceof SavepointError) return { ok: false, error: cause };
    return failure('GUEST_STORAGE', `The storage of the device's secret failed: ${String(cause)}`, { cause });
  }
}

/** The last work with each storage. */
const turns = new WeakMap<QueueStorage, Promise<unknown>>();

/** Runs one work with a storage after the other, where the platform has no locks. */
function inTurn<T>(storage: QueueStorage, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(storage) ?? Promise.resolve()).then(work);
  turns.set(
    storage,
    turn.catch(() => undefined),
  );
  return turn;
}

function secretStore(storage: QueueStorage, name: string): SecretStore {
  return {
    async read() {
      const text = await storage.getItem(name);
      const kept = text === null ? null : storedSecret(text);
      if (kept === undefined)
        throw new SavepointError('GUEST_STORAGE', `What is stored as ${name} holds no secret. Repair it, or begin anew with forgetGuest`);
      return kept;
    },
    write: async (kept) => storage.setItem(name, JSON.stringify(kept)),
    keepBefore: async (kept) => storage.setItem(`${name}:before`, JSON.stringify(kept)),
    async setAside() {
      const text = await storage.getItem(name);
      if (text !== null) await storage.setItem(`${name}:before`, text);
      await storage.removeItem(name);
    },
    remove: async () => storage.removeItem(name),
  };
}

/** `undefined`: the text is none of this library's. `null`: nothing is stored. */
function storedSecret(text: string): StoredSecret | null | undefined {
  try {
    const kept: unknown = JSON.parse(text);
    if (kept === null) return null;
    if (!isObject(kept) || typeof kept['secret'] !== 'string') return undefined;
    const { secret, player, joining } = kept;
    return { secret, player: typeof player === 'string' ? player : null, ...(typeof joining === 'string' && { joining }) };
  } catch {
    return undefined;
  }
}
