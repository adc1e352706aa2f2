import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { proxySignature } from '../../../src/domain/security/proxy-signature.ts';
import { ok, PLAYER } from '../../node/support/game-client.ts';
import { type Came, type LiveClient, listen } from '../../support/live-stream.ts';
import { type Opened, openNode, proofOf, session, settings, tokenFor, tokenIn } from '../security/support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** What a stream may send is looked at again whenever that changes, also where nothing is to be sent. */

const HOST = '76561198000000077';
const OTHER = '76561198000000078';
const SAVES = { id: 'saves', name: 'saves', collectionType: 'per-platformid', accessMode: 'public', schema: {} };
const NOTES = { ...SAVES, id: 'notes', name: 'notes' };

let node: Opened;
const clients: LiveClient[] = [];

beforeAll(async () => {
  node = await openNode();
  const { game } = node;
  await ok(game.manage('PUT', game.definitions('collections'), { body: [SAVES, NOTES] }));
  for (const player of [PLAYER, OTHER]) await ok(game.manage('POST', game.storage(`saves/${player}`), { body: { of: player } }));
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  vi.restoreAllMocks();
});
afterAll(() => node?.close());

const PROVEN = { requirePlayerAuth: true, enableAuthSessions: true, authSessionTtlSeconds: 60 };
const OPEN = { requirePlayerAuth: false, enableAuthSessions: true, authSessionTtlSeconds: 60 };

async function open(headers: Readonly<Record<string, string>>, topics: readonly string[] = ['documents/saves']): Promise<LiveClient> {
  const { url, projectId, publicKey } = node.game;
  const client = await listen(url, projectId, topics, { 'x-public-key': publicKey, ...headers });
  clients.push(client);
  expect(client.status).toBe(200);
  return client;
}

const isValue = ({ event, data }: Came) => event === 'message' && data.value !== null;
const isEnd = ({ event, data }: Came) => event === 'refused' && data.topic === undefined;

async function endOf(client: LiveClient): Promise<unknown> {
  const { data } = await client.next(isEnd);
  await client.ended;
  return data.error;
}

const newSession = (player: string) => tokenIn(session(node.game, 'create', proofOf(player), { platformId: player }));
const holding = (player: string, token: string) => ({ 'x-platform-id': player, 'x-auth-session': token });

test('a stream whose session is revoked ends and says so', async () => {
  await settings(node.game, PROVEN);
  const token = await newSession(PLAYER);
  const client = await open(holding(PLAYER, token));
  expect((await client.next(isValue)).data.value).toEqual({ of: PLAYER });
  const another = await open(proofOf(OTHER));
  await another.next(isValue);
  await ok(session(node.game, 'revoke', { 'x-auth-session': token }));
  expect(await endOf(client)).toMatchObject({ code: 'AUTH_SESSION_INVALID', status: 401, message: expect.stringMatching(/./) });
  await ok(node.game.manage('POST', node.game.storage(`saves/${OTHER}`), { body: { of: OTHER, still: true } }));
  await another.next(({ data }) => Object(data.value).still === true);
});

test('a stream whose session expires ends and says so, although nothing was to be sent', async () => {
  await settings(node.game, PROVEN);
  const token = await newSession(PLAYER);
  // Near its end: no session is shorter than a minute.
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 57_000);
  const client = await open(holding(PLAYER, token));
  await client.next(isValue);
  expect(await endOf(client)).toMatchObject({ code: 'AUTH_SESSION_EXPIRED', status: 401 });
});

test("a stream on behalf of a player ends with its host's session", async () => {
  await settings(node.game, PROVEN);
  const { projectId, publicKey } = node.game;
  const [token, guest] = [await newSession(HOST), tokenFor(OTHER)];
  const signature = proxySignature(publicKey, { projectId, scope: 'storage-saves', player: OTHER, token: guest });
  const client = await open({
    ...proofOf(HOST),
    ...{ 'x-auth-session': token, 'x-on-behalf-of': OTHER, 'x-on-behalf-of-token': guest, 'x-proxy-signature': signature },
  });
  expect((await client.next(isValue)).data.value).toMatchObject({ of: OTHER });
  await ok(session(node.game, 'revoke', { 'x-auth-session': token }));
  expect(await endOf(client)).toMatchObject({ code: 'AUTH_SESSION_INVALID' });
});

test('a stream of a player who is only named ends where players have to be proven from now on', async () => {
  await settings(node.game, OPEN);
  const client = await open({ 'x-platform-id': PLAYER });
  await client.next(isValue);
  await settings(node.game, PROVEN);
  expect(await endOf(client)).toMatchObject({ code: 'PLATFORM_AUTH_FAILED', status: 401 });
});

test('a topic that a promotion closes is refused, the others of its stream go on, and it comes back when it is opened', async () => {
  await settings(node.game, OPEN);
  const { game } = node;
  const promote = async (read: 'public' | 'endpoints') => {
    const body = { ...SAVES, accessMode: 'endpoint', access: { read, write: 'endpoints' } };
    await ok(game.manage('PATCH', game.definitions('collections'), { body, headers: { 'x-ns-publish-target': 'next' } }));
    await ok(game.manage('POST', game.definitions('promote'), { body: {} }));
  };
  const client = await open({ 'x-platform-id': PLAYER }, ['documents/saves', 'documents/notes']);
  await client.next(({ data }) => data.topic === 'documents/saves');
  await promote('endpoints');
  const refused = await client.next(({ event }) => event === 'refused');
  expect(refused.data).toMatchObject({ topic: 'documents/saves', error: { code: 'ENDPOINT_ONLY', status: 403 } });
  await ok(game.play('POST', game.storage(`notes/${PLAYER}`), { body: { here: true } }));
  await client.next(({ data }) => data.topic === 'documents/notes' && data.value !== null);
  await promote('public');
  await client.next(({ event, data }) => event === 'message' && data.topic === 'documents/saves');
});

test('the streams of a project that is switched off end', async () => {
  await settings(node.game, OPEN);
  const client = await open({ 'x-platform-id': PLAYER }, ['documents/notes']);
  await client.next(isValue);
  await settings(node.game, { enabled: false });
  expect(await endOf(client)).toMatchObject({ code: expect.stringMatching(/DISABLED/) });
});
