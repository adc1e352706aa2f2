import { isObject } from './answer.ts';
import { checkArguments, requireClient } from './arguments.ts';
import type { Client } from './client.ts';
import { failure, type Result } from './errors.ts';
import type { GameTypes } from './game.ts';
import type { GuestRequest, HostAnswer } from './guest.ts';
import type { ApiRequest, HeaderMap } from './request.ts';
import { proxySignature } from './seal.ts';

/** The host of a game: it sends its guests' requests in their names, each signed for one endpoint or collection. */

/**
 * Carries out a guest's request. `peer`: the player that the request came from, according to the game's network; a guest cannot act for
 * anybody else. Never throws. Send the answer to the guest as it is.
 *
 * @example
 * ```ts
 * const guest = createClient({ url, projectId, publicKey, player: '76561198000000002' });
 * guest.relay = guestRelay(guest, (request) => answerGuest(client, request, '76561198000000002'));
 * (await guest.documents('players').get()).gold; // → 50
 * ```
 */
export async function answerGuest<G extends GameTypes>(client: Client<G>, request: unknown, peer: string): Promise<HostAnswer> {
  const result = await handleRequest(client, request, peer);
  if (result.ok) return { ok: true, body: result.value };
  const { code, message, status, body, retryAfterMs, details } = result.error;
  const more = { ...(body === undefined ? {} : { body }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return { ok: false, error: { ...details, code, message, status }, ...more };
}

async function handleRequest<G extends GameTypes>(client: Client<G>, request: unknown, peer: string): Promise<Result<unknown>> {
  const given = checkArguments(() => requireClient(client));
  if (!given.ok) return given;
  const ready = await client.connection.ready();
  if (!ready.ok) return ready;
  const { projectId, publicKey, secretKey } = ready.value;
  if (!isRequest(request)) return failure('INVALID_ARGUMENT', 'This is not a request of a guest');
  if (request.player !== peer) return failure('INVALID_ARGUMENT', `The guest is ${peer}, but the request names ${request.player}`);
  if (request.projectId !== projectId || request.target !== client.publishTarget) {
    return failure('INVALID_ARGUMENT', 'The guest plays another project or target than the host');
  }
  const { settings, status } = client.revision;
  if (settings.autoDisconnectHost && status?.isOutdated)
    return failure('REVISION_OUTDATED', 'The host plays an outdated version of the game, and takes no more guests', { status: 409 });
  const { player, token, slug, collection = '', document = '' } = request;
  const purpose = slug ?? `storage-${collection}`;
  const isOwn = client.player?.id === player;
  const onBehalf: HeaderMap = isOwn
    ? {}
    : secretKey
      ? { 'x-on-behalf-of': player }
      : {
          'x-on-behalf-of': player,
          'x-on-behalf-of-token': token,
          'x-proxy-signature': await proxySignature(publicKey, projectId, purpose, player, token),
        };
  const common = { headers: onBehalf, player: 'token', isRepeatable: true } as const;
  const ask: ApiRequest =
    slug === undefined
      ? { ...common, method: 'GET', family: 'storage', path: [collection, document] }
      : {
          ...common,
          ...callOf(request),
          method: 'POST',
          family: 'endpoints',
          path: [slug],
          body: request.body ?? {},
          refusesWith200: true,
          answer: 'any',
        };
  const sent = await client.connection.send(ask);
  return sent.ok ? { ok: true, value: sent.value.body } : sent;
}

const callOf = ({ key }: GuestRequest) => (key === undefined ? { isRepeatable: false } : { key });

/** Validates a request. It comes from a guest's computer and cannot be trusted. */
function isRequest(request: unknown): request is GuestRequest {
  if (!isObject(request) || request['v'] !== 1) return false;
  const texts = ['projectId', 'target', 'player', 'token'].every((name) => typeof request[name] === 'string');
  const { slug, key, collection, document } = request;
  const isCall = typeof slug === 'string' && (key === undefined || typeof key === 'string');
  return texts && (isCall || (slug === undefined && typeof collection === 'string' && typeof document === 'string'));
}
