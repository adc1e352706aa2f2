import type { GuestPass } from '../contract/answers.ts';
import { requireClient, requireKind, requireOptions } from './arguments.ts';
import type { Client } from './client.ts';
import { proofByToken } from './connection.ts';
import { type ErrorCode, failure, type Result, SavepointError, success } from './errors.ts';
import { aborted } from './exchange.ts';
import type { GameTypes } from './game.ts';
import { isGuestSecret } from './guest-secret.ts';
import type { PublishTarget, RequestOptions } from './options.ts';
import type { Relay } from './relay.ts';
import { pause } from './retry.ts';

/** A guest of a host: its calls and reads of documents go over the game's own network, to the host, which sends them on. */

/** What a guest asks its host for. Plain JSON. */
export interface GuestRequest {
  readonly v: 1;
  readonly projectId: string;
  readonly target: PublishTarget;
  readonly player: string;
  /** The player's own token, as consent; may be empty. */
  readonly token: string;
  /** For a call: its slug, body and idempotency key. */
  readonly slug?: string;
  readonly body?: unknown;
  readonly key?: string;
  /** For the read of a document. */
  readonly collection?: string;
  readonly document?: string;
}

/** What the host gives back. Plain JSON. */
export type HostAnswer =
  | { readonly ok: true; readonly body: unknown }
  | {
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string; readonly status: number };
      readonly body?: unknown;
      readonly retryAfterMs?: number;
    };

const ATTEMPTS = 3;
const PAUSE_MS = 300;
const TIMEOUT_MS = 30_000;

/** How a guest goes through its host. */
export interface RelayOptions {
  /**
   * The player who hosts; left out: a dedicated server does. Players of `signInGuest` say it: what they give the host in place of their secret
   * is good for this player alone.
   */
  readonly host?: string;
}

/** A pass is replaced this long before it expires, ms. */
const PASS_MARGIN_MS = 60_000;

/**
 * The way through a host. `send` brings a message to the host and its answer back; one that is lost is sent again, and happens once.
 * `client.relay = null` when the player becomes the host.
 *
 * @example
 * ```ts
 * const host = createClient({ url, projectId, publicKey, player: '76561198000000001' });
 * const guest = client.player;
 * client.relay = guestRelay(client, (request) => answerGuest(host, request, guest.id));
 * (await client.call('buy', { item: 'axe' })).left; // → 3
 * ```
 */
export function guestRelay<G extends GameTypes>(
  client: Client<G>,
  send: (request: GuestRequest) => Promise<HostAnswer>,
  options: RelayOptions = {},
): Relay {
  requireClient(client);
  requireKind('send', send, 'function');
  requireOptions(options);
  const { host } = options;
  const passes = new Passes(client, host);
  const ask = async (what: Partial<GuestRequest>, asked: RequestOptions = {}): Promise<Result<unknown>> => {
    const { connection } = client;
    const ready = await connection.ready();
    if (!ready.ok) return ready;
    const { projectId, player } = ready.value;
    if (player === null) return failure('NO_PLAYER', 'A guest is a player: give `player` to the client');
    const target = client.publishTarget;
    let isRenewed = false;
    for (let attempt = 1; ; attempt++) {
      // A token may be good for one use only.
      const own = (await proofByToken(player))['x-platform-token'] ?? '';
      const proof = isGuestSecret(own) ? await passes.of(own, asked) : success(own);
      if (!proof.ok) return proof;
      const result = await carried(send({ v: 1, projectId, target, player: player.id, token: proof.value, ...what }), asked);
      // A pass that was refused is not shown again. It may have expired while the machine slept.
      const isRefused = !result.ok && result.error.code === 'PLATFORM_AUTH_FAILED' && passes.forget();
      if (isRefused && !isRenewed) {
        isRenewed = true;
        continue;
      }
      if (result.ok || result.error.code !== 'PROXY_FAILED' || attempt === ATTEMPTS) return result;
      if (!(await pause(PAUSE_MS * attempt, asked.signal))) return aborted(asked.signal);
    }
  };
  return {
    call: (slug, body, key, more) => ask({ slug, body, key }, more),
    document: (collection, document, more) => ask({ collection, document }, more),
  };
}

/** What a device gives its host in place of its secret, with which the host would be the player for good. */
class Passes<G extends GameTypes> {
  readonly #client: Client<G>;
  readonly #host: string | undefined;
  #kept: { readonly secret: string; readonly pass: string; readonly until: number } | null = null;

  constructor(client: Client<G>, host: string | undefined) {
    this.#client = client;
    this.#host = host;
  }

  async of(secret: string, options: RequestOptions): Promise<Result<string>> {
    if (this.#kept?.secret === secret && performance.now() < this.#kept.until) return success(this.#kept.pass);
    const host = this.#host;
    // A dedicated server's key stands for itself.
    if (host === undefined) return success('');
    const began = performance.now();
    const { connection } = this.#client;
    const sent = await connection.send({
      method: 'POST',
      family: 'guests',
      path: ['pass'],
      body: { host },
      player: 'token',
      repeats: true,
      options,
    });
    if (!sent.ok) return sent;
    const { pass, expiresInSeconds } = sent.value.body as GuestPass;
    this.#kept = { secret, pass, until: began + expiresInSeconds * 1000 - PASS_MARGIN_MS };
    return success(pass);
  }

  /** Returns whether there was one. */
  forget(): boolean {
    const kept = this.#kept;
    this.#kept = null;
    return kept !== null;
  }
}

async function carried(answering: Promise<HostAnswer>, { timeoutMs = TIMEOUT_MS, signal }: RequestOptions): Promise<Result<unknown>> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener('abort', end);
  try {
    const answer = await Promise.race([answering, pause(timeoutMs, ending.signal).then(() => null)]);
    if (answer !== null) return resultOf(answer);
    return signal?.aborted === true ? aborted(signal) : failure('PROXY_FAILED', `The host gave no answer within ${timeoutMs} ms`);
  } catch (cause) {
    return failure('PROXY_FAILED', `The host could not be asked: ${String(cause)}`, { cause });
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

function resultOf(answer: HostAnswer): Result<unknown> {
  if (answer.ok) return success(answer.body);
  const { code, message, status } = answer.error;
  const facts = { status, body: answer.body, details: answer.error, retryAfterMs: answer.retryAfterMs };
  return { ok: false, error: new SavepointError(code as ErrorCode, message, facts) };
}
