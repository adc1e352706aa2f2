import type { Guest, GuestWithCode } from '../contract/answers.ts';
import { looked, requireKind } from './arguments.ts';
import type { Client } from './client.ts';
import type { Headings } from './connection.ts';
import { failure, mapped, orThrow, type Result, success } from './errors.ts';
import type { AnyGame, GameTypes } from './game.ts';
import { alone, type GuestOptions, newSecret, type SecretStore } from './guest-secret.ts';
import type { RequestOptions } from './options.ts';

/**
 * Players without an account. The device makes a secret and keeps it; the server knows its hash. A recovery code, or an account that was
 * linked, brings the player to another device.
 */

/** A player of a platform or a login, with what proves it there. */
export interface Account {
  readonly id: string;
  readonly token: string;
}

/** What brings a guest to this device. */
export type GuestProof = { readonly code: string } | { readonly account: Account };

export interface GuestDevice {
  readonly id: string;
  /** ISO 8601. */
  readonly joinedAt: string;
  /** Whether it is this device. */
  readonly isThis: boolean;
}

/** The devices of a guest, and what else lets a device become this guest. */
export interface GuestFacts {
  readonly devices: readonly GuestDevice[];
  /** Id of the account that is linked. */
  readonly account: string | null;
  /** Whether there is a recovery code that was not used. */
  readonly hasCode: boolean;
}

/**
 * Makes the client play as this device's guest: the one that it was before, or a new one on the first start. The project's setting is
 * `guestSignIn`. Throws `GUEST_STORAGE`, and what the server refuses.
 *
 * @example
 * ```ts
 * const storage = memoryStorage();
 * const guest = await signInGuest(client, { storage });
 * guest.id === (await signInGuest(client, { storage })).id; // → true
 * client.player.id === guest.id; // → true
 * ```
 */
export function signInGuest<G extends GameTypes = AnyGame>(client: Client<G>, options?: GuestOptions): Promise<GuestPlayer> {
  return orThrow(trySignInGuest(client, options));
}

/**
 * The same as a value.
 *
 * @example
 * ```ts
 * const signedIn = await trySignInGuest(client, { storage: memoryStorage() });
 * signedIn.ok; // → true
 * ```
 */
export function trySignInGuest<G extends GameTypes = AnyGame>(client: Client<G>, options: GuestOptions = {}): Promise<Result<GuestPlayer>> {
  return alone(client, options, async (store) => {
    const kept = (await store.read()) ?? { secret: newSecret(), player: null };
    if (kept.player !== null) return entered(client, kept.secret, kept.player, options);
    // Stored before it is sent: a device that is switched off in between is the same guest afterwards.
    await store.write(kept);
    return registered(client, store, kept.secret, 'register', {}, options);
  });
}

/**
 * Brings a guest to this device, by a recovery code, which works once, or by the account that is linked to it. The guest that the device was
 * before is kept in the storage, under the name with `:before` behind it. Throws `GUEST_CODE_INVALID`, `GUEST_NOT_LINKED`, and as `signInGuest`.
 *
 * @example
 * ```ts
 * const lost = await signInGuest(client, { storage: memoryStorage() });
 * const code = await lost.issueCode();
 * const found = await recoverGuest(client, { code }, { storage: memoryStorage() });
 * found.id === lost.id; // → true
 * ```
 */
export function recoverGuest<G extends GameTypes = AnyGame>(
  client: Client<G>,
  proof: GuestProof,
  options?: GuestOptions,
): Promise<GuestPlayer> {
  return orThrow(tryRecoverGuest(client, proof, options));
}

/**
 * The same as a value.
 *
 * @example
 * ```ts
 * const found = await tryRecoverGuest(client, { code: 'none' }, { storage: memoryStorage() });
 * found.ok ? 'found' : found.error.code; // → 'GUEST_CODE_INVALID'
 * ```
 */
export function tryRecoverGuest<G extends GameTypes = AnyGame>(
  client: Client<G>,
  proof: GuestProof,
  options: GuestOptions = {},
): Promise<Result<GuestPlayer>> {
  const given = looked(() => {
    requireKind('proof', proof, 'object');
    if ('code' in proof) requireKind('code', proof.code, 'string');
    else requireAccount(proof.account);
  });
  if (!given.ok) return Promise.resolve(given);
  return alone(client, options, async (store) => {
    const before = await store.read();
    const joining = before?.joining ?? newSecret();
    await store.write({ secret: joining, player: null, ...before, joining });
    const body = 'code' in proof ? { code: proof.code } : { account: sent(proof.account) };
    if (before !== null && before.player !== null) await store.keepBefore({ secret: before.secret, player: before.player });
    return registered(client, store, joining, 'join', body, options);
  });
}

/** The guest that a client plays as. */
export class GuestPlayer {
  readonly #client: Client<GameTypes>;
  readonly #secret: string;
  /** Where the device keeps its secret. */
  readonly #place: GuestOptions;
  /** The player's id, in everything that is stored. */
  readonly id: string;

  /** @internal */
  constructor(client: Client<GameTypes>, secret: string, id: string, place: GuestOptions) {
    this.#client = client;
    this.#secret = secret;
    this.#place = place;
    this.id = id;
  }

  /**
   * A new recovery code, for the player to write down: it is shown once, and works once. The one before is void.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * (await guest.issueCode()).length; // → 34
   * ```
   */
  issueCode(options?: RequestOptions): Promise<string> {
    return orThrow(this.tryIssueCode(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * (await guest.tryIssueCode()).ok; // → true
   * ```
   */
  async tryIssueCode(options?: RequestOptions): Promise<Result<string>> {
    return mapped(await this.#ask('POST', 'code', {}, options), (body) => (body as GuestWithCode).code);
  }

  /**
   * The devices, and what else leads to the guest.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * const { devices, hasCode } = await guest.show();
   * [devices.length, devices[0].isThis, hasCode]; // → [1, true, false]
   * ```
   */
  show(options?: RequestOptions): Promise<GuestFacts> {
    return orThrow(this.tryShow(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * (await guest.tryShow()).ok; // → true
   * ```
   */
  async tryShow(options?: RequestOptions): Promise<Result<GuestFacts>> {
    return mapped(await this.#ask('GET', 'devices', undefined, options), factsIn);
  }

  /**
   * Links an account: whoever is proven to be it can bring the guest to another device. The guest keeps its id. Throws `GUEST_CONFLICT`.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * const linked = await guest.tryLink({ id: '76561198000000001', token: 'a token of the login' });
   * linked.ok ? 'linked' : linked.error.code; // → 'PLATFORM_AUTH_FAILED'
   * ```
   */
  link(account: Account, options?: RequestOptions): Promise<GuestFacts> {
    return orThrow(this.tryLink(account, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * (await guest.tryLink({ id: '', token: '' })).ok; // → false
   * ```
   */
  tryLink(account: Account, options?: RequestOptions): Promise<Result<GuestFacts>> {
    return this.#askWith('link', account, options);
  }

  /**
   * Unlinks the account, which is proven once more: whoever has a lost device cannot do it.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * (await guest.tryUnlink({ id: '76561198000000001', token: 'a token of the login' })).ok; // → false
   * ```
   */
  unlink(account: Account, options?: RequestOptions): Promise<GuestFacts> {
    return orThrow(this.tryUnlink(account, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * (await guest.tryUnlink({ id: '', token: '' })).ok; // → false
   * ```
   */
  tryUnlink(account: Account, options?: RequestOptions): Promise<Result<GuestFacts>> {
    return this.#askWith('unlink', account, options);
  }

  /**
   * Shuts out a device, by its id, at once and with every session that it opened. Throws `GUEST_CONFLICT` for the last way to the guest.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * const other = await recoverGuest(client, { code: await guest.issueCode() }, { storage: memoryStorage() });
   * const { devices } = await other.revoke((await guest.show()).devices[0].id);
   * devices.length; // → 1
   * ```
   */
  revoke(device: string, options?: RequestOptions): Promise<GuestFacts> {
    return orThrow(this.tryRevoke(device, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * const revoked = await guest.tryRevoke((await guest.show()).devices[0].id);
   * revoked.ok ? 'gone' : revoked.error.code; // → 'GUEST_CONFLICT'
   * ```
   */
  async tryRevoke(device: string, options?: RequestOptions): Promise<Result<GuestFacts>> {
    const given = looked(() => requireKind('device', device, 'string'));
    if (!given.ok) return given;
    return mapped(await this.#ask('POST', 'revoke', { device }, options), factsIn);
  }

  /**
   * Signs this device out: nobody plays, and the next `signInGuest` makes a new guest. For a device that was shut out
   * (`PLATFORM_AUTH_FAILED` with `details.authFailureKind` `token_rejected`), and for another person at the same device. Tells the server
   * nothing. The secret is kept in the storage under the name with `:before` behind it: it may be the only way to the guest. Throws
   * `GUEST_STORAGE`.
   *
   * @example
   * ```ts
   * const storage = memoryStorage();
   * const guest = await signInGuest(client, { storage });
   * await guest.forget();
   * client.player; // → null
   * (await signInGuest(client, { storage })).id === guest.id; // → false
   * ```
   */
  forget(): Promise<void> {
    return orThrow(this.tryForget());
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const guest = await signInGuest(client, { storage: memoryStorage() });
   * (await guest.tryForget()).ok; // → true
   * ```
   */
  tryForget(): Promise<Result<void>> {
    return alone(this.#client, this.#place, async (store) => {
      const kept = await store.read();
      if (kept !== null && kept.secret === this.#secret) {
        await store.keepBefore({ secret: this.#secret, player: this.id });
        const { joining } = kept;
        // A guest that was being joined may have this secret by now.
        await (joining === undefined ? store.remove() : store.write({ secret: joining, player: null, joining }));
      }
      if (this.#client.player?.id === this.id) this.#client.player = null;
      return success(undefined);
    });
  }

  async #askWith(path: 'link' | 'unlink', account: Account, options?: RequestOptions): Promise<Result<GuestFacts>> {
    const given = looked(() => requireAccount(account));
    if (!given.ok) return given;
    return mapped(await this.#ask('POST', path, { account: sent(account) }, options), factsIn);
  }

  #ask(method: 'GET' | 'POST', path: string, body: object | undefined, options?: RequestOptions): Promise<Result<unknown>> {
    return ask(this.#client, method, path, { 'x-platform-id': this.id, 'x-platform-token': this.#secret }, body, options);
  }
}

function requireAccount(given: unknown): void {
  requireKind('account', given, 'object');
  const { id, token } = given as { readonly id?: unknown; readonly token?: unknown };
  requireKind('account.id', id, 'string');
  requireKind('account.token', token, 'string');
}

function sent({ id, token }: Account): object {
  return { platformId: id, token };
}

function factsIn(body: unknown): GuestFacts {
  const { devices, account, hasCode } = body as Guest;
  return { devices: devices.map(({ id, joinedAt, asks }) => ({ id, joinedAt, isThis: asks })), account, hasCode };
}

/** Repeating a request of these routes changes nothing, so all of them may be sent again. */
async function ask<G extends GameTypes>(
  client: Client<G>,
  method: 'GET' | 'POST',
  path: string,
  headers: Headings,
  body: object | undefined,
  options: RequestOptions | undefined,
): Promise<Result<unknown>> {
  const answer = await client.connection.send({ method, family: 'guests', path: [path], headers, body, repeats: true, options });
  return mapped(answer, ({ body: told }) => told);
}

async function registered<G extends GameTypes>(
  client: Client<G>,
  store: SecretStore,
  secret: string,
  how: 'register' | 'join',
  body: object,
  options: GuestOptions,
): Promise<Result<GuestPlayer>> {
  const answer = await ask(client, 'POST', how, { 'x-platform-token': secret }, body, options);
  if (!answer.ok) return answer;
  const { player } = answer.value as Guest;
  if (typeof player !== 'string' || player === '') return failure('INVALID_RESPONSE', 'The answer names no player');
  await store.write({ secret, player });
  return entered(client, secret, player, options);
}

function entered<G extends GameTypes>(client: Client<G>, secret: string, id: string, { storage, name }: GuestOptions): Result<GuestPlayer> {
  client.player = { id, token: secret };
  const place = { ...(storage && { storage }), ...(name !== undefined && { name }) };
  return success(new GuestPlayer(client as unknown as Client<GameTypes>, secret, id, place));
}
