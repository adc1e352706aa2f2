import { type Answer, isObject } from './answer.ts';
import { checkArguments, requireClient } from './arguments.ts';
import type { Client } from './client.ts';
import { failure, type Result, type SavepointError, success } from './errors.ts';
import type { GameTypes } from './game.ts';
import type { GuestRequest, HostAnswer } from './guest.ts';
import { inexactNumbers } from './json-text.ts';
import type { JsonCodec } from './options.ts';
import type { ApiRequest, HeaderMap } from './request.ts';
import { revisionOf } from './revision.ts';
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
  const given = checkArguments(() => requireClient(client));
  if (!given.ok) return refusal(given.error);
  const result = await handleRequest(client, request, peer);
  const answer = result.ok ? answerOf(result.value) : refusal(result.error);
  const { json } = client.connection.options;
  // A codec may have read numbers as objects of its own.
  return json === undefined ? answer : JSON.parse(json.stringify(answer));
}

function answerOf({ body, headers, text }: Answer): HostAnswer {
  const version = Number(headers.get('x-ns-save-version') ?? 0);
  return { ok: true, body, version, ...(inexactNumbers(text) !== undefined && { text }) };
}

function refusal({ code, message, status, body, retryAfterMs, details }: SavepointError): HostAnswer {
  const more = { ...(body === undefined ? {} : { body }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return { ok: false, error: { ...details, code, message, status }, ...more };
}

async function handleRequest<G extends GameTypes>(client: Client<G>, request: unknown, peer: string): Promise<Result<Answer>> {
  const ready = await client.connection.ready();
  if (!ready.ok) return ready;
  const { projectId, publicKey, secretKey, json } = ready.value;
  if (!isRequest(request)) return failure('INVALID_ARGUMENT', 'This is not a request of a guest');
  if (request.player !== peer) return failure('INVALID_ARGUMENT', `The guest is ${peer}, but the request names ${request.player}`);
  if (request.projectId !== projectId || request.target !== client.publishTarget) {
    return failure('INVALID_ARGUMENT', 'The guest plays another project or target than the host');
  }
  const { settings, status } = revisionOf(client);
  if (settings.autoDisconnectHost && status?.isOutdated)
    return failure('REVISION_OUTDATED', 'The host plays an outdated version of the game, and takes no more guests', { status: 409 });
  const body = bodyOf(request, json);
  if (!body.ok) return body;
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
          ...body.value,
          ...keyOf(request),
          method: 'POST',
          family: 'endpoints',
          path: [slug],
          refusesWith200: true,
          answer: 'any',
        };
  return client.connection.send(ask);
}

const keyOf = ({ key }: GuestRequest) => (key === undefined ? { isRepeatable: false } : { key });

/** The body of a call. One that came as a text keeps its numbers. */
function bodyOf({ body = {}, text }: GuestRequest, codec: JsonCodec | undefined): Result<Pick<ApiRequest, 'body' | 'exact'>> {
  if (text === undefined) return success({ body });
  try {
    return success({ body: (codec ?? JSON).parse(text), exact: codec === undefined ? inexactNumbers(text) : undefined });
  } catch (cause) {
    return failure('INVALID_ARGUMENT', 'The text of the guest is not JSON', { cause });
  }
}

/** Validates a request. It comes from a guest's computer and cannot be trusted. */
function isRequest(request: unknown): request is GuestRequest {
  if (!isObject(request) || request['v'] !== 1) return false;
  const texts = ['projectId', 'target', 'player', 'token'].every((name) => typeof request[name] === 'string');
  const { slug, key, text, collection, document } = request;
  const isCall = typeof slug === 'string' && [key, text].every((given) => given === undefined || typeof given === 'string');
  return texts && (isCall || (slug === undefined && typeof collection === 'string' && typeof document === 'string'));
}
