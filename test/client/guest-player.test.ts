import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerGuest,
  type Client,
  createClient,
  forgetGuest,
  type GuestPlayer,
  guestRelay,
  memoryStorage,
  type QueueStorage,
  recoverGuest,
  signInGuest,
  tryRecoverGuest,
  trySignInGuest,
} from '../../src/client/index.ts';
import { endGame, type Fate, type Game, network, refusing, startGame } from './support.ts';

/** Guests, on a project that demands proof and has no login. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
  await game.change({ requirePlayerAuth: true, guestSignIn: true });
});
afterAll(() => endGame(game));

const over = (...fates: readonly Fate[]) => {
  const net = network(...fates);
  return { net, client: createClient({ ...game.options, fetch: net.fetch, retries: 0 }) };
};
const plays = async (client: Client, guest: GuestPlayer) => {
  await client.documents('bags').save({ tools: guest.id });
  return (await client.documents('bags').get())?.['tools'] === guest.id;
};

describe('a device', () => {
  test('is a player from its first start, and needs no request on the next', async () => {
    const storage = memoryStorage();
    const { client } = over();
    const guest = await signInGuest(client, { storage });
    expect(client.player?.id).toBe(guest.id);
    expect(await plays(client, guest)).toBe(true);
    const { client: next, net } = over();
    expect((await signInGuest(next, { storage })).id).toBe(guest.id);
    expect(net.sent).toEqual([]);
    expect(await plays(next, guest)).toBe(true);
  });

  test('stays one guest, whatever the network loses and however often the game ends', async () => {
    const storage = memoryStorage();
    const { client, net } = over('answer lost', 'lost');
    expect((await trySignInGuest(client, { storage })).ok).toBe(false);
    expect((await trySignInGuest(client, { storage })).ok).toBe(false);
    const guest = await signInGuest(client, { storage });
    const tokens = new Set(net.sent.map(({ headers }) => headers['x-platform-token']));
    expect(tokens.size).toBe(1);
    expect((await guest.show()).devices).toHaveLength(1);
  });

  test.each([
    ['one storage', false],
    ['two views of one storage', true],
  ])('is one guest when it signs in twice at once without locks of the platform: %s', async (_, isView) => {
    const storage = memoryStorage();
    const storages = [storage, isView ? { ...storage } : storage];
    const guests = await Promise.all(storages.map((each) => signInGuest(over().client, { storage: each })));
    expect(new Set(guests.map(({ id }) => id)).size).toBe(1);
  });

  test.each(['no JSON', '{"secret":5}', '[]'])(
    'whose secret is damaged (%s) begins anew on purpose, and keeps what was stored',
    async (text) => {
      const storage = memoryStorage();
      await storage.setItem('mine', text);
      const { client } = over();
      expect(await trySignInGuest(client, { storage, name: 'mine' })).toMatchObject({
        ok: false,
        error: { code: 'GUEST_STORAGE', message: expect.stringContaining('forgetGuest') },
      });
      await forgetGuest(client, { storage, name: 'mine' });
      expect(client.player).toBeNull();
      expect(await plays(client, await signInGuest(client, { storage, name: 'mine' }))).toBe(true);
      expect(await storage.getItem('mine:before')).toBe(text);
    },
  );

  test('makes a guest only when its secret is stored', async () => {
    const full: QueueStorage = { ...memoryStorage(), setItem: () => Promise.reject(new Error('the disk is full')) };
    const { client, net } = over();
    const { ok, error } = Object(await trySignInGuest(client, { storage: full }));
    expect([ok, error.code, net.sent]).toEqual([false, 'GUEST_STORAGE', []]);
    const { ok: without, error: why } = Object(await trySignInGuest(client));
    expect([without, why.code]).toEqual([false, 'GUEST_STORAGE']);
    const broken: QueueStorage = { ...memoryStorage(), getItem: () => 'no JSON' };
    expect(await trySignInGuest(client, { storage: broken })).toMatchObject({ ok: false, error: { code: 'GUEST_STORAGE' } });
  });

  test('returns the server’s refusals', async () => {
    const { client } = over(refusing(403, 'GUESTS_DISABLED'));
    expect(await trySignInGuest(client, { storage: memoryStorage() })).toMatchObject({ ok: false, error: { code: 'GUESTS_DISABLED' } });
  });

  test('plays through the host of its game, which gets a pass for itself and never the secret', async () => {
    const { client: host } = over();
    await signInGuest(host, { storage: memoryStorage() });
    const { client, net } = over();
    const { id } = await signInGuest(client, { storage: memoryStorage() });
    await client.documents('players').save({ gold: 10 });
    const asked: unknown[] = [];
    const send = (request: unknown) => {
      asked.push(request);
      return answerGuest(host, request, id);
    };
    client.relay = guestRelay(client, send);
    expect(await client.tryCall('buy', { item: 'axe' })).toMatchObject({ ok: false, error: { code: 'PLATFORM_AUTH_FAILED' } });
    client.relay = guestRelay(client, send, { host: host.player?.id ?? '' });
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    expect(await client.documents('players').get()).toMatchObject({ gold: 3 });
    // A dedicated server has no player, and needs no pass.
    const server = createClient({ ...game.options, clientType: 'dedicated', secretKey: game.manager.secretKey });
    client.relay = guestRelay(client, (request) => answerGuest(server, request, id));
    expect(await client.documents('players').get()).toMatchObject({ gold: 3 });
    expect(JSON.stringify(asked)).not.toContain('ns_guest_');
    expect(net.sent.filter(({ path }) => path.endsWith('/pass'))).toHaveLength(1);
  });
});

describe('a guest', () => {
  test('comes to another device by its code, even if the answer was lost, and revokes the lost device', async () => {
    const { client: old } = over();
    const lost = await signInGuest(old, { storage: memoryStorage() });
    const code = await lost.issueCode();
    const storage = memoryStorage();
    const { client } = over('as it is', 'answer lost');
    const own = await signInGuest(client, { storage });
    expect((await tryRecoverGuest(client, { code }, { storage })).ok).toBe(false);
    expect(client.player?.id).toBe(own.id);
    const guest = await recoverGuest(client, { code }, { storage });
    expect([guest.id, client.player?.id]).toEqual([lost.id, lost.id]);
    const { devices } = await guest.show();
    expect(devices.map(({ isThis }) => isThis)).toEqual([false, true]);
    await guest.revoke(devices[0]?.id ?? '');
    expect(await plays(client, guest)).toBe(true);
    expect(await old.documents('bags').trySave({ tools: 1 })).toMatchObject({ ok: false, error: { code: 'PLATFORM_AUTH_FAILED' } });
    // The secret of the guest that the device was before is kept.
    expect(JSON.parse(String(await storage.getItem(`savepoint-guest:${game.options.projectId}:before`)))).toMatchObject({ player: own.id });
    expect((await signInGuest(over().client, { storage })).id).toBe(lost.id);
  });

  test('whose device was revoked gets an error, and the device signs in anew after forget()', async () => {
    const storage = memoryStorage();
    const { client } = over();
    const guest = await signInGuest(client, { storage });
    const other = await recoverGuest(over().client, { code: await guest.issueCode() }, { storage: memoryStorage() });
    await other.revoke((await guest.show()).devices[0]?.id ?? '');
    const again = await signInGuest(client, { storage });
    const refused = await client.documents('bags').trySave({ tools: 1 });
    expect(refused).toMatchObject({ ok: false, error: { code: 'PLATFORM_AUTH_FAILED', details: { authFailureKind: 'token_rejected' } } });
    await again.forget();
    expect(client.player).toBeNull();
    const anew = await signInGuest(client, { storage });
    expect(anew.id).not.toBe(guest.id);
    expect(await plays(client, anew)).toBe(true);
    // It may have been the only way to the guest.
    expect(JSON.parse(String(await storage.getItem(`savepoint-guest:${game.options.projectId}:before`)))).toMatchObject({
      player: guest.id,
    });
    // forget() of a guest that no longer plays changes nothing for the current player.
    await again.forget();
    expect((await signInGuest(client, { storage })).id).toBe(anew.id);
  });

  test('stays the same after a wrong code', async () => {
    const storage = memoryStorage();
    const { client } = over();
    const guest = await signInGuest(client, { storage });
    expect(await tryRecoverGuest(client, { code: 'AAAA' }, { storage })).toMatchObject({
      ok: false,
      error: { code: 'GUEST_CODE_INVALID' },
    });
    expect((await signInGuest(client, { storage })).id).toBe(guest.id);
  });

  test('has sessions and sealed calls like any player', async () => {
    await game.change({ enableAuthSessions: true, enableEncryptedRequests: true });
    const { client, net } = over();
    const guest = await signInGuest(client, { storage: memoryStorage() });
    await client.documents('players').trySave({ gold: 10 });
    const bought = await client.tryCall('buy', { item: 'castle' });
    expect(bought).toMatchObject({ ok: false, error: { code: 'NO_ITEM' } });
    expect(client.sessions.current).not.toBeNull();
    const call = net.sent.find(({ path }) => path.endsWith('/buy'));
    expect(call?.headers).not.toHaveProperty('x-platform-token');
    expect(call?.headers['x-platform-id']).toBe(guest.id);
  });
});
