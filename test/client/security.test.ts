import { createHmac } from 'node:crypto';
import { parse, stringify } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerGuest,
  type Client,
  type ClientOptions,
  createClient,
  type GuestRequest,
  guestRelay,
  type JsonCodec,
  type RevisionOutdated,
  type RevisionStatus,
  revisionOf,
  set,
} from '../../src/client/index.ts';
import { ok } from '../node/support/game-client.ts';
import { endGame, type Game, type Network, network, newGame, type Sent, startGame } from './support.ts';

/** Sessions, sealed calls, hosts and revisions, on a project that demands proof of players. */

const SECRET = 'a login that players trust';
let first: Game;
beforeAll(async () => {
  first = await startGame({ VERIFIER: 'hmac', VERIFIER_SECRET: SECRET });
});
afterAll(() => endGame(first));

const another = () => newGame(first.node, first.env);

/** A token of the studio's login. */
function tokenOf(player: string): string {
  const expires = Math.floor(Date.now() / 1000) + 600;
  return `${expires}.${createHmac('sha256', SECRET).update(`${player}:${expires}`).digest('hex')}`;
}

/** A client of a proven player, which counts how often its token is fetched. */
function proven(game: Game, id: string, { fetch, sent }: Network = network(), options: ClientOptions = {}) {
  const asked = { times: 0 };
  const token = () => {
    asked.times++;
    return tokenOf(id);
  };
  return { client: createClient({ ...game.options, ...options, fetch, player: { id, token } }), sent, asked };
}

const NEEDED = { requirePlayerAuth: true };
const callsIn = (sent: readonly Sent[]) => sent.filter(({ path }) => path.includes('/endpoints/'));

describe('a player', () => {
  test('is proven by a token that is fetched for each request, and refused without one', async () => {
    const game = await another();
    await game.change(NEEDED);
    const id = await game.newRich();
    const { client, asked } = proven(game, id);
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    expect(await client.documents('players').get()).toMatchObject({ gold: 3 });
    expect(asked.times).toBe(2);
    const nobody = createClient({ ...game.options, player: id });
    expect(await nobody.tryCall('buy', { item: 'axe' })).toMatchObject({ ok: false, error: { code: 'PLATFORM_AUTH_FAILED', status: 401 } });
  });
});

describe('a session', () => {
  test('is opened before the first call, and proves the player from then on', async () => {
    const game = await another();
    await game.change({ ...NEEDED, enableAuthSessions: true });
    const { client, sent, asked } = proven(game, await game.newRich(100));
    await Promise.all([1, 2].map(() => client.call('buy', { item: 'axe' })));
    await client.documents('players').get();
    expect(asked.times).toBe(1);
    expect(sent.map(({ path }) => path.split('/')[2])).toEqual(['security-config', 'auth-sessions', 'endpoints', 'endpoints', 'storage']);
    expect(callsIn(sent)[0]).toMatchObject({ headers: { 'x-auth-session': expect.any(String), 'x-ns-security-mode': 'session' } });
    expect(callsIn(sent)[0]).not.toMatchObject({ headers: { 'x-platform-token': expect.any(String) } });
    expect(client.sessions.current).not.toBeNull();
  });

  test('that was revoked elsewhere is replaced, and the call succeeds', async () => {
    const game = await another();
    await game.change({ ...NEEDED, enableAuthSessions: true });
    const { client, asked } = proven(game, await game.newRich(100));
    await client.call('buy', { item: 'axe' });
    const revoked = { headers: { 'x-auth-session': client.sessions.current?.token ?? '' }, body: {} };
    await ok(game.manager.play('POST', `/v3/auth-sessions/${game.options.projectId}/revoke`, revoked));
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ price: 7 });
    expect(asked.times).toBe(2);
  });

  test('can be refreshed, re-authenticated and ended by the game', async () => {
    const game = await another();
    await game.change({ ...NEEDED, enableAuthSessions: true });
    const { client } = proven(game, await game.newRich());
    const ids = [await client.sessions.create(), await client.sessions.refresh(), await client.sessions.reauth()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(client.sessions.current?.id).toBe(ids[2]);
    await client.sessions.revoke();
    expect(client.sessions.current).toBeNull();
  });

  test('is refreshed before it expires', async () => {
    const game = await another();
    // The shortest: half of it is the margin.
    await game.change({ ...NEEDED, enableAuthSessions: true, authSessionTtlSeconds: 60 });
    const { client, sent } = proven(game, await game.newRich(100));
    await client.call('buy', { item: 'axe' });
    const now = performance.now.bind(performance);
    performance.now = () => now() + 40_000;
    try {
      await client.call('buy', { item: 'axe' });
    } finally {
      performance.now = now;
    }
    expect(sent.map(({ path }) => path.split('/').at(-1))).toContain('refresh');
  });

  test('belongs to one player', async () => {
    const game = await another();
    await game.change({ ...NEEDED, enableAuthSessions: true });
    const { client } = proven(game, await game.newRich());
    await client.sessions.create();
    client.player = game.newPlayer();
    expect(client.sessions.current).toBeNull();
  });
});

describe('a sealed call', () => {
  test.each([
    ['in the name of the player', {}, 'encrypted'],
    ['in the name of a session', { enableAuthSessions: true }, 'session+encrypted'],
  ])('%s is done, and shows nothing on its way', async (_, settings, mode) => {
    const game = await another();
    await game.change({ ...NEEDED, ...settings, enableEncryptedRequests: true });
    const { client, sent } = proven(game, await game.newRich());
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    const [call] = callsIn(sent);
    expect(call?.body).not.toContain('"axe"');
    expect(call?.headers['x-ns-security-mode']).toBe(mode);
  });

  test('is sealed again for each attempt, and happens once', async () => {
    const game = await another();
    await game.change({ enableEncryptedRequests: true });
    const { client, sent } = proven(game, await game.newRich(), network('as it is', 'answer lost'));
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    const calls = callsIn(sent);
    expect(calls).toHaveLength(2);
    expect(calls[0]?.body).not.toBe(calls[1]?.body);
  });

  test('uses the server’s clock', async () => {
    const game = await another();
    await game.change({ enableEncryptedRequests: true });
    const { client } = proven(game, await game.newRich());
    const now = Date.now;
    Date.now = () => now() - 3_600_000;
    try {
      expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    } finally {
      Date.now = now;
    }
  });
});

test('a client with outdated modes adopts the server’s, and repeats the call once', async () => {
  const game = await another();
  const { client, sent } = proven(game, await game.newRich(100));
  await client.call('buy', { item: 'axe' });
  await game.change({ enableEncryptedRequests: true });
  expect(await client.call('buy', { item: 'axe' })).toMatchObject({ price: 7 });
  expect(callsIn(sent)).toHaveLength(3);
  await game.change({ enableEncryptedRequests: false, enableAuthSessions: true });
  await client.security.load();
  await client.sessions.create();
  await game.change({ enableAuthSessions: false });
  expect(await client.call('buy', { item: 'axe' })).toMatchObject({ price: 7 });
});

test('a client whose config cannot be loaded uses its options', async () => {
  const { fetch, sent } = network('lost', 'lost');
  const client = createClient({ ...first.options, fetch, player: await first.newRich(), encryption: true });
  expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
  expect(sent.at(-1)?.headers['x-ns-security-mode']).toBe('encrypted');
});

describe('a guest', () => {
  /** A guest behind a host; what passes between them is JSON. `codecs`: what each reads numbers with. */
  async function hosted(settings: object, codecs: { readonly host?: JsonCodec; readonly guest?: JsonCodec } = {}) {
    const game = await another();
    await game.change(settings);
    const guestId = await game.newRich();
    const host = proven(game, await game.newRich(), network(), codecs.host && { json: codecs.host });
    const guest = proven(game, guestId, network(), codecs.guest && { json: codecs.guest });
    const passed: GuestRequest[] = [];
    const over = (peer: string) => async (request: GuestRequest) => {
      passed.push(request);
      return JSON.parse(JSON.stringify(await answerGuest(host.client, JSON.parse(JSON.stringify(request)), peer)));
    };
    guest.client.relay = guestRelay(guest.client, over(guestId));
    return { game, guest: guest.client, host: host.client, guestId, passed, over, sent: host.sent };
  }

  test.each([
    ['both proven', NEEDED],
    ['both proven, and sealed by the guest', { ...NEEDED, enableEncryptedRequests: true }],
    ['both named', {}],
  ])('plays through its host, %s', async (_, settings) => {
    const { guest, sent, guestId } = await hosted(settings);
    expect(await guest.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    expect(await guest.documents('players').get()).toMatchObject({ gold: 3, items: ['axe'] });
    expect(await guest.documents('counters').get()).toBeNull();
    expect(await guest.tryCall('buy', { item: 'axe' })).toMatchObject({ ok: false, error: { code: 'TOO_POOR', status: 409 } });
    expect(guest.lastError('buy')?.code).toBe('TOO_POOR');
    expect(sent[0]?.headers).toMatchObject({ 'x-on-behalf-of': guestId, 'x-proxy-signature': expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  const LOSSLESS: JsonCodec = { parse: (text) => parse(text), stringify: (value) => stringify(value) ?? '' };

  test.each([
    ['the host', { host: LOSSLESS }],
    ['neither', {}],
    ['both', { host: LOSSLESS, guest: LOSSLESS }],
    ['the guest', { guest: LOSSLESS }],
  ])('reads and edits numbers beyond doubles through its host, exactly; %s reads them with a library for it', async (_, codecs) => {
    const { game, guest, guestId } = await hosted({}, codecs);
    const bag = `bags/${guestId}`;
    const text = '{"id":9007199254740993,"part":0.12345678901234567891,"gold":1}';
    const headers = { 'x-public-key': game.options.publicKey, 'content-type': 'application/json' };
    const address = `${game.options.url}/v3/storage/${game.options.projectId}/${bag}`;
    await fetch(address, { method: 'POST', headers, body: text });
    await guest.documents('bags').edit((read) => ({ ...read, gold: 2 }));
    expect(await (await fetch(address, { headers })).text()).toBe(text.replace('"gold":1', '"gold":2'));
    const { value, version } = await guest.documents('bags').load();
    expect([String(value.gold), version]).toEqual(['2', 2]);
    if ('guest' in codecs) expect([value.id, value.part].map(String)).toEqual(['9007199254740993', '0.12345678901234567891']);
    await guest.documents('bags').update(set('copy', value.id));
    expect(await (await fetch(address, { headers })).text()).toContain('"copy":9007199254740993');
  });

  test.each([
    ['a library for it reads them with', { guest: LOSSLESS }],
    ['libraries of both read them with', { guest: LOSSLESS, host: LOSSLESS }],
  ])('calls with numbers beyond doubles through its host, which %s', async (_, codecs) => {
    const { game, guest } = await hosted({}, codecs);
    const echo = {
      id: 'echo',
      slug: 'echo',
      name: 'Echo',
      method: 'POST',
      steps: [],
      response: { status: 200, body: { ok: true, given: '{{input.given}}' } },
    };
    await ok(game.manager.manage('PUT', game.manager.definitions('endpoints'), { body: [echo] }));
    const { given } = await guest.call('echo', { given: parse('12345678901234567891') });
    expect(String(given)).toBe('12345678901234567891');
  });

  test('whose answer is lost sends the request again, and buys once', async () => {
    const { guest, over, guestId } = await hosted(NEEDED);
    let times = 0;
    guest.relay = guestRelay(guest, async (request) => {
      const answer = await over(guestId)(request);
      if (times++ === 0) throw new Error('the host left the room');
      return answer;
    });
    expect(await guest.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    expect(await guest.documents('players').get()).toMatchObject({ gold: 3 });
  });

  test('whose host is gone gets PROXY_FAILED', async () => {
    const { guest } = await hosted({});
    guest.relay = guestRelay(guest, () => Promise.reject(new Error('gone')));
    expect(await guest.tryCall('buy', { item: 'axe' })).toMatchObject({ ok: false, error: { code: 'PROXY_FAILED' } });
  });

  test('cannot act for anybody else, whatever it sends', async () => {
    const { host, guest, guestId, passed } = await hosted({});
    await guest.call('buy', { item: 'axe' });
    const [request] = passed;
    const wrong = [
      null,
      [],
      {},
      { ...request, v: 2 },
      { ...request, text: 7 },
      { ...request, text: '{' },
      { ...request, player: 7 },
      { ...request, slug: 7 },
      { ...request, projectId: 'x' },
    ];
    for (const sent of [...wrong, { ...request, player: '76561198000000009' }]) {
      expect(await answerGuest(host, sent, guestId)).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } });
    }
  });
});

test('a game learns that it is outdated, how long it may be played, and that it is blocked', async () => {
  const game = await another();
  const sync = (body: object) => ok(game.manager.manage('POST', game.manager.definitions('package-sync'), { body }));
  await sync({ packageIdent: 'studio.game', currentRevisionId: 8 });
  const player = await game.newRich(100);
  const client: Client = createClient({ ...game.options, player, revision: 7 });
  const heard: RevisionStatus[] = [];
  const outdated: RevisionOutdated[] = [];
  revisionOf(client).onChange((status) => heard.push(status));
  const stop = revisionOf(client).onOutdated((status) => outdated.push(status));
  expect(await revisionOf(client).init()).toMatchObject({ playerRevision: 7, currentRevisionId: 8, revisionOutdated: true });

  const enforced = { revisionEnforcementEnabled: true, revisionEnforcementMode: 'force_upgrade' };
  await game.change({ ...enforced, revisionGracePeriodMinutes: 60, revisionNotifyMessage: 'Please update.' });
  const bought = await client.call('buy', { item: 'axe' });
  expect(bought).toEqual({ ok: true, price: 7, left: 93 });
  expect(revisionOf(client).status).toMatchObject({
    state: 'grace',
    isOutdated: true,
    graceRemainingMinutes: 60,
    message: 'Please update.',
  });
  stop();
  await game.change({ revisionGracePeriodMinutes: null });
  expect(await client.tryCall('buy', { item: 'axe' })).toMatchObject({ ok: false, error: { code: 'REVISION_OUTDATED', status: 426 } });
  expect(revisionOf(client).status).toMatchObject({ state: 'blocked', action: 'block_writes', graceExpired: true });
  expect(await client.documents('players').tryUpdate([])).toMatchObject({ ok: false, error: { code: 'REVISION_OUTDATED' } });

  client.configure({ revision: 8 });
  await client.call('buy', { item: 'axe' });
  expect(heard.map(({ state }) => state)).toEqual(['grace', 'blocked', 'current']);
  expect(outdated).toHaveLength(1);
});
