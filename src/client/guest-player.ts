import type { Guest, GuestWithCode } from '../contract/answers.ts';
import { type AnswerShape, isObject, strangeAnswer } from './answer.ts';
import { checkArguments, requireKind } from './arguments.ts';
import type { Client } from './client.ts';
import { mapped, orThrow, type Result, success } from './errors.ts';
import type { AnyGame, GameTypes } from './game.ts';
import { type GuestOptions, newSecret, type SecretStore, withSecretStore } from './guest-secret.ts';
import type { RequestOptions } from './options.ts';
import type { ApiRequest } from './request.ts';

/**
 * Players without an account. The device makes a secret and keeps it; the server stores only its hash. A recovery code, or a linked
 * account, brings the player to another device.
 */

/** A player of a platform or a login, with the token that proves it there. */
export interface Account {
  readonly id: string;
  readonly token: string;
}

/** The proof that brings a guest to this device. */
export type GuestProof = { readonly code: string } | { readonly account: Account };

export interface GuestDevice {
  readonly id: string;
  /** ISO 8601. */
  readonly joinedAt: string;
  /** Whether it is this device. */
  readonly isThis: boolean;
}

const CODE = { code: 'string' } as const;
const FACTS = { devices: 'list' } as const;

/** The devices of a guest, and the other ways by which a device may become this guest. */
export interface GuestFacts {
  readonly devices: readonly GuestDevice[];
  /** Id of the linked account. */
  readonly account: string | null;
  /** Whether there is an unused recovery code. */
  readonly hasCode: boolean;
}

/**
 * Makes the client play as this device's guest: the same one on every start, a new one on the first. The project's setting `guestSignIn`
 * must allow it. Throws `GUEST_STORAGE`, and the server's refusals.
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
  return withSecretStore(client, options, async (store) => {
    const kept = (await store.read()) ?? { secret: newSecret(), player: null };
    if (kept.player !== null) return signIn(client, kept.secret, kept.player, options);
    // The secret is stored before it is sent, so a device that is switched off in between remains the same guest.
    await store.write(kept);
    // A page without locks may have written another secret meanwhile: both pages go on with the one that is stored.
    const { secret } = (await store.read()) ?? kept;
    return register(client, store, secret, 'register', {}, options);
  });
}

/**
 * Signs the device out, whatever is stored: also a secret that is damaged, with which `signInGuest` fails (`GUEST_STORAGE`). The next
 * `signInGuest` makes a new guest. What was stored stays there under the name with `:before` appended, because it may be the only way to
 * the guest. Sends nothing. Throws `GUEST_STORAGE`.
 *
 * @example
 * ```ts
 * const storage = memoryStorage();
 * const { id } = await signInGuest(client, { storage });
 * await forgetGuest(client, { storage });
 * (await signInGuest(client, { storage })).id === id; // → false
 * ```
 */
export function forgetGuest<G extends GameTypes = AnyGame>(client: Client<G>, options?: GuestOptions): Promise<void> {
  return orThrow(tryForgetGuest(client, options));
}

/**
 * The same as a value.
 *
 * @example
 * ```ts
 * const forgotten = await tryForgetGuest(client, { storage: memoryStorage() });
 * forgotten.ok; // → true
 * ```
 */
export function tryForgetGuest<G extends GameTypes = AnyGame>(client: Client<G>, options: GuestOptions = {}): Promise<Result<void>> {
  return withSecretStore(client, options, async (store) => {
    await store.setAside();
    client.player = null;
    return success(undefined);
  });
}

/**
 * Brings a guest to this device, by a recovery code, which works once, or by the guest's linked account. The secret of the guest that the
 * device was before stays in the storage, under the name with `:before` appended. Throws `GUEST_CODE_INVALID`, `GUEST_NOT_LINKED`, and what
 * `signInGuest` throws.
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
  const given = checkArguments(() => {
    requireKind('proof', proof, 'object');
    if ('code' in proof) requireKind('code', proof.code, 'string');
    else requireAccount(proof.account);
  });
  if (!given.ok) return Promise.resolve(given);
  return withSecretStore(client, options, async (store) => {
    const before = await store.read();
    const joining = before?.joining ?? newSecret();
    await store.write({ secret: joining, player: null, ...before, joining });
    const body = 'code' in proof ? { code: proof.code } : { account: accountBody(proof.account) };
    if (before !== null && before.player !== null) await store.keepBefore({ secret: before.secret, player: before.player });
    return register(client, store, joining, 'join', body, options);
  });
}

/** The guest that a client plays as. */
export class GuestPlayer {
  readonly #client: Client<GameTypes>;
  readonly #secret: string;
  /** The storage of the device's secret, and its name there. */
  readonly #storageOptions: GuestOptions;
  /** The player's id. */
  readonly id: string;

  /** @internal */
  constructor(client: Client<GameTypes>, secret: string, id: string, storageOptions: GuestOptions) {
    this.#client = client;
    this.#secret = secret;
    this.#storageOptions = storageOptions;
    this.id = id;
  }

  /**
   * Makes a new recovery code for the player to write down. It is shown once and works once. The previous code becomes invalid.
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
    return mapped(await this.#send('POST', 'code', {}, CODE, options), (body) => (body as GuestWithCode).code);
  }

  /**
   * The devices, the linked account, and whether there is a recovery code.
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
    return factsIn(await this.#send('GET', 'devices', undefined, FACTS, options));
  }

  /**
   * Links an account: whoever proves to own it can bring the guest to another device. The guest keeps its id. Throws `GUEST_CONFLICT`.
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
    return this.#sendWithAccount('link', account, options);
  }

  /**
   * Unlinks the account. It must be proven again, so that whoever finds a lost device cannot do it.
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
    return this.#sendWithAccount('unlink', account, options);
  }

  /**
   * Revokes a device at once, with every session that it opened. Throws `GUEST_CONFLICT` if nothing else leads to the guest.
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
    const given = checkArguments(() => requireKind('device', device, 'string'));
    if (!given.ok) return given;
    return factsIn(await this.#send('POST', 'revoke', { device }, FACTS, options));
  }

  /**
   * Signs this device out: the client has no player, and the next `signInGuest` makes a new guest. For a device that was revoked
   * (`PLATFORM_AUTH_FAILED` with `details.authFailureKind` `token_rejected`), or for another person at the same device. Sends nothing. The
   * secret stays in the storage under the name with `:before` appended, because it may be the only way to the guest. Throws
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
    return withSecretStore(this.#client, this.#storageOptions, async (store) => {
      const kept = await store.read();
      if (kept !== null && kept.secret === this.#secret) {
        await store.keepBefore({ secret: this.#secret, player: this.id });
        const { joining } = kept;
        // A join that got no answer may have succeeded, so its secret is kept.
        await (joining === undefined ? store.remove() : store.write({ secret: joining, player: null, joining }));
      }
      if (this.#client.player?.id === this.id) this.#client.player = null;
      return success(undefined);
    });
  }

  async #sendWithAccount(path: 'link' | 'unlink', account: Account, options?: RequestOptions): Promise<Result<GuestFacts>> {
    const given = checkArguments(() => requireAccount(account));
    if (!given.ok) return given;
    return factsIn(await this.#send('POST', path, { account: accountBody(account) }, FACTS, options));
  }

  #send(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    answer: AnswerShape,
    options?: RequestOptions,
  ): Promise<Result<unknown>> {
    const headers = { 'x-platform-id': this.id, 'x-platform-token': this.#secret };
    return sendGuestRequest(this.#client, { method, path: [path], headers, body, answer, options });
  }
}

function requireAccount(given: unknown): void {
  requireKind('account', given, 'object');
  const { id, token } = given as { readonly id?: unknown; readonly token?: unknown };
  requireKind('account.id', id, 'string');
  requireKind('account.token', token, 'string');
}

function accountBody({ id, token }: Account): object {
  return { platformId: id, token };
}

function factsIn(sent: Result<unknown>): Result<GuestFacts> {
  if (!sent.ok) return sent;
  const { devices, account, hasCode } = sent.value as Guest;
  if (!devices.every(isObject)) return strangeAnswer('a device is no object');
  return success({ devices: devices.map(({ id, joinedAt, asks }) => ({ id, joinedAt, isThis: asks })), account, hasCode });
}

/** Resolves to the body of the answer. All requests of these routes may be repeated: a repetition changes nothing. */
async function sendGuestRequest<G extends GameTypes>(
  client: Client<G>,
  request: Omit<ApiRequest, 'family' | 'isRepeatable'>,
): Promise<Result<unknown>> {
  return mapped(await client.connection.send({ ...request, family: 'guests', isRepeatable: true }), ({ body }) => body);
}

async function register<G extends GameTypes>(
  client: Client<G>,
  store: SecretStore,
  secret: string,
  route: 'register' | 'join',
  body: object,
  options: GuestOptions,
): Promise<Result<GuestPlayer>> {
  const headers = { 'x-platform-token': secret };
  const answer = await sendGuestRequest(client, { method: 'POST', path: [route], headers, body, answer: { player: 'string' }, options });
  if (!answer.ok) return answer;
  const { player } = answer.value as Guest;
  if (player === '') return strangeAnswer('it names no player');
  await store.write({ secret, player });
  return signIn(client, secret, player, options);
}

function signIn<G extends GameTypes>(client: Client<G>, secret: string, id: string, { storage, name }: GuestOptions): Result<GuestPlayer> {
  client.player = { id, token: secret };
  const storageOptions = { ...(storage && { storage }), ...(name !== undefined && { name }) };
  return success(new GuestPlayer(client as unknown as Client<GameTypes>, secret, id, storageOptions));
}
