import { isObject } from './answer.ts';
import { looked, requireClient } from './arguments.ts';
import type { Client } from './client.ts';
import type { Ask, Headings } from './connection.ts';
import { failure, type Result } from './errors.ts';
import type { GameTypes } from './game.ts';
import type { GuestRequest, HostAnswer } from './guest.ts';
import { proxySignature } from './seal.ts';

/** The host of a game: it sends what its guests ask for, in their names, signed for one endpoint or collection. */

/**
 * Does what a guest asks for. `peer`: the player that the game's network says it came from; a guest can speak for nobody else. Never
 * throws: the answer goes back to the guest as it is.
 *
 * @example
 * ```ts
 * const guest = createClient({ url, projectId, publicKey, player: '76561198000000002' });
 * guest.relay = guestRelay(guest, (request) => answerGuest(client, request, '76561198000000002'));
 * (await guest.documents('players').get()).gold; // → 50
 * ```
 */
export async function answerGuest<G extends GameTypes>(client: Client<G>, request: unknown, peer: string): Promise<HostAnswer> {
  const result = await answered(client, request, peer);
  if (result.ok) return { ok: true, body: result.value };
  const { code, message, status, body, retryAfterMs, details } = result.error;
  const more = { ...(body === undefined ? {} : { body }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return { ok: false, error: { ...details, code, message, status }, ...more };
}

async function answered<G extends GameTypes>(client: Client<G>, request: unknown, peer: string): Promise<Result<unknown>> {
  const given = looked(() => requireClient(client));
  if (!given.ok) return given;
  const ready = await client.connection.ready();
  if (!ready.ok) return ready;
  const { projectId, publicKey, secretKey } = ready.value;
  if (!isRequest(request)) return failure('INVALID_ARGUMENT', 'This is no request of a guest');
  if (request.player !== peer) return failure('INVALID_ARGUMENT', `The guest is ${peer}, and asks as ${request.player}`);
  if (request.projectId !== projectId || request.target !== client.publishTarget) {
    return failure('INVALID_ARGUMENT', 'The guest plays another project or target than the host');
  }
  const { player, token, slug, collection = '', document = '' } = request;
  const purpose = slug ?? `storage-${collection}`;
  const isOwn = client.player?.id === player;
  const onBehalf: Headings = isOwn
    ? {}
    : secretKey
      ? { 'x-on-behalf-of': player }
      : {
          ...{ 'x-on-behalf-of': player, 'x-on-behalf-of-token': token },
          'x-proxy-signature': await proxySignature(publicKey, projectId, purpose, player, token),
        };
  const common = { headers: onBehalf, player: 'token', repeats: true } as const;
  const ask: Ask =
    slug === undefined
      ? { ...common, method: 'GET', family: 'storage', path: [collection, document] }
      : { ...common, ...callOf(request), method: 'POST', family: 'endpoints', path: [slug], body: request.body ?? {}, refusesInside: true };
  const sent = await client.connection.send(ask);
  return sent.ok ? { ok: true, value: sent.value.body } : sent;
}

const callOf = ({ key }: GuestRequest) => (key === undefined ? { repeats: false } : { key });

/** A guest's computer made the request, so nothing in it is trusted before it is checked. */
function isRequest(request: unknown): request is GuestRequest {
  if (!isObject(request) || request['v'] !== 1) return false;
  const texts = ['projectId', 'target', 'player', 'token'].every((name) => typeof request[name] === 'string');
  const { slug, key, collection, document } = request;
  const isCall = typeof slug === 'string' && (key === undefined || typeof key === 'string');
  return texts && (isCall || (slug === undefined && typeof collection === 'string' && typeof document === 'string'));
}
