import type { GuestPass } from '../contract/answers.ts';
import { type Answer, isObject } from './answer.ts';
import { requireClient, requireKind, requireOptions } from './arguments.ts';
import type { Client } from './client.ts';
import { proofByToken } from './connection.ts';
import { type ErrorCode, failure, mapped, type Result, SavepointError, success } from './errors.ts';
import { aborted } from './exchange.ts';
import type { GameTypes } from './game.ts';
import { plainOf } from './json-text.ts';
import type { JsonCodec, PublishTarget, RequestOptions } from './options.ts';
import type { Relay } from './relay.ts';
import { pause } from './retry.ts';
import { isGuestSecret } from './secret-shapes.ts';

/** A guest of a host: its calls and reads of documents go over the game's own network to the host, which forwards them. */

/** A guest's request to its host. Plain JSON. */
export interface GuestRequest {
  readonly v: 1;
  readonly projectId: string;
  readonly target: PublishTarget;
  readonly player: string;
  /** The player's own token or pass, as consent; may be empty. */
  readonly token: string;
  /** Slug, body and idempotency key of a call. */
  readonly slug?: string;
  readonly body?: unknown;
  /** The body as it is sent, if it holds numbers that doubles do not. */
  readonly text?: string;
  readonly key?: string;
  /** Collection and key of a document to read. */
  readonly collection?: string;
  readonly document?: string;
}

/** The host's answer to a guest. Plain JSON. */
export type HostAnswer =
  | {
      readonly ok: true;
      readonly body: unknown;
      /** The body as the server printed it, if it holds numbers that doubles do not. */
      readonly text?: string;
      /** Of a document. */
      readonly version?: number;
    }
  | {
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string; readonly status: number };
      readonly body?: unknown;
      readonly retryAfterMs?: number;
    };

const ATTEMPTS = 3;
const PAUSE_MS = 300;
const TIMEOUT_MS = 30_000;

/** Options of a relay. */
export interface RelayOptions {
  /**
   * The player who hosts. Left out: a dedicated server hosts. Players of `signInGuest` must name it: they give the host a pass instead of
   * their secret, and the pass is valid for this player only.
   */
  readonly host?: string;
}

/** A pass is replaced this long before it expires, ms. */
const PASS_MARGIN_MS = 60_000;

/**
 * Sends a guest's requests through its host. `send` delivers a request to the host and returns the answer. A lost request is sent again,
 * and happens once. Set `client.relay = null` when the player becomes the host.
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
  const passes = new PassCache(client, host);
  const sendThroughHost = async (what: Partial<GuestRequest>, requestOptions: RequestOptions = {}): Promise<Result<Answer>> => {
    const { connection } = client;
    const ready = await connection.ready();
    if (!ready.ok) return ready;
    const { projectId, player } = ready.value;
    if (player === null) return failure('NO_PLAYER', 'A guest is a player: give `player` to the client');
    const target = client.publishTarget;
    let isRenewed = false;
    for (let attempt = 1; ; attempt++) {
      // Each attempt asks for a token of its own: it may be valid for one use only.
      const token = (await proofByToken(player))['x-platform-token'] ?? '';
      const proof = isGuestSecret(token) ? await passes.passFor(token, requestOptions) : success(token);
      if (!proof.ok) return proof;
      const sent = send({ v: 1, projectId, target, player: player.id, token: proof.value, ...what });
      const result = await withTimeout(sent, ready.value.json ?? JSON, requestOptions);
      // A refused pass is not used again. It may have expired while the machine slept.
      const isRefused = !result.ok && result.error.code === 'PLATFORM_AUTH_FAILED' && passes.forget();
      if (isRefused && !isRenewed) {
        isRenewed = true;
        continue;
      }
      if (result.ok || result.error.code !== 'PROXY_FAILED' || attempt === ATTEMPTS) return result;
      if (!(await pause(PAUSE_MS * attempt, requestOptions.signal))) return aborted(requestOptions.signal);
    }
  };
  return {
    call: async (slug, body, key, more) =>
      mapped(await sendThroughHost({ slug, key, ...plainOf(body, client.connection.options.json) }, more), (answer) => answer.body),
    document: (collection, document, more) => sendThroughHost({ collection, document }, more),
  };
}

/** Passes for the host. A device gives them instead of its secret, with which the host could act as the player for ever. */
class PassCache<G extends GameTypes> {
  readonly #client: Client<G>;
  readonly #host: string | undefined;
  #cached: { readonly secret: string; readonly pass: string; readonly validUntil: number } | null = null;

  constructor(client: Client<G>, host: string | undefined) {
    this.#client = client;
    this.#host = host;
  }

  async passFor(secret: string, options: RequestOptions): Promise<Result<string>> {
    if (this.#cached?.secret === secret && performance.now() < this.#cached.validUntil) return success(this.#cached.pass);
    const host = this.#host;
    // A dedicated server acts by its secret key and needs no pass.
    if (host === undefined) return success('');
    const began = performance.now();
    const { connection } = this.#client;
    const sent = await connection.send({
      method: 'POST',
      family: 'guests',
      path: ['pass'],
      body: { host },
      player: 'token',
      isRepeatable: true,
      answer: { pass: 'string', expiresInSeconds: 'value' },
      options,
    });
    if (!sent.ok) return sent;
    const { pass, expiresInSeconds } = sent.value.body as GuestPass;
    this.#cached = { secret, pass, validUntil: began + expiresInSeconds * 1000 - PASS_MARGIN_MS };
    return success(pass);
  }

  /** Drops the cached pass. Returns whether there was one. */
  forget(): boolean {
    const kept = this.#cached;
    this.#cached = null;
    return kept !== null;
  }
}

async function withTimeout(
  answering: Promise<HostAnswer>,
  { parse }: Pick<JsonCodec, 'parse'>,
  { timeoutMs = TIMEOUT_MS, signal }: RequestOptions,
): Promise<Result<Answer>> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener('abort', end);
  try {
    const result = await Promise.race([
      answering.then((answer) => resultOf(answer, parse)),
      pause(timeoutMs, ending.signal).then(() => null),
    ]);
    if (result !== null) return result;
    return signal?.aborted === true ? aborted(signal) : failure('PROXY_FAILED', `The host gave no answer within ${timeoutMs} ms`);
  } catch (cause) {
    return failure('PROXY_FAILED', `The host could not be asked: ${String(cause)}`, { cause });
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** The result in a host's answer, which came from another player's computer. Throws if its text is no JSON. */
function resultOf(answer: HostAnswer, parse: JsonCodec['parse']): Result<Answer> {
  if (!isObject(answer) || !(answer.ok === true || isObject(answer.error)))
    return failure('PROXY_FAILED', 'The answer of the host is none');
  if (answer.ok) {
    const { body, text, version } = answer;
    const headers = new Headers({ 'x-ns-save-version': String(Number(version ?? 0)) });
    return success(typeof text === 'string' ? { body: parse(text), headers, text } : { body, headers, text: '' });
  }
  const { code, message, status } = answer.error;
  const facts = { status, body: answer.body, details: answer.error, retryAfterMs: answer.retryAfterMs };
  return { ok: false, error: new SavepointError(code as ErrorCode, message, facts) };
}
