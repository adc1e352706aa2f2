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
  /** The player's own, as consent; may be empty. */
  readonly token: string;
  /** Of a call: its slug, body and idempotency key. */
  readonly slug?: string;
  readonly body?: unknown;
  readonly key?: string;
  /** Of the read of a document. */
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
export function guestRelay<G extends GameTypes>(client: Client<G>, send: (request: GuestRequest) => Promise<HostAnswer>): Relay {
  const ask = async (what: Partial<GuestRequest>, options: RequestOptions = {}): Promise<Result<unknown>> => {
    const { connection } = client;
    const ready = await connection.ready();
    if (!ready.ok) return ready;
    const { projectId, player } = ready.value;
    if (player === null) return failure('NO_PLAYER', 'A guest is a player: give `player` to the client');
    const target = client.publishTarget;
    for (let attempt = 1; ; attempt++) {
      // A token may be good for one use.
      const token = (await proofByToken(player))['x-platform-token'] ?? '';
      if (isGuestSecret(token))
        return failure('INVALID_ARGUMENT', "A device's secret is not given to a host: whoever has it is the player for good");
      const result = await carried(send({ v: 1, projectId, target, player: player.id, token, ...what }), options);
      if (result.ok || result.error.code !== 'PROXY_FAILED' || attempt === ATTEMPTS) return result;
      if (!(await pause(PAUSE_MS * attempt, options.signal))) return aborted(options.signal);
    }
  };
  return {
    call: (slug, body, key, options) => ask({ slug, body, key }, options),
    document: (collection, document, options) => ask({ collection, document }, options),
  };
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
