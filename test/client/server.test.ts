import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  analyticsOf,
  answerGuest,
  type ClientOptions,
  createClient,
  credentials,
  guestRelay,
  inc,
  LIBRARY_VERSION,
  memoryStorage,
  openQueue,
  type Result,
  revisionOf,
} from '../../src/client/index.ts';
import { isOlder } from '../../src/client/version.ts';
import { endGame, type Game, network, startGame } from './support.ts';

/** What a client learns of the server: a wrong address, an old version, capabilities, whether it takes the secret key. */

let game: Game;
/** A server that is no game server. */
let other: Server;
let otherUrl: string;
beforeAll(async () => {
  game = await startGame();
  other = createServer((request, response) => {
    const isInfo = request.url?.startsWith('/old/') === true && request.url.endsWith('/server-info');
    if (isInfo) response.setHeader('content-type', 'application/json');
    response.statusCode = isInfo ? 200 : 404;
    response.end(isInfo ? '{"ok":true,"product":"acme","version":"0.0.9","capabilities":[]}' : '<h1>Not Found</h1>');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(async () => {
  other.close();
  await endGame(game);
});

const errorOf = (result: Result<unknown>) => (result.ok ? result.value : `${result.error.code}: ${result.error.message}`);
const playing = async (options: ClientOptions = {}) =>
  createClient({ ...game.options, player: await game.newRich(), retries: 0, ...options });

describe('a document is `null` only if it is not there; an error tells', () => {
  test('a collection that does not exist', async () => {
    const client = await playing();
    expect(await client.documents('players').get({ key: 'nobody' })).toBeNull();
    expect(errorOf(await client.documents('plyers').tryGet())).toContain('COLLECTION_NOT_FOUND: There is no collection "plyers"');
    expect(errorOf(await client.documents('plyers').tryEdit(() => ({})))).toContain('COLLECTION_NOT_FOUND');
    expect(errorOf(await client.tryQuery('nothing'))).toContain('NOT_FOUND: There is no query "nothing"');
  });

  test('also to a guest of a host', async () => {
    const [host, guest] = [await playing(), await playing()];
    const peer = guest.player?.id ?? '';
    guest.relay = guestRelay(guest, async (request) => JSON.parse(JSON.stringify(await answerGuest(host, request, peer))));
    expect(await guest.documents('bags').get()).toBeNull();
    expect(errorOf(await guest.documents('plyers').tryGet())).toContain('COLLECTION_NOT_FOUND');
  });

  test('a project that does not exist', async () => {
    expect(errorOf(await (await playing({ projectId: 'nothing' })).documents('players').tryGet())).toContain('UNAUTHORIZED');
  });

  test.each([
    ['with the version in it', () => `${game.options.url}/v3`],
    ['of another program', () => otherUrl],
  ])('an address %s, at the first request of any kind', async (_, url) => {
    const client = await playing({ url: url() });
    const told = `ROUTE_NOT_FOUND: \`url\`: no game server answers at ${url()}. Give it without /v3`;
    expect(errorOf(await client.documents('players').tryGet())).toContain(told);
    expect(errorOf(await client.documents('players').trySave({ gold: 1 }))).toContain(told);
    expect(errorOf(await client.tryCall('buy', { item: 'axe' }))).toContain(told);
    expect(errorOf(await client.tryValues())).toContain(told);
  });

  test('an old server, by its name', async () => {
    const client = await playing({ url: `${otherUrl}/old` });
    const told = `SERVER_OUTDATED: ${otherUrl}/old is acme 0.0.9; this library needs 0.1.0 or later`;
    expect(errorOf(await client.documents('players').tryGet())).toBe(told);
  });

  test('a name that no document can have, without blame for the address', async () => {
    expect(errorOf(await (await playing()).documents('players').tryGet({ key: 'constructor' }))).toContain('There is no such route');
  });
});

test('the writes of a queue stay in it while the address is wrong', async () => {
  const client = await playing({ url: otherUrl });
  client.connection.change({ sessions: false });
  const queue = await openQueue(client, { storage: memoryStorage() });
  await queue.update('players', inc('gold', 5));
  await vi.waitUntil(() => queue.state === 'blocked', 30_000);
  expect([queue.size, queue.error?.code]).toEqual([1, 'ROUTE_NOT_FOUND']);
  client.configure({ url: game.options.url });
  queue.flush();
  await queue.idle();
  expect(await client.documents('players').get()).toMatchObject({ gold: 15 });
  await queue.close();
});

test('every request says the version of the library and the kind of the program', async () => {
  const { fetch, sent } = network();
  const client = await playing({ fetch });
  await client.call('buy', { item: 'axe' });
  await client.documents('players').get();
  await analyticsOf(client).track('opened');
  await revisionOf(client).init();
  await client.supports('live');
  const told = sent.map(({ headers }) => `${headers['x-ns-library-version']} ${headers['x-ns-client-type']}`);
  expect(told).toEqual(sent.map(() => `${LIBRARY_VERSION} game`));
  expect(sent.length).toBeGreaterThan(5);
});

test('the version of the library is that of its package', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(LIBRARY_VERSION).toBe(version);
});

test.each([
  ['0.0.9', '0.1.0', true],
  ['0.1.0', '0.1.0', false],
  ['0.10.0', '0.9.0', false],
  ['1.2.3', '1.10.0', true],
])('%s is older than %s: %s', (version, than, expected) => expect(isOlder(version, than)).toBe(expected));

test('capabilities of the server are read once, and anew from another server', async () => {
  const { fetch, sent } = network();
  const client = await playing({ fetch });
  expect([await client.supports('live'), await client.supports('teleport'), (await client.serverInfo()).product]).toEqual([
    ...[true, false],
    'savepoint',
  ]);
  expect(sent).toHaveLength(1);
  client.configure({ url: `${otherUrl}/old` });
  expect(await client.supports('live')).toBe(false);
  client.configure({ url: otherUrl });
  expect(errorOf(await client.trySupports('live'))).toContain('ROUTE_NOT_FOUND');
});

describe('the secret key of a dedicated server', () => {
  const dedicated = (options: ClientOptions) => createClient({ ...game.options, clientType: 'dedicated', retries: 0, ...options });

  test('is shown to the server once, before anything else, also where clients are made of this one', async () => {
    const { fetch, sent } = network();
    const client = dedicated({ fetch, secretKey: game.manager.secretKey });
    await client.values();
    await client.as(game.newPlayer()).documents('players').get();
    client.configure({ timeoutMs: 5_000 });
    await client.values();
    expect(sent.map(({ path }) => path.split('/').at(-1))).toEqual([
      'validate',
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
  });

  test('that the server does not take is refused at the start, with the reason, and asked for again', async () => {
    const { fetch, sent } = network();
    const client = dedicated({ fetch, secretKey: 'sp_sk_wrong' });
    const told = `SECRET_KEY_INVALID: The server does not take the secret key of the project ${game.options.projectId}`;
    expect(errorOf(await client.tryValues())).toContain(told);
    expect(errorOf(await client.documents('players').tryGet({ key: 'x' }))).toContain(told);
    expect(sent.map(({ path }) => path.split('/').at(-1))).toEqual(['validate', 'validate']);
    client.configure({ secretKey: game.manager.secretKey });
    expect((await client.tryValues()).ok).toBe(true);
  });

  test('does not keep a server from starting that cannot ask now', async () => {
    const { fetch, sent } = network('lost');
    expect((await dedicated({ fetch, secretKey: game.manager.secretKey }).tryValues()).ok).toBe(true);
    expect(sent).toHaveLength(2);
  });

  test.each([
    [['+network_storage_secret_key', 'sp_sk_flag']],
    [['+network_storage_secret_key=sp_sk_flag']],
    [['+map', 'north', '+network_storage_secret_key', 'sp_sk_flag', '+players', '8']],
  ])('is taken from the launch flags %j, before the environment, by dedicated servers alone', async (flags) => {
    const { argv } = process;
    process.argv = [...argv, ...flags];
    vi.stubEnv('SAVEPOINT_SECRET_KEY', 'sp_sk_environment');
    vi.stubEnv('SAVEPOINT_URL', game.options.url);
    vi.stubEnv('SAVEPOINT_PROJECT', game.options.projectId);
    vi.stubEnv('SAVEPOINT_PUBLIC_KEY', game.options.publicKey);
    try {
      expect(credentials().secretKey).toBe('sp_sk_flag');
      const [own, players] = [network(), network()];
      await createClient({ clientType: 'dedicated', fetch: own.fetch }).tryValues();
      await createClient({ fetch: players.fetch }).tryValues();
      expect([own, players].map(({ sent }) => sent.map(({ headers }) => headers['x-secret-key']))).toEqual([['sp_sk_flag'], [undefined]]);
    } finally {
      process.argv = argv;
      vi.unstubAllEnvs();
    }
  });
});
