import { randomBytes } from 'node:crypto';
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

/** The wall clock goes on by so much. */
function passed(ms: number): void {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

function guests(what: string, headers: Readonly<Record<string, string>>, body?: object) {
  const { game } = node;
  return game.send('POST', `/v3/guests/${game.projectId}/${what}`, { headers: { 'x-public-key': game.publicKey, ...headers }, body });
}

async function newGuest(): Promise<Record<string, string>> {
  const secret = { 'x-platform-token': `ns_guest_${randomBytes(32).toString('base64url')}` };
  return { ...secret, 'x-platform-id': String(Object((await ok(guests('register', secret))).body).player) };
}

/** What a host sends who asks for another player's documents in `saves`. */
function through(host: Readonly<Record<string, string>>, player: string, token: string): Record<string, string> {
  const { projectId, publicKey } = node.game;
  const signature = proxySignature(publicKey, { projectId, purpose: 'storage-saves', player, token });
  return { ...host, 'x-on-behalf-of': player, 'x-on-behalf-of-token': token, 'x-proxy-signature': signature };
}

test('a session that is revoked ends its stream and says so', async () => {
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

test('a session that expires ends its stream and says so, even if nothing was to be sent', async () => {
  await settings(node.game, PROVEN);
  const client = await open(holding(PLAYER, await newSession(PLAYER)));
  await client.next(isValue);
  passed(61_000);
  expect(await endOf(client)).toMatchObject({ code: 'AUTH_SESSION_EXPIRED', status: 401 });
});

test("a stream through a host ends when its guest's pass is over, and others of the node go on", async () => {
  await settings(node.game, { ...PROVEN, guestSignIn: true });
  const guest = await newGuest();
  const pass = Object((await ok(guests('pass', guest, { host: HOST }))).body).pass;
  const lasting = { 'x-platform-id': HOST, 'x-platform-token': tokenFor(HOST, undefined, Math.floor(Date.now() / 1000) + 3_600) };
  const client = await open(through(lasting, String(guest['x-platform-id']), pass));
  await client.next(({ event }) => event === 'message');
  const another = await open(proofOf(OTHER));
  await another.next(isValue);
  passed(601_000);
  expect(await endOf(client)).toMatchObject({ code: 'PLATFORM_AUTH_FAILED', message: expect.stringContaining('over') });
  expect(another.told.every(({ event }) => event === 'message')).toBe(true);
});

test("a stream through a host who is a guest ends when the host's device is shut out", async () => {
  await settings(node.game, { ...PROVEN, guestSignIn: true });
  const [guest, host] = [await newGuest(), await newGuest()];
  await ok(guests('code', host));
  const { device } = Object((await ok(guests('register', host))).body);
  const pass = Object((await ok(guests('pass', guest, { host: host['x-platform-id'] }))).body).pass;
  const client = await open(through(host, String(guest['x-platform-id']), pass));
  await client.next(({ event }) => event === 'message');
  await ok(guests('revoke', host, { device }));
  expect(await endOf(client)).toMatchObject({ code: 'PLATFORM_AUTH_FAILED' });
});

test("a stream on behalf of a player ends with its host's session", async () => {
  await settings(node.game, PROVEN);
  const token = await newSession(HOST);
  const client = await open(through({ ...proofOf(HOST), 'x-auth-session': token }, OTHER, tokenFor(OTHER)));
  expect((await client.next(isValue)).data.value).toMatchObject({ of: OTHER });
  await ok(session(node.game, 'revoke', { 'x-auth-session': token }));
  expect(await endOf(client)).toMatchObject({ code: 'AUTH_SESSION_INVALID' });
});

test('a stream of an unproven player ends when the project begins to require proof', async () => {
  await settings(node.game, OPEN);
  const client = await open({ 'x-platform-id': PLAYER });
  await client.next(isValue);
  await settings(node.game, PROVEN);
  expect(await endOf(client)).toMatchObject({ code: 'PLATFORM_AUTH_FAILED', status: 401 });
});

test('a topic that a promotion closes is refused while the other topics go on, and resumes when it is opened again', async () => {
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

test('a query that cannot be run is refused as a topic, while the stream goes on, opens again, and has the value once it is mended', async () => {
  await settings(node.game, OPEN);
  const { game } = node;
  const define = (type: string) =>
    ok(
      game.manage('POST', game.definitions('queries'), {
        body: [{ id: 'odd', name: 'odd', type, requiresSecretKey: false, sources: [{ collectionId: 'notes' }], config: { field: 'n' } }],
      }),
    );
  const topics = ['query/odd', 'documents/notes'];
  const isRefused = ({ event, data }: Came) => event === 'refused' && data.topic === 'query/odd' && data.error?.code === 'QUERY_FAILED';
  const write = (n: number) => ok(game.play('POST', game.storage(`notes/${PLAYER}`), { body: { n } }));
  const isNote =
    (n: number) =>
    ({ data }: Came) =>
      data.topic === 'documents/notes' && Object(data.value).n === n;
  await define('sum');
  const client = await open({ 'x-platform-id': PLAYER }, topics);
  await client.ever(({ event, data }) => event === 'message' && data.topic === 'query/odd');
  await define('of the future');
  await client.next(isRefused);
  const again = await open({ 'x-platform-id': PLAYER }, topics);
  await again.ever(isRefused);
  await write(1);
  for (const one of [client, again]) await one.ever(isNote(1));
  await define('sum');
  for (const one of [client, again]) await one.next(({ event, data }) => event === 'message' && data.topic === 'query/odd');
});

test('the streams of a project that is switched off end', async () => {
  await settings(node.game, OPEN);
  const client = await open({ 'x-platform-id': PLAYER }, ['documents/notes']);
  await client.next(isValue);
  await settings(node.game, { enabled: false });
  expect(await endOf(client)).toMatchObject({ code: expect.stringMatching(/DISABLED/) });
});
